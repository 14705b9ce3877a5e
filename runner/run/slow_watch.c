/* See slow_watch.h. */
#include "runner/run/slow_watch.h"

#include <string.h>

void
slow_watch_add(struct slow_watch *w, node_id node, uint64_t began_ns, uint64_t now_ns)
{
	if (!w->after_ns || w->after_ns > UINT64_MAX - now_ns)
		return;
	VEC_PUSH(w->arena, &w->v,
		(struct slow_entry){node, began_ns, now_ns + w->after_ns});
}

uint64_t
slow_watch_due(const struct slow_watch *w)
{
	return w->first < w->v.n ? w->v.v[w->first].due_ns : UINT64_MAX;
}

/* Room is used again when half of it is free. */
static void
drop_taken(struct slow_watch *w)
{
	if (w->first < 64 || w->first < w->v.n / 2)
		return;
	w->v.n -= w->first;
	memmove(w->v.v, w->v.v + w->first, w->v.n * sizeof *w->v.v);
	w->first = 0;
}

bool
slow_watch_next(struct slow_watch *w, uint64_t now_ns, struct slow_entry *e)
{
	if (slow_watch_due(w) > now_ns || w->first == w->v.n)
		return false;
	*e = w->v.v[w->first++];
	drop_taken(w);
	return true;
}
