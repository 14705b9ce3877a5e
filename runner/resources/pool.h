/*
 * The resource pool and what running tests hold of it: types -> instances (id, slots),
 * each on one of the pool's nodes. ctest(1), "Resource Allocation". PROCESSORS,
 * RUN_SERIAL and RESOURCE_LOCK are the scheduler's; this is RESOURCE_GROUPS.
 *
 * A test runs on one node and gets all that it asks for there: of the nodes that have it
 * now, the one where most is left of what it asks for.
 */
#ifndef CCTR_RUNNER_RESOURCES_POOL_H
#define CCTR_RUNNER_RESOURCES_POOL_H

#include "runner/model/model.h"
#include "runner/resources/packer.h"

/* What is known of an instance beside its slots, such as the vendor of a GPU. */
struct resource_property {
	struct str name, value;
};
struct resource_instance {
	struct str id;
	uint64_t slots; /* capacity */
	uint64_t held; /* by running tests; at most slots */
	const struct resource_property *properties;
	size_t properties_n;
	uint32_t node;
};
struct resource_type {
	struct str name;
	struct resource_instance *v; /* ordered by node, then by id, bytewise */
	size_t n;
	uint64_t released; /* counts pool_return of this type: "something came back" */
	uint64_t holders; /* requirements that hold some of it */
	bool is_absent; /* it is asked for, and no such type is there */
};
struct pool {
	struct resource_type *types; /* ordered by name, bytewise */
	size_t n;
	struct str *nodes; /* their ids; NULL: one node without */
	size_t nodes_n; /* 0 is the same as 1 */
	enum pack_order placement;
	/* A test is to make it: until then its types are those that are asked for, all
	 * without instances. */
	bool is_awaited;
};

/* One requirement's place: indices into pool.types and into that type's instances. */
struct grant_unit {
	uint32_t type, instance;
	uint64_t slots;
};
/* groups[g].v[k] belongs to requirement k of resource group g of the test. */
struct grant_group {
	struct grant_unit *v;
	size_t n;
};
struct grant {
	struct grant_group *v;
	size_t n;
};

enum pool_fit {
	POOL_FITS,
	POOL_FITS_NOWHERE,
	POOL_FIT_UNKNOWN, /* not found in a long search */
};

/* What the whole, empty pool has for the groups. */
enum pool_fit pool_fit(
	const struct pool *p, struct arena *scratch, const struct resource_groups *g);
/* Is it not known that even the empty pool cannot satisfy the groups? */
bool pool_could_fit(
	const struct pool *p, struct arena *scratch, const struct resource_groups *g);
/*
 * All or nothing. A zeroed grant gets its arrays in the arena, also when nothing is
 * taken; a grant of an earlier call for the same groups is written again in place.
 * *blocking gets the index of a type that did not fit: some of it must come back before
 * another try can succeed (MAP_NONE: the pool does not have the type; pool->n: with
 * several nodes it may be any).
 */
bool pool_take(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant, uint32_t *blocking);
/* The same when nothing is held: it may search for seconds, and what it does not find is
 * not found later either. */
bool pool_take_alone(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant);
void pool_return(struct pool *p, const struct grant *grant);
/* Index into types, MAP_NONE when the pool does not have it. */
uint32_t pool_type(const struct pool *p, struct str name);

#endif
