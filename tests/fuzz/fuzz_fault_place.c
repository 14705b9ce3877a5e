/* What a test wrote is foreign: whatever it says, the search for a place ends, and a
 * place is an existing file and a line of the output. */
#include "runner/report/fault_place.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str path = text_file(a, "a.cc", STR("text"));
	struct str folder = str_cut(path.p, path.n - strlen("/a.cc"));
	struct fault_place p;

	if (fault_place_find(a, str_cut((const char *)data, size),
		    (struct str_list){&folder, 1}, &p))
		INVARIANT(p.line && p.path.n && p.text.n && p.text.n <= size);
	arena_close(a);
	return 0;
}
