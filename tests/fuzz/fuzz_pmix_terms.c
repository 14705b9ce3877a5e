/* Requests of PMIx's clients, and answers as attributes. What is read of a request can be
 * read by the run. */
#include "runner/lease/lease_terms.h"
#include "tests/unit/attribute_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_request(struct arena *a, unsigned directive, struct str text)
{
	struct attribute_vec v = attributes_of(a, &text, 3);
	struct buf line = {.arena = a};
	struct control_request back;
	struct pmix_request r;
	const char *why;

	if (pmix_request_read(a, directive, v.v, v.n, &r) != PMIX_RESULT_GRANTED)
		return;
	control_write(&line, &r.q);
	INVARIANT(control_read(a, buf_as_str(&line), &back, &why));
	INVARIANT(back.verb == r.q.verb);
}

static void
read_answer(struct arena *a, struct str line)
{
	struct pmix_request r = {.q = {.verb = CONTROL_ALLOC_NEW}};
	struct pmix_answer answer;

	pmix_answer_read(a, line, &r, &answer);
	INVARIANT(answer.result < PMIX_RESULTS && answer.status.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_dup(a, str_cut((const char *)data, size));

	if (size)
		read_request(a, data[0] - '0', str_from(text, 1));
	read_answer(a, text);
	arena_close(a);
	return 0;
}
