/* Does the best test of a queue fit now, and if not, for which resource does it wait? */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

size_t
free_slots(const struct scheduler *s, size_t usable)
{
	size_t limit = usable < s->o.parallel ? usable : s->o.parallel;

	return limit > s->used ? limit - s->used : 0;
}

uint32_t
held_lock(const struct scheduler *s, const struct request_class *k)
{
	for (size_t i = 0; i < k->locks_n; i++)
		if (s->wait_queues[k->locks[i]].is_held)
			return k->locks[i];
	return RESOURCE_NONE;
}

/* Of an idle type nothing will come back: a longer search is all that is left, when
 * nothing runs; and when that fails too, the pool counts as too small. */
static void
note_refusal(struct scheduler *s, const struct request_class *k, uint32_t *blocking)
{
	struct refusal *m = &s->refusals[k->pool_request];

	if (!s->running) {
		m->is_hopeless = true;
		*blocking = RESOURCE_NONE;
		return;
	}
	INVARIANT(*blocking != MAP_NONE);
	if (*blocking < s->o.pool->n && s->o.pool->types[*blocking].holders == 0) {
		*blocking = s->idle_resource;
		return;
	}
	*blocking = resource_of_type(s, *blocking);
	m->resource = *blocking;
	m->news = s->wait_queues[*blocking].news;
}

/* On success the grant is charged; *blocking is the resource of what did not fit. */
static struct grant *
take_grant(struct scheduler *s, struct class_queue *b, uint32_t *blocking)
{
	struct grant *g;

	*blocking = refused_resource(s, b->class);
	if (*blocking != RESOURCE_NONE && s->running)
		return NULL;
	if (!b->spare.n)
		VEC_PUSH(s->a, &b->spare, NEW(s->a, struct grant));
	g = b->spare.v[b->spare.n - 1];
	if (s->running ? !pool_take(s->o.pool, s->a, b->class->groups, g, blocking)
		       : !pool_take_alone(s->o.pool, s->a, b->class->groups, g)) {
		note_refusal(s, b->class, blocking);
		return NULL;
	}
	b->spare.n--;
	return g;
}

/* Where it waits; RESOURCE_NONE: it has all it needs. */
static uint32_t
take_all(struct scheduler *s, struct class_queue *b)
{
	uint32_t resource = held_lock(s, b->class), blocking;
	struct grant *grant = NULL;

	if (b->class->needs_processors && b->class->slots > s->processors_free)
		return s->processors_resource;
	if (resource != RESOURCE_NONE)
		return resource;
	if (b->class->groups && !s->refusals[b->class->pool_request].is_hopeless &&
		!(grant = take_grant(s, b, &blocking)) && blocking != RESOURCE_NONE)
		return blocking;
	for (size_t i = 0; i < b->class->locks_n; i++) {
		s->wait_queues[b->class->locks[i]].is_held = true;
		s->wait_queues[b->class->locks[i]].holder = b->best;
	}
	if (grant)
		s->grants[b->best] = grant;
	return RESOURCE_NONE;
}

bool
admit(struct scheduler *s, uint32_t id)
{
	uint32_t resource = take_all(s, &s->queues.v[id]);

	if (resource == RESOURCE_NONE)
		return true;
	wait_queue_add(s, resource, id);
	return false;
}

static void
free_locks(struct scheduler *s, const struct request_class *k)
{
	for (size_t i = 0; i < k->locks_n; i++)
		s->wait_queues[k->locks[i]].is_held = false;
}

static void
give_grant_back(struct scheduler *s, struct class_queue *b, uint32_t rank)
{
	struct grant *g = s->grants ? s->grants[rank] : NULL;

	if (!g)
		return;
	pool_return(s->o.pool, g);
	VEC_PUSH(s->a, &b->spare, g);
	s->grants[rank] = NULL;
}

void
dismiss(struct scheduler *s, uint32_t id)
{
	struct class_queue *b = &s->queues.v[id];
	uint32_t rank = b->best;

	free_locks(s, b->class);
	give_grant_back(s, b, rank);
}

size_t
take_processors(struct scheduler *s, const struct class_queue *b)
{
	bool wants = b->class->needs_processors || s->o.pins_all;
	size_t n = wants && b->class->slots <= s->processors_free ? b->class->slots : 0;

	if (!s->processors)
		return 0;
	INVARIANT(n || !b->class->needs_processors);
	s->processors[b->best] = n;
	s->processors_free -= n;
	return n;
}

void
give_back(struct scheduler *s, uint32_t rank)
{
	struct class_queue *b = &s->queues.v[s->queue_of[rank]];
	const struct request_class *k = class_of_rank(s, rank);

	INVARIANT(s->running > 0 && s->used >= k->slots);
	if (s->reservations)
		reservations_ended(s->reservations, rank, s->now_s);
	s->running--;
	s->used -= k->slots;
	s->serial_runs = false;
	free_locks(s, k);
	if (s->processors)
		s->processors_free += s->processors[rank];
	give_grant_back(s, b, rank);
}
