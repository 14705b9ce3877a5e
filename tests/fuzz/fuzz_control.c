/* Requests to a run, and what it answers. What is read of a request is written and read
 * as the same, but for bytes that are not UTF-8. */
#include "runner/control/alloc_text.h"
#include "runner/control/control_requests.h"
#include "runner/control/control_text.h"
#include "runner/lease/lease_terms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each has a type and some slots. */
static void
read_terms(struct arena *a, struct str text)
{
	struct resource_groups g;
	const char *why = NULL;

	if (!lease_terms_read(a, text, &g, &why)) {
		INVARIANT(why);
		return;
	}
	for (size_t i = 0; g.n && i < g.v[0].n; i++)
		INVARIANT(g.v[0].v[i].type.n && g.v[0].v[i].slots);
}

static void
read_request(struct arena *a, struct str line)
{
	struct control_request q, back;
	struct buf once = {.arena = a}, twice = {.arena = a};
	const char *why = NULL;

	if (!control_read(a, line, &q, &why)) {
		INVARIANT(why);
		return;
	}
	control_write(&once, &q);
	INVARIANT(control_read(a, buf_as_str(&once), &back, &why));
	INVARIANT(back.verb == q.verb && !back.test.p == !q.test.p);
	INVARIANT(back.blocks == q.blocks && back.is_immediate == q.is_immediate);
	control_write(&twice, &back);
	INVARIANT(str_eq(buf_as_str(&once), buf_as_str(&twice)));
	read_terms(a, q.resources);
}

static void
read_answer(struct arena *a, struct str line)
{
	struct buf text = {.arena = a};
	struct str why = STR_NONE;

	if (!control_text(&text, line, &why))
		INVARIANT(why.p);
	for (int style = ALLOC_TEXT; style <= ALLOC_TIME; style++) {
		(void)alloc_text(&text, line, (enum alloc_style)style, "V", &why);
		INVARIANT(why.p);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str line = str_dup(a, str_cut((const char *)data, size));

	read_request(a, line);
	read_terms(a, line);
	read_answer(a, line);
	arena_close(a);
	return 0;
}
