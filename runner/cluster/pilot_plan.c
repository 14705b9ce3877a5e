/* See pilot_plan.h. */
#include "runner/cluster/pilot_plan.h"

#include "runner/base/sort.h"

/* Amounts up to 8 are exact; of others the three highest bits are kept, rounded up. */
static uint64_t
round_amount(uint64_t amount)
{
	unsigned shift = 0;

	if (amount <= 8)
		return amount;
	while (amount >> shift >= 8)
		shift++;
	return ((amount + ((uint64_t)1 << shift) - 1) >> shift) << shift;
}

static uint64_t
choose_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct pilot_size
pilot_size_join(struct pilot_size a, struct pilot_size b)
{
	return (struct pilot_size){
		.processors = choose_larger(a.processors, b.processors),
		.memory_mib = choose_larger(a.memory_mib, b.memory_mib),
		.tmp_mib = choose_larger(a.tmp_mib, b.tmp_mib),
		.gpus = choose_larger(a.gpus, b.gpus)};
}

void
pilot_size_ask(const struct pilot_size *s, struct cluster_request *r)
{
	r->processors = s->processors;
	r->memory_bytes = s->memory_mib << 20;
	r->tmp_bytes = s->tmp_mib << 20;
	r->gpus = s->gpus;
}

/* Larger ones first. */
SORT_BY(sort_groups, struct pilot_group,
	DESCENDING(size.gpus) DESCENDING(size.processors) DESCENDING(size.memory_mib)
		DESCENDING(size.tmp_mib))

/* true: tests that ask for a and for b share a group. */
static bool
share_group(const struct pilot_size *a, const struct pilot_size *b)
{
	return a->processors == b->processors && a->gpus == b->gpus &&
	       round_amount(a->memory_mib) == round_amount(b->memory_mib) &&
	       round_amount(a->tmp_mib) == round_amount(b->tmp_mib);
}

size_t
pilot_plan_group(const struct pilot_plan *p, const struct pilot_size *test)
{
	size_t i = 0;

	while (i < p->n && !share_group(&p->v[i].size, test))
		i++;
	return i;
}

typedef VEC(struct pilot_group) group_vec;

/* The group of tests of that size, which is added where it is new. */
static struct pilot_group *
group_of(
	struct arena *a, struct map *known, group_vec *groups, const struct pilot_size *s)
{
	struct str key = str_fmt(a, "%llu %llu %llu %llu",
		(unsigned long long)s->processors, (unsigned long long)s->gpus,
		(unsigned long long)round_amount(s->memory_mib),
		(unsigned long long)round_amount(s->tmp_mib));
	uint32_t i = map_get(known, key);

	if (i == MAP_NONE) {
		i = (uint32_t)groups->n;
		map_set(known, key, i);
		VEC_PUSH(a, groups, (struct pilot_group){.size = *s});
	}
	return &groups->v[i];
}

/* Its share of the processors, as pilots; no more than it has tests. */
static size_t
pilots_of(const struct pilot_group *g, uint64_t parallel, uint64_t all)
{
	uint64_t own = g->tests * g->size.processors;
	double share = (double)parallel * (double)own / (double)all;
	uint64_t n = (uint64_t)(share / (double)g->size.processors + 0.999);

	if (n > g->tests)
		n = g->tests;
	return n ? (size_t)n : 1;
}

struct pilot_plan
pilot_plan_make(
	struct arena *a, const struct pilot_size *tests, size_t n, uint64_t parallel)
{
	struct map known = map_in(a);
	group_vec groups = {0};
	struct pilot_plan p = {.n = 0};
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		struct pilot_group *g = group_of(a, &known, &groups, &tests[i]);

		INVARIANT(tests[i].processors);
		g->tests++;
		g->size = pilot_size_join(g->size, tests[i]);
		all += tests[i].processors;
	}
	sort_groups(groups.v, groups.n);
	for (size_t i = 0; i < groups.n; i++) {
		groups.v[i].pilots = pilots_of(&groups.v[i], parallel, all);
		p.pilots += groups.v[i].pilots;
	}
	p.v = groups.v;
	p.n = groups.n;
	return p;
}

struct cluster_request
pilot_plan_one_job(const struct pilot_size *tests, size_t n, uint64_t parallel)
{
	struct pilot_size most = {.processors = 1};
	struct cluster_request r = {.nodes = 0};

	for (size_t i = 0; i < n; i++)
		most = pilot_size_join(most, tests[i]);
	pilot_size_ask(&most, &r);
	r.nodes = (parallel + r.processors - 1) / r.processors;
	return r;
}
