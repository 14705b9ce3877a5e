/*
 * The resource pool and what running tests hold of it: types -> instances (id, slots),
 * each on one of the pool's nodes. ctest(1), "Resource Allocation". The scheduler handles
 * RUN_SERIAL, RESOURCE_LOCK, and PROCESSORS as far as -j limits them.
 *
 * A test runs on one node and gets everything there. Of the nodes that have enough now,
 * it gets the one where most is left of the types that it asks for.
 *
 * A test that asks for several nodes gets the first ones that are idle, as a whole, of
 * those that no other partition has some of. Its
 * groups are placed on the first; a further group of the grant has all the rest.
 *
 * A pool that is divided into partitions has each type once for each partition, with
 * those slots that are the partition's. So a request of one partition has nothing to do
 * with those of another. See partition_split.h.
 */
#ifndef CCTR_RUNNER_RESOURCES_POOL_H
#define CCTR_RUNNER_RESOURCES_POOL_H

#include "runner/model/model.h"
#include "runner/resources/free_nodes.h"
#include "runner/resources/packer.h"

/* What is known of an instance besides its slots, such as the vendor of a GPU. */
struct resource_property {
	struct str name, value;
};
struct resource_instance {
	struct str id;
	uint64_t slots; /* capacity */
	uint64_t held; /* held by running tests, or by other runs; at most slots */
	/* Of held: by other runs on this machine; of a divided pool also by other
	 * partitions, as far as nothing would be left of the instance beside other runs.
	 */
	uint64_t others;
	uint64_t lacks; /* further slots, which its node does not have: node_limits.h */
	uint64_t excess; /* of held: it will lack them when they come back */
	const struct resource_property *properties;
	size_t properties_n;
	uint32_t node;
	/* Of a divided pool: its place among those of the type and the node in the whole
	 * pool. */
	uint32_t number;
	/* ... its slots there, and how many of them other runs hold. */
	uint64_t whole, elsewhere;
};
struct resource_type {
	struct str name;
	struct resource_instance *v; /* ordered by node, then by id, bytewise */
	size_t n;
	uint64_t released; /* counts the calls of pool_return for this type */
	uint64_t holders; /* how many requirements hold some of it */
	/* A request for several slots gets one of each of as many instances: ports. */
	bool is_listed;
	bool is_absent; /* tests ask for the type, but the pool does not have it */
	/* The free slots of its instances by node, since the first pool_take of a pool
	 * with several nodes; NULL: not counted yet. */
	struct free_nodes *free_nodes;
};
/* Whether tests may start on a node. */
enum pool_presence {
	POOL_NODE_HERE,
	POOL_NODE_AWAY, /* it may come */
	POOL_NODE_GONE /* it will not come */
};
struct pool {
	/* Ordered by name, bytewise; of a divided pool: by partition, then by name. */
	struct resource_type *types;
	size_t n;
	size_t partitions_n; /* all have types of the same names; 0: not divided */
	struct str *nodes; /* the ids of the nodes; NULL: one node without an id */
	size_t nodes_n; /* 0 means the same as 1 */
	const struct str *engines; /* by node, their names; NULL: all have the same */
	enum pool_presence *presence; /* by node; NULL: all are here */
	struct node_limits *limits; /* by node; NULL: none are known */
	enum pack_order placement;
	bool prefers_first; /* the first node is better than all others */
	/* A test will make the pool, or has made it: until then its types are those that
	 * tests ask for, all without instances. */
	bool is_awaited, is_made;
	/* The type cpus is the processors of the machine, of which every test takes as
	 * many as PROCESSORS says (pool_request.h). */
	bool counts_processors;
	size_t shared_n; /* instances of which other runs hold some */
};

/* The place of one requirement: indices into pool.types and into that type's
 * instances. */
struct grant_unit {
	uint32_t type, instance;
	uint64_t slots;
};
/* groups[g].v[k] belongs to requirement k of resource group g of the test. Where the test
 * has whole nodes, one more group has the rest of them, the first node first. */
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
	POOL_FIT_UNKNOWN, /* a long search has not found a place */
};

/* Whether the empty pool has room for the groups. */
enum pool_fit pool_fit(
	const struct pool *p, struct arena *scratch, const struct resource_groups *g);
/* false: it is known that even the empty pool cannot satisfy the groups. */
bool pool_could_fit(
	const struct pool *p, struct arena *scratch, const struct resource_groups *g);
/*
 * All or nothing. A zeroed grant gets its arrays in the arena, even when nothing is
 * taken; a grant of an earlier call for the same groups is overwritten in place.
 * *blocking becomes the index of a type that did not fit: some of it must be returned
 * before another try can succeed (MAP_NONE: the pool does not have the type; pool->n:
 * with several nodes it may be any type).
 */
bool pool_take(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant, uint32_t *blocking);
/* Counts free slots by node, as pool_take does at first, in an arena that stays. */
void pool_count_free(struct arena *a, struct pool *p);
/* Nothing is held. */
bool pool_is_idle(const struct pool *p);
/* As pool_take, when nothing is held: it may search for seconds, and what it does not
 * find will not be found later either. */
bool pool_take_alone(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant);
/* Takes the slots of that instance. false: it has fewer that are free. */
bool pool_take_unit(struct pool *p, const struct grant_unit *u);
void pool_return(struct pool *p, const struct grant *grant);
/* Before an arena that these calls were given ends: the pool has nothing more of it, but
 * for grants. */
void pool_leave_arena(struct pool *p);
/* Some of the slots of a unit come back, at most all; pool_return for the rest follows,
 * also where it is 0. */
void pool_return_slots(struct pool *p, struct grant_unit *u, uint64_t slots);
/* Until the next call tests are placed on the node only if it is here. What is held on it
 * stays held until it is returned. */
void pool_set_presence(
	struct arena *a, struct pool *p, uint32_t node, enum pool_presence presence);
/* The instance has at most so many of the slots that it once had, as far as they are not
 * held. */
void pool_cut_instance(struct pool *p, uint32_t type, size_t instance, uint64_t most);
/* The instances of the type on the node get these names, as far as there are some. The
 * list is sorted. */
void pool_name_instances(
	struct pool *p, uint32_t node, struct str type, struct str_list ids);
/* So much of the instance is held by other runs, as far as it is not held here. Of a
 * divided pool: of the instance in the whole pool. Its parts are set one after the other,
 * and what tests take of one is then not left for the others; what they give back counts
 * there when it is set again. */
void pool_set_others(struct pool *p, uint32_t type, uint32_t instance, uint64_t slots);
/* Whether there is a place now, of a copy or of a pool with one node. */
bool pool_has_place(
	struct pool *p, struct arena *scratch, const struct resource_groups *g);
/* Whether there would be a place now if other runs held nothing. */
bool pool_would_fit(
	struct pool *p, struct arena *scratch, const struct resource_groups *g);
/* How many nodes have that presence. */
size_t pool_count_nodes(const struct pool *p, enum pool_presence presence);
/* The node of the grant; MAP_NONE: the grant has nothing, or the pool has no ids of
 * nodes. */
uint32_t pool_node_of(const struct pool *p, const struct grant *grant);
/* The ids of the instances of the type that the grant has on that node. */
struct str_list pool_ids_held(struct arena *a, const struct pool *p,
	const struct grant *grant, struct str type);
/* The nodes of the grant, the first one first; none where pool_node_of knows none. */
struct pool_nodes {
	uint32_t *v;
	size_t n;
};
struct pool_nodes pool_nodes_of(
	struct arena *a, const struct pool *p, const struct grant *grant);
/* The index of the type in types, of a divided pool in those of the first partition;
 * MAP_NONE when the pool does not have it. */
uint32_t pool_type(const struct pool *p, struct str name);
/* How many types a partition has. */
size_t pool_types_n(const struct pool *p);
uint32_t pool_type_in(const struct pool *p, uint32_t partition, struct str name);
/* The place of an instance among those of its type; of a divided pool with one node: in
 * the whole pool. */
static inline uint32_t
pool_number_of(const struct pool *p, uint32_t type, uint32_t instance)
{
	return p->partitions_n ? p->types[type].v[instance].number : instance;
}

static inline uint32_t
pool_partition_of_type(const struct pool *p, uint32_t type)
{
	return p->partitions_n ? type / (uint32_t)(p->n / p->partitions_n) : 0;
}

/* The partition of the grant; 0 where it has nothing. */
uint32_t pool_partition_of(const struct pool *p, const struct grant *grant);
/* The first instance of the type on that node or a later one. */
size_t pool_first_on(const struct resource_type *t, uint32_t node);
/* The index of the type's instance of that id on the node; MAP_NONE: there is none. */
uint32_t pool_instance(const struct pool *p, uint32_t type, uint32_t node, struct str id);

#endif
