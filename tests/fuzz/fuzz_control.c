/* Requests to a run, and what it answers. What is read of a request is written and read
 * as the same. */
#include "runner/control/control_requests.h"
#include "runner/control/control_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_request(struct arena *a, struct str line)
{
	struct control_request q, back;
	struct buf b = {.arena = a};
	const char *why = NULL;

	if (!control_read(a, line, &q, &why)) {
		INVARIANT(why);
		return;
	}
	control_write(&b, &q);
	INVARIANT(control_read(a, buf_as_str(&b), &back, &why));
	INVARIANT(back.verb == q.verb && !back.test.p == !q.test.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str line = str_dup(a, str_cut((const char *)data, size));
	struct buf text = {.arena = a};
	struct str why = STR_NONE;

	read_request(a, line);
	if (!control_text(&text, line, &why))
		INVARIANT(why.p);
	arena_close(a);
	return 0;
}
