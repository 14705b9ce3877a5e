/* See blocker.h. The first thing that a test lacks, in the order in which they are tried.
 */
#include "runner/schedule/blocker.h"

/* Whether as much is free of the type; it may not be where it is needed. */
static bool
has_room(const struct allocation *al, uint32_t resource, const struct class_need *need)
{
	struct room room = allocation_room(al, resource);

	return need->largest <= room.largest && need->total <= room.total;
}

/* An instance cannot be large enough alone, or all together. */
static const struct class_need *
scarce_need(const struct scheduler_options *o, const struct allocation *al,
	const struct request_class *class)
{
	uint32_t refused = class->groups ? allocation_refused(al, class->pool_request)
					 : RESOURCE_NONE;

	for (size_t i = 0; i < class->needs_n; i++) {
		const struct class_need *need = &class->needs[i];

		if (!has_room(al, resource_of_type(o->classes, need->type), need))
			return need;
	}
	if (refused == RESOURCE_NONE)
		return NULL;
	/* There is as much, but not where it is needed. */
	for (size_t i = 0; i < class->needs_n; i++)
		if (resource_of_type(o->classes, class->needs[i].type) == refused)
			return &class->needs[i];
	return class->needs_n ? &class->needs[0] : NULL;
}

static struct blocker
blocked_by_resource(const struct pool *pool, const struct class_need *need)
{
	const struct resource_type *t = &pool->types[need->type];
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
too_few(enum blocker_kind kind, size_t wanted, size_t is_free)
{
	return (struct blocker){
		.kind = kind, .node = MAP_NONE, .wanted = wanted, .is_free = is_free};
}

/* That a test of the class could have. */
static size_t
free_slots(const struct scheduler_options *o, const struct allocation *al,
	const struct request_class *class, size_t usable)
{
	size_t slots = allocation_free_slots(al, usable), room;

	if (!o->parts)
		return slots;
	room = allocation_part_room(al, class->part);
	return room < slots ? room : slots;
}

struct blocker
blocked_by_need(const struct plan *p, const struct scheduler_options *o,
	const struct allocation *al, const struct request_class *class, size_t usable)
{
	size_t slots = free_slots(o, al, class, SIZE_MAX), processors;
	uint32_t lock = allocation_held_lock(al, class);
	const struct class_need *need;
	uint32_t kept;

	if (class->is_serial && allocation_usage(al)->running)
		return too_few(BLOCKED_BY_OTHERS, 0, 0);
	if (o->parts && o->parts->v[class->part].is_closed)
		return (struct blocker){.kind = BLOCKED_BY_PARTITION,
			.node = MAP_NONE,
			.name = o->parts->v[class->part].name};
	if (class->slots > slots)
		return too_few(BLOCKED_BY_SLOTS, class->slots, slots);
	slots = free_slots(o, al, class, usable);
	if (class->slots > slots)
		return too_few(BLOCKED_BY_LOAD, class->slots, slots);
	processors = allocation_free_processors(al);
	if (class->needs_processors && class->slots > processors)
		return too_few(BLOCKED_BY_PROCESSORS, class->slots, processors);
	if (lock != RESOURCE_NONE)
		return (struct blocker){.kind = BLOCKED_BY_LOCK,
			.node = p->order[allocation_lock_holder(al, lock)],
			.name = o->classes->locks.v[lock]};
	kept = allocation_kept_type(al, class);
	if (kept != MAP_NONE)
		return (struct blocker){.kind = BLOCKED_BY_LEASE,
			.node = allocation_keeper(al, kept),
			.name = o->pool->types[kept].name};
	need = scarce_need(o, al, class);
	return need ? blocked_by_resource(o->pool, need)
		    : (struct blocker){.kind = BLOCKED_NOT, .node = MAP_NONE};
}
