/*
 * Buckets of ready tests, the ones worth trying in a heap by their best rank.
 *
 * A bucket is in exactly one place: idle (no ready test), active (in the heap), or
 * waiting for one thing that kept its best test from starting: free slots, silence
 * (nothing runs, for RUN_SERIAL), a lock, or a resource type. What fits depends only on
 * the signature, so what keeps one test of a bucket keeps them all.
 *
 * A walk starts when a test that ran has ended, and ends when nothing more fits. Tests
 * that become ready during a walk because one was refused, and that the walk has passed,
 * are kept aside until the next one.
 */
#include "runner/scheduler_state.h"

/* So many buckets are looked at in vain beside a reserved test; the rest have their turn
 * when something ends. Keeps an event cheap where every test has a signature of its own.
 */
enum { HELD_BACK_AT_ONCE = 64 };

struct scheduler *
scheduler_new(struct arena *a, const struct plan *p, const struct scheduler_options *o)
{
	struct scheduler *s = NEW(a, struct scheduler);

	*s = (struct scheduler){.a = a,
		.plan = p,
		.o = *o,
		.just_started = MAP_NONE,
		.reserved = MAP_NONE};
	if (!s->o.parallel)
		s->o.parallel = 1;
	if (p->expected && p->reserve)
		s->reservation = reservation_new(a, p->n, o->pool, s->o.parallel);
	buckets_build(s);
	s->waits = NEW_ARRAY(a, uint32_t, p->n);
	if (o->affinity_cpus)
		s->processors = NEW_ARRAY(a, size_t, p->n);
	s->processors_free = o->affinity_cpus;
	if (o->pool) {
		s->grants = NEW_ARRAY(a, struct grant *, p->n);
		s->type_waiting = NEW_ARRAY(a, id_vec, o->pool->n + 1);
	}
	for (node_id i = 0; i < p->n; i++) {
		s->waits[i] = p->nodes[i].waits;
		s->pending += !(o->finished && o->finished[i]);
	}
	for (size_t k = 0; k < p->n; k++) {
		node_id i = p->order[k];

		if (!p->nodes[i].waits && !(o->finished && o->finished[i]))
			node_is_ready(s, i);
	}
	for (node_id i = 0; i < p->n && o->finished; i++)
		if (o->finished[i])
			release_users(s, i);
	return s;
}

static struct action
start(struct scheduler *s, uint32_t id)
{
	struct bucket *b = &s->buckets.v[id];
	node_id node = b->ready.v[0].id;

	heap_pop(&b->ready);
	b->state = BUCKET_IDLE;
	if (b->ready.n)
		bucket_activate(s, id);
	s->used += b->slots;
	s->running++;
	s->pending--;
	s->serial_runs = b->is_serial;
	s->walked = s->plan->nodes[node].rank;
	s->just_started = node;
	if (s->reservation)
		note_start(s, id, node);
	return (struct action){.kind = ACT_START,
		.node = node,
		.grant = s->grants ? s->grants[node] : NULL,
		.fits_nowhere = b->fits_nowhere,
		.processors = take_processors(s, node)};
}

static bool
start_best(struct scheduler *s, size_t slots, struct action *action)
{
	uint32_t b;

	if (s->is_stopped || s->serial_runs || !slots)
		return false;
	while (s->held_back_now < HELD_BACK_AT_ONCE && (b = best_bucket(s)) != MAP_NONE)
		if (s->reservation ? admit_beside(s, b, slots) : admit(s, b, slots)) {
			*action = start(s, b);
			return true;
		}
	return false;
}

struct action
scheduler_next(struct scheduler *s, size_t usable_slots)
{
	struct action action = {.kind = ACT_WAIT};
	size_t slots = free_slots(s, usable_slots);

	s->just_started = MAP_NONE;
	s->held_back_now = 0;
	wake_for_slots(s, slots);
	if (s->reservation)
		look_at_reservation(s);
	if (start_best(s, slots, &action))
		return action;
	if (s->passed.n && (!s->running || s->o.rewalk_after_refusal)) {
		start_walk(s);
		if (start_best(s, slots, &action))
			return action;
	}
	if (!s->running && (!s->pending || s->is_stopped))
		action.kind = ACT_DONE;
	/* On an idle machine everything fits that ever will. */
	INVARIANT(action.kind == ACT_DONE || s->running || usable_slots < s->o.parallel);
	return action;
}

void
scheduler_ended(struct scheduler *s, node_id node)
{
	bool was_refused = node == s->just_started;

	s->just_started = MAP_NONE;
	give_back(s, node);
	/* After a refusal all is as it was before: what did not fit still does not. */
	if (!was_refused) {
		wake_waiting(s, node);
		start_walk(s);
	}
	release_users(s, node);
	if (s->grants)
		s->grants[node] = NULL;
}

void
scheduler_time(struct scheduler *s, double now_s)
{
	s->now_s = now_s;
}

void
scheduler_stop(struct scheduler *s)
{
	s->is_stopped = true;
}

size_t
scheduler_running(const struct scheduler *s)
{
	return s->running;
}

size_t
scheduler_slots_used(const struct scheduler *s)
{
	return s->used;
}
