/* See node_limits.h. */
#include "runner/resources/node_limits.h"

#include "runner/resources/pool_request.h"

/* Of memory an instance has an amount, of other types each instance is one. */
static const struct kind {
	const char *type;
	size_t at; /* in struct node_limits */
	bool is_amount;
} kinds[] = {
	{POOL_PROCESSORS, offsetof(struct node_limits, processors), false},
	{POOL_GPUS, offsetof(struct node_limits, gpus), false},
	{POOL_MEMORY, offsetof(struct node_limits, memory_mib), true},
};
enum { KINDS_N = sizeof kinds / sizeof *kinds };

static uint64_t
limit_of(const struct node_limits *l, const struct kind *k)
{
	uint64_t limit = *(const uint64_t *)(const void *)((const char *)l + k->at);

	return limit ? limit : UINT64_MAX;
}

/* In all partitions. */
static void
obey_limit(struct pool *p, uint32_t node, const struct kind *k)
{
	uint64_t most = limit_of(&p->limits[node], k);
	uint32_t type = pool_type(p, str_of(k->type));

	for (; type < p->n; type += (uint32_t)pool_types_n(p)) {
		const struct resource_type *t = &p->types[type];
		size_t first = pool_first_on(t, node);

		for (size_t i = first; i < t->n && t->v[i].node == node; i++) {
			uint64_t number = p->partitions_n ? t->v[i].number : i - first;
			uint64_t all = number < most ? UINT64_MAX : 0;

			pool_cut_instance(p, type, i, k->is_amount ? most : all);
			if (k->is_amount)
				most -= most < t->v[i].slots ? most : t->v[i].slots;
		}
	}
}

static void
obey_limits(struct pool *p, uint32_t node)
{
	for (size_t i = 0; i < KINDS_N; i++)
		obey_limit(p, node, &kinds[i]);
}

/* The slots of the type on the node; *told: as many as the pool was told. */
static uint64_t
count_slots(const struct pool *p, uint32_t node, const struct kind *k, uint64_t *told)
{
	uint32_t type = pool_type(p, str_of(k->type));
	uint64_t n = 0;

	*told = 0;
	for (; type < p->n; type += (uint32_t)pool_types_n(p)) {
		const struct resource_type *t = &p->types[type];

		for (size_t i = pool_first_on(t, node); i < t->n && t->v[i].node == node;
			i++) {
			n += t->v[i].slots;
			*told += t->v[i].slots + t->v[i].lacks;
		}
	}
	return n;
}

static bool
is_less(const struct pool *p, uint32_t node)
{
	uint64_t told;

	for (size_t i = 0; i < KINDS_N; i++)
		if (count_slots(p, node, &kinds[i], &told) < told)
			return true;
	return false;
}

bool
node_limits_set(
	struct arena *a, struct pool *p, uint32_t node, const struct node_limits *l)
{
	bool is_new;

	INVARIANT(node < p->nodes_n);
	if (!p->limits)
		p->limits = NEW_ARRAY(a, struct node_limits, p->nodes_n);
	is_new = memcmp(&p->limits[node], l, sizeof *l) != 0;
	p->limits[node] = *l;
	obey_limits(p, node);
	return is_new && is_less(p, node);
}

void
node_limits_obey(struct pool *p)
{
	for (uint32_t node = 0; p->limits && node < p->nodes_n; node++)
		obey_limits(p, node);
}

struct str
node_limits_text(struct arena *a, const struct pool *p, uint32_t node)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < KINDS_N; i++) {
		uint64_t told, n = count_slots(p, node, &kinds[i], &told);

		if (n < told)
			buf_fmt(&b, "%s%llu of %llu slots of '%s'", b.n ? ", " : "",
				(unsigned long long)n, (unsigned long long)told,
				kinds[i].type);
	}
	return buf_as_str(&b);
}
