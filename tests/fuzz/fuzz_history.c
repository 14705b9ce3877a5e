/*
 * The history is a foreign file: whatever is in it, reading ends, and a run can write
 * one. The input is the file.
 */
#include "runner/history/history_text.h"
#include "tests/unit/text_file.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever the attempts are, they are described. */
static void
describe(struct arena *a, struct str path, const struct str *names, struct diag *d)
{
	static const bool disabled[2];
	struct history_content content;
	struct past past;
	struct buf out = {.arena = a};

	if (history_read(a, path, STR(""), names, 2, 100, &content, d) != HISTORY_FOUND)
		return;
	past = past_of(a, &content, 2);
	for (int i = 0; i < 2; i++) {
		const struct history_view view = {.path = path,
			.content = &content,
			.past = &past,
			.names = names,
			.disabled = disabled,
			.tells_attempts = i == 1};

		history_text(&out, &view);
		history_json(&out, &view);
	}
	INVARIANT(out.n);
}

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

		describe(a, path, names, &d);
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
