/*
 * The history is a foreign file: whatever is in it, reading ends, and a run can write
 * one. The input is the file.
 */
#include "runner/history/history.h"
#include "tests/unit/text_file.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct str path =
		text_file(a, "history.sqlite", str_cut((const char *)data, size));
	struct history_attempt one = {.test = STR("new"), .verdict = STR("passed")};
	struct str names[] = {STR("a"), STR("new")};
	double seconds[2] = {0};

	if (history_is_available()) {
		struct history *h = history_open(
			a, &(struct history_options){.path = path, .keep = HISTORY_KEEP});

		history_estimate(a, path, STR(""), names, 2, seconds, &d);
		if (history_add(h, &one, 1, 0, &d) != HISTORY_WRITTEN)
			INVARIANT(history_why(h).n);
		history_close(h);
		unlink(str_fmt(a, "%s.damaged", path.p).p);
		unlink(str_fmt(a, "%s-journal", path.p).p);
	}
	arena_close(a);
	return 0;
}
