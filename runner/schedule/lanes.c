/* The best bucket of each lane is known at any time; a lane's heap may hold leftovers. */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

uint32_t
lane_for(struct scheduler *s, size_t slots, bool is_serial, unsigned length)
{
	struct map *names = &s->lane_names;
	uint64_t key[3] = {slots, is_serial, length};
	struct str text = str_cut((const char *)key, sizeof key);
	uint32_t lane = map_get(names, text);

	if (lane != MAP_NONE)
		return lane;
	lane = (uint32_t)s->lanes.n;
	map_set(names, str_dup(s->a, text), lane);
	VEC_PUSH(s->a, &s->lanes,
		(struct lane){.best = RANK_NONE,
			.slots = (uint32_t)slots,
			.is_serial = is_serial});
	VEC_PUSH(s->a, &s->in_lane, (heap){NULL, 0, 0});
	return lane;
}

static void
set_best(struct scheduler *s, struct lane *l, uint32_t rank)
{
	l->best = rank;
	if (rank != RANK_NONE && s->reservation)
		l->best_s = s->plan->expected[s->plan->order[rank]].seconds;
}

static void
settle(struct scheduler *s, uint32_t lane)
{
	heap *h = &s->in_lane.v[lane];

	while (h->n) {
		const struct bucket *b = &s->buckets.v[h->v[0].id];

		if (b->state == BUCKET_IN_LANE && b->best == h->v[0].key)
			break;
		heap_pop(h);
	}
	set_best(s, &s->lanes.v[lane], h->n ? (uint32_t)h->v[0].key : RANK_NONE);
}

void
lane_add(struct scheduler *s, uint32_t bucket)
{
	struct bucket *b = &s->buckets.v[bucket];
	struct lane *l = &s->lanes.v[b->lane];

	b->state = BUCKET_IN_LANE;
	heap_push(s->a, &s->in_lane.v[b->lane], b->best, bucket);
	if (b->best < l->best)
		set_best(s, l, b->best);
}

uint32_t
lane_take(struct scheduler *s, uint32_t lane)
{
	uint32_t bucket = s->in_lane.v[lane].v[0].id;

	heap_pop(&s->in_lane.v[lane]);
	s->buckets.v[bucket].state = BUCKET_IDLE;
	settle(s, lane);
	return bucket;
}

void
lane_leave(struct scheduler *s, uint32_t bucket)
{
	s->buckets.v[bucket].state = BUCKET_IDLE;
	settle(s, s->buckets.v[bucket].lane);
}

void
node_is_ready(struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank, id = s->bucket_of[rank];
	struct bucket *b = &s->buckets.v[id];

	if (!bucket_push(s, b, rank))
		return;
	if (b->state == BUCKET_WAITING)
		wait_queue_update(s, id);
	else
		lane_add(s, id);
}

void
start_walk(struct scheduler *s)
{
	s->walked = 0;
	for (size_t i = 0; i < s->passed.n; i++)
		node_is_ready(s, s->passed.v[i]);
	s->passed.n = 0;
}

void
release_users(struct scheduler *s, node_id node)
{
	const struct node *t = &s->plan->nodes[node];

	for (uint32_t k = 0; k < t->users_n; k++) {
		node_id user = t->users[k];

		INVARIANT(s->waits[user] > 0);
		if (--s->waits[user] > 0 || (s->o.finished && s->o.finished[user]))
			continue;
		if (s->plan->nodes[user].rank < s->walked)
			VEC_PUSH(s->a, &s->passed, user);
		else
			node_is_ready(s, user);
	}
}
