/* See watch.h. Holders are looked for when a wait begins, among all that runs. */
#include "runner/schedule/watch.h"

struct watch *
watch_new(struct arena *a, const struct plan *p, const node_id *nodes, size_t n)
{
	struct watch *w = NEW(a, struct watch);

	INVARIANT(nodes || !n);
	*w = (struct watch){.a = a, .plan = p, .n = n};
	w->v = NEW_ARRAY(a, struct watched, n);
	for (size_t i = 0; i < n; i++)
		w->v[i].node = nodes[i];
	w->started_s = NEW_ARRAY(a, double, p->n);
	w->ended_s = NEW_ARRAY(a, double, p->n);
	w->at = NEW_ARRAY(a, uint32_t, p->n);
	for (node_id i = 0; i < p->n; i++)
		w->started_s[i] = w->ended_s[i] = NEVER_S;
	return w;
}

void
watch_begin(
	struct watch *w, const struct scheduler *s, const bool *finished, double clock_s)
{
	INVARIANT(s);
	w->scheduler = s;
	w->clock_s = clock_s;
	for (node_id i = 0; finished && i < w->plan->n; i++)
		if (finished[i])
			w->started_s[i] = w->ended_s[i] = 0;
}

/* ---- waits ----------------------------------------------------------------------- */

static bool
is_same(const struct blocker *a, const struct blocker *b)
{
	return a->kind == b->kind && a->node == b->node && str_eq(a->name, b->name);
}

static void
close_wait(struct watch *w, struct watched *t, double now_s)
{
	struct wait *last;

	if (!t->is_waiting)
		return;
	t->is_waiting = false;
	last = &t->waits.v[t->waits.n - 1];
	last->to_s = now_s;
	last->passed = w->starts_before - last->passed;
	if (last->to_s <= last->from_s)
		t->waits.n--;
}

/* How much the running test holds of what why waits for; 0: nothing. */
static uint64_t
amount_held(const struct watch *w, node_id node, const struct blocker *why)
{
	const struct grant *g = scheduler_grant(w->scheduler, node);
	uint64_t sum = 0;

	for (size_t i = 0; g && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct grant_unit *u = &g->v[i].v[k];

			if (u->type == why->type && (why->instance == MAP_NONE ||
							    u->instance == why->instance))
				sum += u->slots;
		}
	return sum;
}

static void
add_holder(struct wait *wait, struct wait_holder h)
{
	size_t i = wait->holders_n++;

	if (i >= HOLDERS_SHOWN)
		i = HOLDERS_SHOWN;
	for (; i && h.node < wait->holders[i - 1].node; i--)
		if (i < HOLDERS_SHOWN)
			wait->holders[i] = wait->holders[i - 1];
	if (i < HOLDERS_SHOWN)
		wait->holders[i] = h;
}

static bool
is_held_by_many(enum blocker_kind kind)
{
	return kind == BLOCKED_BY_SLOTS || kind == BLOCKED_BY_PROCESSORS ||
	       kind == BLOCKED_BY_OTHERS || kind == BLOCKED_BY_RESOURCE;
}

static void
find_holders(const struct watch *w, struct wait *wait)
{
	bool counts = wait->why.kind == BLOCKED_BY_RESOURCE;

	if (!is_held_by_many(wait->why.kind))
		return;
	for (size_t i = 0; i < w->running.n; i++) {
		struct wait_holder h = {.node = w->running.v[i]};

		if (counts)
			h.amount = amount_held(w, h.node, &wait->why);
		if (h.amount || !counts)
			add_holder(wait, h);
	}
}

/* A wait with the same blocker that ended only now continues. */
static void
open_wait(struct watch *w, struct watched *t, struct blocker why, double now_s)
{
	struct wait wait = {.why = why, .from_s = now_s, .passed = w->starts};
	struct wait *last = t->waits.n ? &t->waits.v[t->waits.n - 1] : NULL;

	t->is_waiting = true;
	if (last && is_same(&last->why, &why) && last->to_s >= now_s) {
		last->passed = w->starts - last->passed;
		return;
	}
	if (!last)
		wait.from_s = 0;
	if (why.until_s > 0)
		wait.why.until_s -= w->clock_s;
	find_holders(w, &wait);
	VEC_PUSH(w->a, &t->waits, wait);
}

/* Dependencies in turn, so that each is looked at once. */
static struct blocker
find_reason(const struct watch *w, struct watched *t)
{
	const struct selected *s = &w->plan->selection->v[t->node];

	while (t->next < s->depends_n && w->ended_s[s->depends[t->next]] >= 0)
		t->next++;
	if (t->next < s->depends_n)
		return (struct blocker){
			.kind = BLOCKED_BY_DEPENDENCY, .node = s->depends[t->next]};
	return scheduler_blocker(w->scheduler, t->node);
}

static void
look_at(struct watch *w, struct watched *t, double now_s)
{
	struct blocker why = find_reason(w, t);

	if (t->is_waiting && is_same(&t->waits.v[t->waits.n - 1].why, &why))
		return;
	close_wait(w, t, now_s);
	if (why.kind != BLOCKED_NOT)
		open_wait(w, t, why, now_s);
}

/* ---- what happens ---------------------------------------------------------------- */

void
watch_started(struct watch *w, node_id node, double now_s)
{
	INVARIANT(w->started_s[node] < 0);
	w->now_s = now_s;
	w->started_s[node] = now_s;
	w->at[node] = (uint32_t)w->running.n;
	VEC_PUSH(w->a, &w->running, node);
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].node == node)
			close_wait(w, &w->v[i], now_s);
	w->starts++;
}

void
watch_ended(struct watch *w, node_id node, double now_s)
{
	bool had_ended = w->ended_s[node] >= 0;
	node_id last;

	w->now_s = now_s;
	w->ended_s[node] = now_s;
	if (had_ended)
		return;
	last = w->running.v[--w->running.n];
	INVARIANT(w->running.v[w->at[node]] == node);
	w->running.v[w->at[node]] = last;
	w->at[last] = w->at[node];
}

void
watch_settled(struct watch *w, double now_s)
{
	w->now_s = now_s;
	for (size_t i = 0; i < w->n; i++)
		if (w->started_s[w->v[i].node] < 0)
			look_at(w, &w->v[i], now_s);
	w->starts_before = w->starts;
}

void
watch_finish(struct watch *w, double now_s)
{
	INVARIANT(now_s >= 0);
	w->now_s = now_s;
	for (size_t i = 0; i < w->n; i++)
		close_wait(w, &w->v[i], now_s);
}
