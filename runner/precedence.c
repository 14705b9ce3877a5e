/*
 * Who goes before whom: the best test that does not fit has a reservation, and others
 * pass it only where they are not expected to delay it.
 */
#include "runner/scheduler_state.h"

static uint64_t
best_key(const struct scheduler *s, uint32_t id)
{
	return s->buckets.v[id].ready.v[0].key;
}

static void
reserve_again(struct scheduler *s)
{
	const struct bucket *b = &s->buckets.v[s->reserved];
	struct need need = {.slots = b->slots, .is_alone = b->is_serial};

	if (b->needs_pool)
		need.groups = &b->example->properties->resource_groups;
	for (size_t i = 0; i < b->locks_n; i++) {
		const struct lock *lock = &s->locks.v[b->locks[i]];
		double end = lock->is_held ? reservation_end(s->reservation, lock->holder,
						     s->now_s)
					   : 0;

		if (end > need.not_before_s)
			need.not_before_s = end;
	}
	reservation_make(s->reservation, &need, s->now_s);
	s->is_stale = false;
	wake_held_back(s);
}

static void
reserve(struct scheduler *s, uint32_t id)
{
	s->reserved = id;
	s->passed_over = 0;
	reserve_again(s);
	s->promised_s = s->reservation->until_s;
}

/* A lock that is free again goes to the best that wants it: who waits for one lock and
 * nothing else needs no reservation. */
static bool
waits_for_lock_only(struct scheduler *s, const struct bucket *b)
{
	return b->locks_n == 1 && held_lock(s, b);
}

/* The bucket's best test did not fit. */
static void
note_blocked(struct scheduler *s, uint32_t id)
{
	struct bucket *b = &s->buckets.v[id];

	if (id == s->reserved || !s->running || waits_for_lock_only(s, b))
		return;
	if (s->reserved != MAP_NONE && best_key(s, id) > best_key(s, s->reserved)) {
		if (b->blocked_key != best_key(s, id))
			heap_push(s->a, &s->blocked, best_key(s, id), id);
		b->blocked_key = best_key(s, id);
		return;
	}
	if (s->reserved != MAP_NONE && !s->is_draining) {
		struct bucket *old = &s->buckets.v[s->reserved];

		if (old->blocked_key != best_key(s, s->reserved))
			heap_push(
				s->a, &s->blocked, best_key(s, s->reserved), s->reserved);
		old->blocked_key = best_key(s, s->reserved);
	}
	reserve(s, id);
}

static void
reserve_for_next(struct scheduler *s)
{
	s->reserved = MAP_NONE;
	s->is_draining = false;
	wake_held_back(s);
	while (s->blocked.n && s->reserved == MAP_NONE) {
		struct heap_item item = s->blocked.v[0];
		struct bucket *b = &s->buckets.v[item.id];

		heap_pop(&s->blocked);
		if (b->blocked_key == item.key)
			b->blocked_key = KEY_NONE;
		if (b->state == BUCKET_WAITING && b->ready.v[0].key == item.key &&
			!waits_for_lock_only(s, b))
			reserve(s, item.id);
	}
}

static bool
hold_back(struct scheduler *s, uint32_t id)
{
	s->buckets.v[id].state = BUCKET_HELD_BACK;
	VEC_PUSH(s->a, &s->held_back, id);
	s->held_back_now++;
	return false;
}

static bool
share_a_lock(const struct bucket *a, const struct bucket *b)
{
	for (size_t i = 0; i < a->locks_n; i++)
		for (size_t k = 0; k < b->locks_n; k++)
			if (a->locks[i] == b->locks[k])
				return true;
	return false;
}

/* As admit, and nothing that would delay the reserved test. */
bool
admit_beside(struct scheduler *s, uint32_t id, size_t slots)
{
	struct bucket *b = &s->buckets.v[id];
	struct reservation *r = s->reservation;
	node_id node = b->ready.v[0].id;
	bool yields = s->reserved != MAP_NONE && s->reserved != id && s->running;
	bool is_late;
	const struct grant *grant;

	if (yields && s->is_draining)
		return hold_back(s, id);
	is_late = yields && best_key(s, id) > best_key(s, s->reserved) &&
		  s->now_s + s->plan->expected[node].seconds > r->until_s;
	if (is_late && (b->slots > r->spare_slots ||
			       share_a_lock(b, &s->buckets.v[s->reserved])))
		return hold_back(s, id);
	if (!admit(s, id, slots)) {
		note_blocked(s, id);
		return false;
	}
	grant = s->grants ? s->grants[node] : NULL;
	if (!is_late)
		return true;
	if (!reservation_leaves(r, b->slots, grant)) {
		dismiss(s, id);
		return hold_back(s, id);
	}
	reservation_charge(r, b->slots, grant);
	return true;
}

/* The node of the bucket starts: who is reserved for now, and has been passed over? */
void
note_start(struct scheduler *s, uint32_t id, node_id node)
{
	const struct expected *e = &s->plan->expected[node];
	size_t limit = s->o.parallel > 4 ? 2 * s->o.parallel : 8;

	reservation_started(
		s->reservation, (struct holder){.node = node,
					.started_s = s->now_s,
					.expected_s = e->seconds,
					.slots = s->buckets.v[id].slots,
					.grant = s->grants ? s->grants[node] : NULL});
	if (s->reserved == id)
		reserve_for_next(s);
	else if (s->reserved == MAP_NONE)
		return;
	else if (s->plan->nodes[node].rank < best_key(s, s->reserved))
		s->is_stale = true;
	else if (e->is_guess || s->now_s > s->promised_s)
		s->is_draining = ++s->passed_over >= limit;
}

void
look_at_reservation(struct scheduler *s)
{
	if (s->reserved == MAP_NONE || s->is_draining)
		return;
	if (s->is_stale || s->now_s > s->reservation->until_s)
		reserve_again(s);
}
