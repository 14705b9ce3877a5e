/* The files of Git are foreign text: whatever they say, the answer is a commit or none.
 */
#include "runner/history/commit.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* HEAD and packed-refs are before and after the first NUL. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str packed = str_cut((const char *)data, size);
	struct str head = str_take(&packed, '\0'), commit;

	if (!directory_make(a, path_join(a, text_folder(), STR(".git")).p))
		BUG("no folder");
	text_file(a, ".git/HEAD", head);
	text_file(a, ".git/packed-refs", packed);
	commit = commit_of(a, text_folder());
	INVARIANT(commit.n == 0 || commit.n == 40 || commit.n == 64);
	arena_close(a);
	return 0;
}
