/* See running.h. */
#include "runner/report/running.h"

struct running
running_of(struct arena *a, size_t tests)
{
	return (struct running){.v = NEW_ARRAY(a, struct running_test, tests),
		.first = MAP_NONE,
		.last = MAP_NONE};
}

static void
add_test(struct running *r, const struct attempt *a, uint64_t now_ns)
{
	struct running_test *t = &r->v[a->node];

	*t = (struct running_test){a, now_ns, r->last, MAP_NONE};
	if (r->last == MAP_NONE)
		r->first = a->node;
	else
		r->v[r->last].after = a->node;
	r->last = a->node;
	r->n++;
}

static void
remove_test(struct running *r, node_id node)
{
	struct running_test *t = &r->v[node];

	if (!t->attempt)
		return;
	if (t->before == MAP_NONE)
		r->first = t->after;
	else
		r->v[t->before].after = t->after;
	if (t->after == MAP_NONE)
		r->last = t->before;
	else
		r->v[t->after].before = t->before;
	t->attempt = NULL;
	r->n--;
}

void
running_note(struct running *r, const struct event *e, uint64_t now_ns)
{
	if (e->kind == EVENT_END)
		remove_test(r, e->attempt->node);
	if (e->kind != EVENT_START)
		return;
	remove_test(r, e->attempt->node);
	add_test(r, e->attempt, now_ns);
}

double
running_seconds(const struct running_test *t, uint64_t now_ns)
{
	return now_ns > t->began_ns ? (double)(now_ns - t->began_ns) / 1e9 : 0;
}
