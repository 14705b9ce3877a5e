/*
 * The record of a shard is a foreign file: whatever is in it, reading ends. What is read
 * is written and read again; with an end of our own it is merged.
 */
#include "compat/dashboard/merge/merged_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
write_pieces(struct buf *b, struct str text)
{
	while (text.n) {
		size_t n = text.n < SHARD_PIECE ? text.n : SHARD_PIECE;

		shard_write_output(b, str_cut(text.p, n));
		text = str_from(text, n);
	}
}

static void
write_again(struct buf *b, const struct shard_record *r)
{
	shard_write_head(b, &r->head);
	for (size_t i = 0; i < r->attempts.n; i++) {
		write_pieces(b, r->attempts.v[i].outcome.output);
		shard_write_attempt(b, &r->attempts.v[i]);
	}
	for (size_t i = 0; i < r->files.n; i++) {
		write_pieces(b, r->files.v[i].contents);
		shard_write_file(b, r->files.v[i].path);
	}
	shard_write_end(b, &(struct shard_end){.code = r->end.code,
				   .signal = r->end.signal,
				   .duration_ns = r->end.duration_ns,
				   .ended_us = r->end.ended_us,
				   .attempts = r->attempts.n,
				   .sum = str_sum(STR_SUM_EMPTY, buf_as_str(b))});
}

static void
hear(struct report *r, const struct event *e)
{
	(void)r;
	INVARIANT(e->kind != EVENT_END || e->attempt->test->properties->processors > 0);
}

static void
merge(struct arena *a, struct shard_file *f)
{
	static const struct report_type type = {.name = "none", .event = hear};
	struct report report = {.type = &type};
	struct diag d = diag_in(a);

	if (!shard_set_check(a, f, 1, &d)) {
		INVARIANT(d.errors == 1);
		return;
	}
	merged_run_tell(
		merged_run_of(a, f, 1), &(struct merged_listener){.report = &report});
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct shard_record r;
	struct shard_file again = {.path = STR("again")};
	struct buf b = {.arena = a};

	if (!shard_read(a, str_cut((const char *)data, size), &r)) {
		write_again(&b, &r);
		INVARIANT(!shard_read(a, buf_as_str(&b), &again.record));
		INVARIANT(again.record.has_end);
		INVARIANT(again.record.attempts.n == r.attempts.n);
		merge(a, &again);
	}
	arena_close(a);
	return 0;
}
