/*
 * Who waits for a lock or for some of a resource type: by lane, and in it by what is
 * needed, so that what cannot pass is passed by as a whole.
 */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

uint32_t
gate_of_type(const struct scheduler *s, uint32_t type)
{
	return (uint32_t)s->classes->locks.n + type;
}

void
gates_build(struct scheduler *s)
{
	s->processors_gate = gate_of_type(s, s->o.pool ? (uint32_t)s->o.pool->n + 1 : 0);
	s->silence_gate = s->processors_gate + 1;
	s->gates = NEW_ARRAY(s->a, struct gate, s->silence_gate + 1);
	s->marks = NEW_ARRAY(s->a, struct refusal_mark, s->classes->pool_requests_n);
	for (size_t i = 0; i < s->classes->pool_requests_n; i++)
		s->marks[i].gate = GATE_NONE;
}

static bool
is_type(const struct scheduler *s, uint32_t gate)
{
	return gate >= s->classes->locks.n && gate < s->processors_gate;
}

static bool
is_lock(const struct scheduler *s, uint32_t gate)
{
	return gate < s->classes->locks.n;
}

/* What is free behind a gate; of a lock, everything or nothing. */
struct room {
	uint64_t largest, total;
};

static struct room
room_of(const struct resource_type *t)
{
	struct room room = {0, 0};

	for (size_t i = 0; i < t->n; i++) {
		uint64_t is_free = t->v[i].slots - t->v[i].held;

		room.total += is_free;
		if (is_free > room.largest)
			room.largest = is_free;
	}
	return room;
}

static struct room
room_behind(const struct scheduler *s, uint32_t gate)
{
	size_t type = gate - s->classes->locks.n;
	bool is_open = true;

	if (is_lock(s, gate))
		is_open = !s->gates[gate].is_held;
	else if (gate == s->processors_gate)
		return (struct room){s->processors_free, s->processors_free};
	else if (gate == s->silence_gate)
		is_open = !s->running;
	else if (type < s->o.pool->n)
		return room_of(&s->o.pool->types[type]);
	return is_open ? (struct room){UINT64_MAX, UINT64_MAX} : (struct room){0, 0};
}

/* ---- waiting ------------------------------------------------------------------------
 */

static struct gate_lane *
lane_at(struct scheduler *s, uint32_t gate, uint32_t lane)
{
	struct gate *g = &s->gates[gate];

	for (size_t i = 0; i < g->lanes.n; i++)
		if (g->lanes.v[i].lane == lane)
			return &g->lanes.v[i];
	VEC_PUSH(s->a, &g->lanes, (struct gate_lane){.lane = lane});
	return &g->lanes.v[g->lanes.n - 1];
}

static struct queue
queue_of(const struct scheduler *s, uint32_t gate, const struct request_class *k)
{
	struct queue q = {.pool_request = k->pool_request, .largest = 1, .total = 1};

	if (gate == s->processors_gate)
		q.pool_request = (uint32_t)(q.largest = q.total = k->slots);
	else if (!is_type(s, gate))
		q.pool_request = 0;
	for (size_t i = 0; i < k->needs_n; i++)
		if (gate_of_type(s, k->needs[i].type) == gate) {
			q.largest = k->needs[i].largest;
			q.total = k->needs[i].total;
		}
	return q;
}

static struct queue *
queue_at(struct scheduler *s, uint32_t gate, const struct bucket *b)
{
	struct gate_lane *l = lane_at(s, gate, b->lane);
	struct queue q = queue_of(s, gate, b->class);

	for (size_t i = 0; i < l->queues.n; i++)
		if (l->queues.v[i].pool_request == q.pool_request)
			return &l->queues.v[i];
	VEC_PUSH(s->a, &l->queues, q);
	return &l->queues.v[l->queues.n - 1];
}

void
gate_wait(struct scheduler *s, uint32_t gate, uint32_t bucket)
{
	struct bucket *b = &s->buckets.v[bucket];

	heap_push(s->a, &queue_at(s, gate, b)->waiting, b->best, bucket);
	b->state = BUCKET_AT_GATE;
	b->gate = gate;
}

/* ---- passing ------------------------------------------------------------------------
 */

static bool
is_refused(const struct scheduler *s, uint32_t pool_request)
{
	const struct refusal_mark *m = &s->marks[pool_request];

	return m->gate != GATE_NONE && m->news == s->gates[m->gate].news;
}

uint32_t
gate_refused(const struct scheduler *s, const struct request_class *k)
{
	return is_refused(s, k->pool_request) ? s->marks[k->pool_request].gate
					      : GATE_NONE;
}

bool
gate_has_room(const struct scheduler *s, uint32_t gate, const struct class_need *need)
{
	struct room room = room_behind(s, gate);

	return need->largest <= room.largest && need->total <= room.total;
}

/* What was refused at another gate passes this one, and goes to wait there. */
static bool
could_pass(
	const struct scheduler *s, uint32_t gate, const struct queue *q, struct room room)
{
	return q->largest <= room.largest && q->total <= room.total &&
	       (!is_type(s, gate) || s->marks[q->pool_request].gate != gate ||
		       !is_refused(s, q->pool_request));
}

/* The best that waits, leftovers dropped; RANK_NONE: nobody does. */
static uint32_t
best_of(struct scheduler *s, uint32_t gate, struct queue *q)
{
	for (; q->waiting.n; heap_pop(&q->waiting)) {
		struct heap_item item = q->waiting.v[0];
		const struct bucket *b = &s->buckets.v[item.id];

		if (b->state == BUCKET_AT_GATE && b->gate == gate && b->best == item.key)
			return b->best;
	}
	return RANK_NONE;
}

static void
let_out_best(struct scheduler *s, uint32_t gate, struct gate_lane *l, struct room room)
{
	struct queue *from = NULL;
	uint32_t best = RANK_NONE;

	for (size_t i = 0; i < l->queues.n; i++) {
		struct queue *q = &l->queues.v[i];

		if (q->waiting.n && could_pass(s, gate, q, room) &&
			best_of(s, gate, q) < best) {
			from = q;
			best = best_of(s, gate, q);
		}
	}
	if (!from)
		return;
	lane_add(s, from->waiting.v[0].id);
	heap_pop(&from->waiting);
}

void
gate_open(struct scheduler *s, uint32_t gate)
{
	struct gate *g = &s->gates[gate];
	struct room room;

	if (!g->lanes.n)
		return;
	room = room_behind(s, gate);
	for (size_t i = 0; i < g->lanes.n && room.total; i++)
		let_out_best(s, gate, &g->lanes.v[i], room);
}

void
gate_news(struct scheduler *s, uint32_t gate, bool was_refused)
{
	s->gates[gate].news += !was_refused;
	gate_open(s, gate);
}

void
gate_next(struct scheduler *s, uint32_t gate, uint32_t lane)
{
	struct room room = room_behind(s, gate);

	if (room.total)
		let_out_best(s, gate, lane_at(s, gate, lane), room);
}

static bool
bucket_could_pass(struct scheduler *s, const struct bucket *b)
{
	struct queue q = queue_of(s, b->gate, b->class);

	return could_pass(s, b->gate, &q, room_behind(s, b->gate));
}

void
gate_rank(struct scheduler *s, uint32_t bucket)
{
	struct bucket *b = &s->buckets.v[bucket];

	if (bucket_could_pass(s, b)) {
		lane_add(s, bucket);
		return;
	}
	gate_wait(s, b->gate, bucket);
	if (s->precedes)
		note_blocked(s, bucket);
}

bool
gate_leave(struct scheduler *s, uint32_t bucket)
{
	struct bucket *b = &s->buckets.v[bucket];

	if (!bucket_could_pass(s, b))
		return false;
	b->state = BUCKET_IDLE;
	return true;
}
