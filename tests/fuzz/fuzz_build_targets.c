/* CMake's reply is foreign text: whatever it says, a file has a target of the list. */
#include "compat/run/build_targets.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The index, the model and a target, which end at a NUL. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {".cmake/api/v1/reply/index-1.json",
		".cmake/api/v1/reply/model.json", ".cmake/api/v1/reply/target.json"};
	struct arena *a = arena_open();
	struct str rest = str_cut((const char *)data, size);
	struct build_targets t;

	if (!directory_make(a, path_join(a, text_folder(), STR(".cmake/api/v1/reply")).p))
		BUG("no folder");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		text_file(a, names[i], str_take(&rest, '\0'));
	if (build_targets_read(a, text_folder(), STR("Debug"), &t))
		for (size_t i = 0; i < t.by_path.n; i++)
			INVARIANT(t.by_path.entries[i].value < t.names.n);
	arena_close(a);
	return 0;
}
