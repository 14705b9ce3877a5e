/*
 * Sources of a pool besides its file, weakest first: the file, a probe of the machine for
 * the types that the file does not have, a number given by hand, a factor for the slots.
 * These functions keep the pool's order by name, node and id.
 */
#ifndef CCTR_RUNNER_RESOURCES_POOL_SOURCES_H
#define CCTR_RUNNER_RESOURCES_POOL_SOURCES_H

#include "runner/resources/pool.h"

/* A larger count is beyond any machine, and would only fill the memory. */
enum { POOL_INSTANCES_MOST = 1 << 20 };
#define POOL_SLOTS_MOST UINT32_MAX

/* A name that RESOURCE_GROUPS can ask for: a small letter or '_', then also digits. */
bool pool_is_type_name(struct str s);
/* Small letters, digits and '_'. */
bool pool_is_id(struct str s);

/* A number of slots, at most `most`. With K, M, G or T after it an amount of memory, of
 * which a slot is a MiB: 2G is 2048, part of a MiB counts as one. */
bool pool_read_slots(struct str s, uint64_t most, uint64_t *slots);
/* Whether the text ends with such a letter. */
bool pool_is_amount(struct str s);

/* The type of that name; added without instances when the pool does not have it. Valid
 * until the next addition. */
struct resource_type *pool_add_type(struct arena *a, struct pool *p, struct str name);
/* Replaces the type's instances by 0 to n-1 with so many slots each. */
void pool_number_instances(
	struct arena *a, struct resource_type *t, size_t n, uint64_t slots);
/* Replaces them by first to first + n - 1, of which requests get several (is_listed). */
void pool_list_instances(
	struct arena *a, struct resource_type *t, uint64_t first, size_t n);
void pool_order_instances(struct resource_type *t);
void pool_order_types(struct pool *p);
/* Adds the types of more that p does not have; both then share their instances. */
void pool_add_missing(struct arena *a, struct pool *p, const struct pool *more);
/* As pool_add_missing, for one type. */
void pool_add_one_missing(
	struct arena *a, struct pool *p, const struct pool *more, struct str name);
/* A pool with the types that the n requests ask for, which waits for its instances. */
struct pool pool_awaited(
	struct arena *a, const struct resource_groups *const *asked, size_t n);
/* Gives the types of awaited the instances of from, which are shared; awaited is then
 * complete. */
void pool_fill(struct pool *awaited, const struct pool *from);
/* Joins the pools of several nodes, one for each, to one pool. */
struct pool pool_join(
	struct arena *a, struct str *nodes, const struct pool *parts, size_t n);
/* What a node of the pool has, as a pool of its own. */
struct pool pool_of_one(struct arena *a, const struct pool *p, uint32_t node);
/* Keeps only the instances of one node, of every type. */
void pool_keep_node(struct pool *p, uint32_t node);
/* Multiplies the slots of every instance. false, with nothing changed, when one would
 * have more than POOL_SLOTS_MOST. */
bool pool_oversubscribe(struct resource_type *t, uint64_t factor);

#endif
