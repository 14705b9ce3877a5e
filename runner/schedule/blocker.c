/* Why a test waits, from what the scheduler knows; linear in what the test itself needs.
 */
#include <math.h>

#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

static struct blocker
blocked_by_dependency(const struct scheduler *s, node_id node)
{
	const struct selected *t = &s->plan->selection->v[node];
	struct blocker b = {.kind = BLOCKED_BY_DEPENDENCY, .node = MAP_NONE};

	for (size_t i = 0; i < t->depends_n && b.node == MAP_NONE; i++)
		if (s->life[s->plan->nodes[t->depends[i]].rank] != LIFE_ENDED)
			b.node = t->depends[i];
	return b;
}

/* Whether as much is free of the type; it may not be where it is needed. */
static bool
has_room(const struct scheduler *s, const struct class_need *need)
{
	struct room room =
		allocation_room(s->allocation, resource_of_type(s->classes, need->type));

	return need->largest <= room.largest && need->total <= room.total;
}

/* An instance cannot be large enough alone, or all together. */
static const struct class_need *
scarce_need(const struct scheduler *s, const struct request_class *k)
{
	uint32_t resource = k->groups ? allocation_refused(s->allocation, k->pool_request)
				      : RESOURCE_NONE;

	for (size_t i = 0; i < k->needs_n; i++)
		if (!has_room(s, &k->needs[i]))
			return &k->needs[i];
	if (resource == RESOURCE_NONE)
		return NULL;
	/* There is as much, but not where it is needed. */
	for (size_t i = 0; i < k->needs_n; i++)
		if (resource_of_type(s->classes, k->needs[i].type) == resource)
			return &k->needs[i];
	return k->needs_n ? &k->needs[0] : NULL;
}

static struct blocker
blocked_by_resource(const struct scheduler *s, const struct class_need *need)
{
	const struct resource_type *t = &s->o.pool->types[need->type];
	struct blocker b = {.kind = BLOCKED_BY_RESOURCE,
		.node = MAP_NONE,
		.name = t->name,
		.wanted = need->total,
		.type = need->type,
		.instance = MAP_NONE};
	uint64_t most = 0;
	uint32_t best = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t is_free = t->v[i].slots - t->v[i].held;

		b.is_free += is_free;
		if (is_free > most ||
			(is_free == most && t->v[i].slots > t->v[best].slots)) {
			most = is_free;
			best = i;
		}
	}
	if (need->largest > most && t->n) {
		b.wanted = need->largest;
		b.is_free = most;
		b.instance = best;
	}
	return b;
}

static struct blocker
blocked_by_head(const struct scheduler *s, uint32_t rank)
{
	struct blocker b = {.kind = BLOCKED_BY_RANK, .node = MAP_NONE};

	if (!s->heads_n || rank == s->heads[0].rank)
		return b;
	b.kind = BLOCKED_BY_RESERVATION;
	b.node = s->plan->order[s->heads[0].rank];
	if (s->reservations && isfinite(s->reservations->v[0].shadow_s))
		b.until_s = s->reservations->v[0].shadow_s;
	return b;
}

static struct blocker
too_few(enum blocker_kind kind, size_t wanted, size_t is_free)
{
	return (struct blocker){
		.kind = kind, .node = MAP_NONE, .wanted = wanted, .is_free = is_free};
}

static struct blocker
blocked_by_need(const struct scheduler *s, uint32_t rank, const struct request_class *k)
{
	size_t slots = allocation_free_slots(s->allocation, SIZE_MAX),
	       usable = allocation_free_slots(s->allocation, s->usable);
	const struct class_need *need;
	uint32_t lock;

	if (k->is_serial && s->usage->running)
		return too_few(BLOCKED_BY_OTHERS, 0, 0);
	if (k->slots > slots)
		return too_few(BLOCKED_BY_SLOTS, k->slots, slots);
	if (k->slots > usable)
		return too_few(BLOCKED_BY_LOAD, k->slots, usable);
	if (k->needs_processors && k->slots > allocation_free_processors(s->allocation))
		return too_few(BLOCKED_BY_PROCESSORS, k->slots,
			allocation_free_processors(s->allocation));
	if ((lock = allocation_held_lock(s->allocation, k)) != RESOURCE_NONE)
		return (struct blocker){.kind = BLOCKED_BY_LOCK,
			.node = s->plan->order[allocation_lock_holder(
				s->allocation, lock)],
			.name = s->classes->locks.v[lock]};
	need = scarce_need(s, k);
	return need ? blocked_by_resource(s, need) : blocked_by_head(s, rank);
}

struct blocker
scheduler_blocker(const struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank;
	struct blocker b = {.node = MAP_NONE};

	if (s->life[rank] != LIFE_PENDING)
		return b;
	if (s->is_stopped) {
		b.kind = BLOCKED_BY_STOP;
		return b;
	}
	if (s->waits[node])
		return blocked_by_dependency(s, node);
	if (s->usage->serial_runs)
		return (struct blocker){
			.kind = BLOCKED_BY_SERIAL, .node = s->last_started};
	return blocked_by_need(s, rank, ready_queue_class(s->ready, rank));
}

const struct grant *
scheduler_grant(const struct scheduler *s, node_id node)
{
	return allocation_grant(s->allocation, s->plan->nodes[node].rank);
}
