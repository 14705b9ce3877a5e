/* What an attempt writes, until its end is reported. See attempt_output.h. */
#include "runner/run/attempt_output.h"

#include "runner/base/loop.h"

#define ENDS_SLICE_NS 2000000u

static bool
on_line(void *context, const struct long_text *line)
{
	struct attempt_output *o = context;
	const struct engine_listener *l = &o->engine->listener;

	return l->line ? l->line(l->context, o->node, line) : true;
}

static void
on_part(void *context, struct str bytes)
{
	struct attempt_output *o = context;
	const struct engine_listener *l = &o->engine->listener;

	if (l->part)
		l->part(l->context, o->node, bytes);
}

void
attempt_output_open(struct attempt_output *o, struct engine *e, const char *directory)
{
	INVARIANT(e && directory);
	o->engine = e;
	o->directory = directory;
	o->arena = arena_open();
	o->mark = arena_mark(o->arena);
}

void
attempt_output_close(struct attempt_output *o)
{
	arena_close(o->arena);
}

void
attempt_output_begin(struct attempt_output *o, node_id node, bool every_line)
{
	const struct capture_listener listener = {.context = o,
		.tag = str_of(o->engine->listener.line_tag),
		.line = on_line,
		.part = on_part};

	o->node = node;
	o->capture = capture_in(o->arena, o->directory, &listener);
	o->capture.every_line = every_line;
}

void
attempt_output_add(struct attempt_output *o, struct str bytes)
{
	const struct engine_listener *l = &o->engine->listener;

	if (l->bytes)
		l->bytes(l->context, o->node, bytes);
	else
		capture_add(&o->capture, bytes.p, bytes.n);
}

struct str
attempt_output_tail(const struct attempt_output *o, struct arena *a, size_t n)
{
	return spool_tail(&o->capture.store, a, n);
}

void
attempt_output_end(struct attempt_output *o, const struct outcome *outcome)
{
	INVARIANT(outcome);
	o->outcome = *outcome;
	o->capture.is_cut = outcome->is_cut;
	o->outcome.output = capture_end(&o->capture).s;
	if (!o->outcome.lost_output)
		o->outcome.lost_output = o->capture.store.lost;
	o->outcome.output_file = o->capture.store.file > 0 ? o->capture.store.file : 0;
}

void
attempt_output_drop(struct attempt_output *o)
{
	capture_close(&o->capture);
	arena_rewind(o->arena, o->mark);
}

bool
attempt_output_report(struct attempt_output *o)
{
	const struct engine_listener *l = &o->engine->listener;

	if (o->engine->holds_ends)
		return false;
	if (l->search && !l->search(l->context, o->node, &o->outcome))
		return false;
	l->ended(l->context, o->node, &o->outcome);
	attempt_output_drop(o);
	return true;
}

void
attempt_queue_add(struct attempt_queue *q, struct attempt_output *o)
{
	o->next = NULL;
	if (q->first)
		q->last->next = o;
	else
		q->first = o;
	q->last = o;
}

void
attempt_queue_serve(struct attempt_queue *q, const struct engine *e,
	void (*end)(struct attempt_output *o))
{
	uint64_t until_ns = q->first ? loop_now_ns() + ENDS_SLICE_NS : 0;

	while (q->first && !e->holds_ends) {
		struct attempt_output *o = q->first;

		q->first = o->next;
		end(o);
		if (loop_now_ns() >= until_ns)
			return;
	}
}
