/*
 * A request that the pool refused is not tried again before some of the type that was
 * short has come back.
 */
#include "runner/schedule/allocation.h"

struct lock {
	bool is_held;
	uint32_t holder; /* rank */
};
/* Of requests to the pool that are equal. */
struct refusal {
	bool is_hopeless; /* it did not fit with nothing running either */
	uint32_t resource; /* RESOURCE_NONE: never refused */
	uint64_t returns; /* of the resource, until then */
};
/* Of the tests of a part. */
struct part_usage {
	size_t running, slots;
};
typedef VEC(struct grant *) grant_list;

struct allocation {
	struct arena *a;
	const struct request_classes *classes;
	const struct scheduler_options *o;
	struct usage usage;
	struct part_usage *parts; /* NULL: there are none */
	struct lock *locks;
	size_t *processors; /* by rank: to itself; NULL where they are not known */
	size_t processors_free;
	struct grant **grants; /* by rank; NULL without a pool */
	/* By request_class.pool_request. */
	struct refusal *refusals;
	grant_list *spare; /* grants that came back, to be filled again */
	uint64_t *returns; /* by resource: how often some of it came back */
	const struct leases *leases; /* NULL: no test has asked for one */
};

struct allocation *
allocation_new(struct arena *a, size_t tests, const struct scheduler_options *o)
{
	const struct request_classes *classes = o->classes;
	struct allocation *al = NEW(a, struct allocation);

	INVARIANT(o->parallel > 0);
	*al = (struct allocation){
		.a = a, .classes = classes, .o = o, .processors_free = o->affinity_cpus};
	if (o->parts)
		al->parts = NEW_ARRAY(a, struct part_usage, o->parts->n);
	if (o->affinity_cpus)
		al->processors = NEW_ARRAY(a, size_t, tests);
	if (o->pool)
		al->grants = NEW_ARRAY(a, struct grant *, tests);
	al->locks = NEW_ARRAY(a, struct lock, classes->locks.n);
	al->returns = NEW_ARRAY(a, uint64_t, resources_n(classes));
	al->spare = NEW_ARRAY(a, grant_list, classes->pool_requests_n);
	al->refusals = NEW_ARRAY(a, struct refusal, classes->pool_requests_n);
	for (size_t i = 0; i < classes->pool_requests_n; i++)
		al->refusals[i].resource = RESOURCE_NONE;
	return al;
}

/* ---- resources ------------------------------------------------------------------- */

static struct room
room_of_type(const struct resource_type *t)
{
	struct room room = {0, 0};

	for (size_t i = 0; i < t->n; i++) {
		/* A test that needs what is lacking has to be told so. */
		uint64_t is_free = t->v[i].slots - t->v[i].held + t->v[i].lacks;

		room.total += is_free;
		if (is_free > room.largest)
			room.largest = is_free;
	}
	return room;
}

struct room
allocation_room(const struct allocation *al, uint32_t resource)
{
	bool is_free = true;

	if (resource_is_lock(al->classes, resource))
		is_free = !al->locks[resource].is_held;
	else if (resource == resource_processors(al->classes))
		return (struct room){al->processors_free, al->processors_free};
	else if (resource == resource_idle_machine(al->classes))
		is_free = !al->usage.running;
	else if (resource != resource_all_types(al->classes))
		return room_of_type(&al->o->pool->types[resource - al->classes->locks.n]);
	return is_free ? (struct room){UINT64_MAX, UINT64_MAX} : (struct room){0, 0};
}

uint32_t
allocation_refused(const struct allocation *al, uint32_t pool_request)
{
	const struct refusal *r = &al->refusals[pool_request];

	return r->resource != RESOURCE_NONE && r->returns == al->returns[r->resource]
		       ? r->resource
		       : RESOURCE_NONE;
}

bool
allocation_fits_nowhere(const struct allocation *al, const struct request_class *class)
{
	return class->fits_nowhere || al->refusals[class->pool_request].is_hopeless;
}

bool
allocation_lacks_node(const struct allocation *al, const struct request_class *class)
{
	return al->o->pool && !class->fits_nowhere &&
	       al->refusals[class->pool_request].is_hopeless &&
	       pool_count_nodes(al->o->pool, POOL_NODE_GONE);
}

void
allocation_set_leases(struct allocation *al, const struct leases *l)
{
	al->leases = l;
}

void
allocation_type_changed(struct allocation *al, uint32_t type)
{
	al->returns[resource_of_type(al->classes, type)]++;
	al->returns[resource_all_types(al->classes)]++;
}

void
allocation_nodes_changed(struct allocation *al)
{
	for (uint32_t i = 0; i <= al->classes->types_n; i++)
		al->returns[resource_of_type(al->classes, i)]++;
}

/* ---- locks ----------------------------------------------------------------------- */

uint32_t
allocation_held_lock(const struct allocation *al, const struct request_class *class)
{
	for (size_t i = 0; i < class->locks_n; i++)
		if (al->locks[class->locks[i]].is_held)
			return class->locks[i];
	return RESOURCE_NONE;
}

uint32_t
allocation_lock_holder(const struct allocation *al, uint32_t resource)
{
	return resource_is_lock(al->classes, resource) && al->locks[resource].is_held
		       ? al->locks[resource].holder
		       : RANK_NONE;
}

static void
take_locks(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	for (size_t i = 0; i < class->locks_n; i++) {
		INVARIANT(!al->locks[class->locks[i]].is_held);
		al->locks[class->locks[i]] = (struct lock){true, rank};
	}
}

static void
free_locks(struct allocation *al, const struct request_class *class)
{
	for (size_t i = 0; i < class->locks_n; i++) {
		INVARIANT(al->locks[class->locks[i]].is_held);
		al->locks[class->locks[i]].is_held = false;
	}
}

/* ---- grants ---------------------------------------------------------------------- */

static uint32_t
wait_for(struct allocation *al, struct refusal *r, uint32_t resource)
{
	r->resource = resource;
	r->returns = al->returns[resource];
	return resource;
}

/* The resource to wait for; RESOURCE_NONE: none, the pool counts as too small. Nothing
 * comes back of a type of which nothing is held: then the test waits for the idle
 * machine, on which a longer search is made. If nothing runs, only a node that comes can
 * help, or what other runs give back. */
static uint32_t
note_refusal(struct allocation *al, const struct request_class *class, uint32_t type)
{
	struct refusal *r = &al->refusals[class->pool_request];
	const struct pool *p = al->o->pool;

	if (!al->usage.running && (p->shared_n || pool_count_nodes(p, POOL_NODE_AWAY)))
		return wait_for(al, r, resource_all_types(al->classes));
	if (!al->usage.running) {
		r->is_hopeless = true;
		return RESOURCE_NONE;
	}
	INVARIANT(type != MAP_NONE);
	if (type < p->n && p->types[type].holders == 0 && !p->shared_n)
		return resource_idle_machine(al->classes);
	return wait_for(al, r, resource_of_type(al->classes, type));
}

uint32_t
allocation_kept_type(const struct allocation *al, const struct request_class *class)
{
	for (size_t i = 0; al->leases && i < class->needs_n; i++)
		if (leases_keeper(al->leases, class->needs[i].type) != MAP_NONE)
			return class->needs[i].type;
	return MAP_NONE;
}

node_id
allocation_keeper(const struct allocation *al, uint32_t type)
{
	return leases_keeper(al->leases, type);
}

/* As allocation_take. */
static uint32_t
take_grant(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	uint32_t refused = allocation_refused(al, class->pool_request), type = MAP_NONE;
	grant_list *spare = &al->spare[class->pool_request];
	struct grant *g;
	bool is_alone;

	if (refused != RESOURCE_NONE && al->usage.running)
		return refused;
	type = allocation_kept_type(al, class);
	if (type != MAP_NONE)
		return wait_for(al, &al->refusals[class->pool_request],
			resource_of_type(al->classes, type));
	if (!spare->n)
		VEC_PUSH(al->a, spare, NEW(al->a, struct grant));
	g = spare->v[spare->n - 1];
	/* Without running tests only leases of fixtures are held. */
	is_alone = !al->usage.running && !al->o->pool->shared_n &&
		   (!al->leases || pool_is_idle(al->o->pool));
	if (is_alone ? !pool_take_alone(al->o->pool, al->a, class->groups, g)
		     : !pool_take(al->o->pool, al->a, class->groups, g, &type))
		return note_refusal(al, class, type);
	spare->n--;
	al->grants[rank] = g;
	return RESOURCE_NONE;
}

static void
give_grant_back(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	struct grant *g = allocation_grant(al, rank);

	if (!g)
		return;
	pool_return(al->o->pool, g);
	VEC_PUSH(al->a, &al->spare[class->pool_request], g);
	al->grants[rank] = NULL;
}

struct grant *
allocation_grant(const struct allocation *al, uint32_t rank)
{
	return al->grants ? al->grants[rank] : NULL;
}

/* ---- taking and giving back ------------------------------------------------------ */

uint32_t
allocation_take(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	uint32_t resource = allocation_held_lock(al, class);

	if (class->needs_processors && class->slots > al->processors_free)
		return resource_processors(al->classes);
	if (resource != RESOURCE_NONE)
		return resource;
	if (class->groups && !al->refusals[class->pool_request].is_hopeless)
		resource = take_grant(al, class, rank);
	if (resource == RESOURCE_NONE)
		take_locks(al, class, rank);
	return resource;
}

void
allocation_cancel(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	free_locks(al, class);
	give_grant_back(al, class, rank);
}

static size_t
take_processors(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	bool wants = class->needs_processors || al->o->pins_all;
	size_t n = wants && class->slots <= al->processors_free ? class->slots : 0;

	if (!al->processors)
		return 0;
	INVARIANT(n || !class->needs_processors);
	al->processors[rank] = n;
	al->processors_free -= n;
	return n;
}

static void
charge_usage(struct allocation *al, const struct request_class *class)
{
	INVARIANT(!class->is_serial || !al->usage.running);
	INVARIANT(al->usage.slots + class->slots <= al->o->parallel);
	al->usage.slots += class->slots;
	al->usage.running++;
	al->usage.serial_runs = class->is_serial;
	if (al->parts) {
		al->parts[class->part].slots += class->slots;
		al->parts[class->part].running++;
		INVARIANT(al->parts[class->part].slots <=
			  al->o->parts->v[class->part].parallel);
	}
}

size_t
allocation_start(struct allocation *al, const struct request_class *class, uint32_t rank)
{
	charge_usage(al, class);
	return take_processors(al, class, rank);
}

void
allocation_follow(struct allocation *al, const struct allocation *old,
	const struct request_class *class, uint32_t rank)
{
	charge_usage(al, class);
	take_locks(al, class, rank);
	if (al->grants)
		al->grants[rank] = old->grants[rank];
	if (!al->processors)
		return;
	al->processors[rank] = old->processors[rank];
	al->processors_free -= old->processors[rank];
}

void
allocation_end(struct allocation *al, const struct request_class *class, uint32_t rank,
	bool was_refused)
{
	INVARIANT(al->usage.running > 0 && al->usage.slots >= class->slots);
	al->usage.running--;
	al->usage.slots -= class->slots;
	al->usage.serial_runs = false;
	if (al->parts) {
		INVARIANT(al->parts[class->part].running > 0);
		al->parts[class->part].slots -= class->slots;
		al->parts[class->part].running--;
	}
	if (al->processors)
		al->processors_free += al->processors[rank];
	allocation_cancel(al, class, rank);
	if (was_refused || !class->groups)
		return;
	for (size_t i = 0; i < class->needs_n; i++)
		al->returns[resource_of_type(al->classes, class->needs[i].type)]++;
	al->returns[resource_all_types(al->classes)]++;
}

/* ---- what is held and what is free ----------------------------------------------- */

const struct usage *
allocation_usage(const struct allocation *al)
{
	return &al->usage;
}

size_t
allocation_part_room(const struct allocation *al, uint32_t part)
{
	const struct scheduler_part *p = &al->o->parts->v[part];

	return p->is_closed ? 0 : p->parallel - al->parts[part].slots;
}

size_t
allocation_part_running(const struct allocation *al, uint32_t part)
{
	return al->parts[part].running;
}

size_t
allocation_free_slots(const struct allocation *al, size_t usable)
{
	size_t limit = usable < al->o->parallel ? usable : al->o->parallel;

	return limit > al->usage.slots ? limit - al->usage.slots : 0;
}

size_t
allocation_free_processors(const struct allocation *al)
{
	return al->processors_free;
}
