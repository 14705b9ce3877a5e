/* Does the best test of a bucket fit now, and if not, what does the bucket wait for? */
#include "runner/scheduler_state.h"

size_t
free_slots(const struct scheduler *s, size_t usable)
{
	size_t limit = usable < s->o.parallel ? usable : s->o.parallel;

	return limit > s->used ? limit - s->used : 0;
}

/* NULL when all locks are free. */
struct lock *
held_lock(struct scheduler *s, const struct bucket *b)
{
	for (size_t i = 0; i < b->locks_n; i++)
		if (s->locks.v[b->locks[i]].is_held)
			return &s->locks.v[b->locks[i]];
	return NULL;
}

/* On success the grant is charged; *blocking is the type that did not fit. */
static struct grant *
take_grant(struct scheduler *s, struct bucket *b, uint32_t *blocking)
{
	const struct resource_groups *groups = &b->example->properties->resource_groups;
	struct grant *g;

	if (!b->spare.n)
		VEC_PUSH(s->a, &b->spare, NEW(s->a, struct grant));
	g = b->spare.v[b->spare.n - 1];
	if (s->running ? !pool_take(s->o.pool, s->a, groups, g, blocking)
		       : !pool_take_alone(s->o.pool, s->a, groups, g))
		return NULL;
	b->spare.n--;
	return g;
}

/* Of an idle type nothing will come back: a longer search is all that is left. */
static id_vec *
queue_for(struct scheduler *s, uint32_t type)
{
	INVARIANT(type != MAP_NONE);
	return type < s->o.pool->n && s->o.pool->types[type].holders == 0
		       ? &s->silence_waiting
		       : &s->type_waiting[type];
}

/* Takes what the best test of the bucket needs, or puts the bucket where it waits. */
bool
admit(struct scheduler *s, uint32_t id, size_t slots)
{
	struct bucket *b = &s->buckets.v[id];
	struct lock *lock;
	struct grant *grant = NULL;
	uint32_t blocking;

	b->state = BUCKET_WAITING;
	if (b->is_serial && s->running) {
		VEC_PUSH(s->a, &s->silence_waiting, id);
		return false;
	}
	if (b->slots > slots) {
		heap_push(s->a, &s->slots_waiting, b->slots, id);
		return false;
	}
	if (b->needs_processors && b->slots > s->processors_free) {
		heap_push(s->a, &s->processors_waiting, b->slots, id);
		return false;
	}
	lock = held_lock(s, b);
	if (lock) {
		VEC_PUSH(s->a, &lock->waiting, id);
		return false;
	}
	if (b->needs_pool && !(grant = take_grant(s, b, &blocking))) {
		if (s->running) {
			VEC_PUSH(s->a, queue_for(s, blocking), id);
			return false;
		}
		b->fits_nowhere = true;
		b->needs_pool = false;
	}
	for (size_t i = 0; i < b->locks_n; i++)
		s->locks.v[b->locks[i]] = (struct lock){
			true, b->ready.v[0].id, s->locks.v[b->locks[i]].waiting};
	if (grant)
		s->grants[b->ready.v[0].id] = grant;
	return true;
}

/* Gives up what admit took. */
void
dismiss(struct scheduler *s, uint32_t id)
{
	struct bucket *b = &s->buckets.v[id];
	node_id node = b->ready.v[0].id;

	for (size_t i = 0; i < b->locks_n; i++)
		s->locks.v[b->locks[i]].is_held = false;
	if (b->needs_pool) {
		pool_return(s->o.pool, s->grants[node]);
		VEC_PUSH(s->a, &b->spare, s->grants[node]);
		s->grants[node] = NULL;
	}
}

size_t
take_processors(struct scheduler *s, node_id node)
{
	const struct bucket *b = &s->buckets.v[s->bucket_of[node]];
	bool wants = b->needs_processors || s->o.pins_all;
	size_t n = wants && b->slots <= s->processors_free ? b->slots : 0;

	if (!s->processors)
		return 0;
	INVARIANT(n || !b->needs_processors);
	s->processors[node] = n;
	s->processors_free -= n;
	return n;
}

void
give_back(struct scheduler *s, node_id node)
{
	struct bucket *b = &s->buckets.v[s->bucket_of[node]];

	INVARIANT(s->running > 0 && s->used >= b->slots);
	if (s->reservation)
		reservation_ended(s->reservation, node);
	s->running--;
	s->used -= b->slots;
	s->serial_runs = false;
	if (s->processors)
		s->processors_free += s->processors[node];
	for (size_t i = 0; i < b->locks_n; i++)
		s->locks.v[b->locks[i]].is_held = false;
	if (b->needs_pool) {
		INVARIANT(s->grants[node]);
		pool_return(s->o.pool, s->grants[node]);
		VEC_PUSH(s->a, &b->spare, s->grants[node]);
	}
}
