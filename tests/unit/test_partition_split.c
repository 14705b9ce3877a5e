/* partition_split: pool and sizes -> slices. */
#include "runner/resources/partition_split.h"
#include "runner/resources/pool_sources.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

enum { MOST = 8, PLANS = 20000, TYPES = 2, INSTANCES = 4, NODES = 5 };

/* Nodes are separated by '|'. */
static struct pool
pool_of_nodes(struct arena *a, const char *text)
{
	struct str rest = str_of(text);
	struct pool parts[MOST];
	struct str *names = NEW_ARRAY(a, struct str, MOST);
	size_t n = 0;

	if (str_find(rest, '|') == rest.n)
		return pool_of(a, text);
	while (rest.n) {
		names[n] = str_fmt(a, "n%zu", n);
		parts[n] = pool_of(a, str_z(a, text_piece(&rest, '|')));
		n++;
	}
	return pool_join(a, names, parts, n);
}

/* "a gpus=1; b fill; c@near nodes=1": c is of the engine near */
static size_t
wishes_of(struct arena *a, const char *text, struct partition_wish *v)
{
	struct str rest = str_of(text);
	size_t n = 0;

	while (rest.n) {
		struct str one = text_piece(&rest, ';');
		const char *why = "";

		struct str name = text_piece(&one, ' ');

		v[n].name = text_piece(&name, '@');
		v[n].engine = name;
		if (!partition_sizes_read(a, one, &v[n].sizes, &why))
			fail_msg("%s", why);
		n++;
	}
	return n;
}

static uint64_t
slots_in(const struct pool *p, const struct partition_slice *s, uint32_t type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->types[type].n; i++)
		sum += s->slots[type][i];
	return sum;
}

static uint64_t
all_slots(const struct resource_type *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->v[i].slots;
	return sum;
}

/* "gpus 0=1 n1/0=2" */
static void
add_slice(struct buf *b, const struct pool *p, const struct partition_slice *s)
{
	for (uint32_t t = 0; t < p->n; t++) {
		if (!slots_in(p, s, t))
			continue;
		buf_fmt(b, " %.*s", STR_ARG(p->types[t].name));
		for (size_t i = 0; i < p->types[t].n; i++) {
			const struct resource_instance *in = &p->types[t].v[i];

			if (!s->slots[t][i])
				continue;
			buf_char(b, ' ');
			if (p->nodes)
				buf_fmt(b, "%.*s/", STR_ARG(p->nodes[in->node]));
			buf_fmt(b, "%.*s=%llu", STR_ARG(in->id),
				(unsigned long long)s->slots[t][i]);
		}
	}
}

static const char *
split_text(struct arena *a, const char *pool, const char *have, const char *wishes)
{
	static const struct str engines[MOST] = {{"near", 4}, {"far", 3}, {"far", 3}};
	struct pool p = pool_of_nodes(a, pool);
	struct partition_wish old[MOST], v[MOST];
	struct partition_slice slices[MOST];
	struct partition_share shares[MOST];
	size_t have_n = wishes_of(a, have, old), n = wishes_of(a, wishes, v);
	struct diag d = diag_in(a);
	struct buf b = {.arena = a};

	p.engines = p.nodes_n ? engines : NULL;
	assert_true(partition_split(a, &p, NULL, 0, old, have_n, slices, NO_PLACE, &d));
	for (size_t i = 0; i < have_n; i++)
		shares[i] = (struct partition_share){old[i].name, slices[i]};
	if (!partition_split(a, &p, shares, have_n, v, n, slices, NO_PLACE, &d))
		return str_z(a, d.entries.v[0].text);
	buf_z(&b, "");
	for (size_t i = 0; i < n; i++) {
		buf_fmt(&b, "%s%.*s", i ? "; " : "", STR_ARG(v[i].name));
		add_slice(&b, &p, &slices[i]);
	}
	return b.p;
}

#define G4 "gpus 0=1 1=1 2=1 3=1"
#define S3 "cpus 0=4 1=4; gpus 0=2 1=2 | cpus 0=4; gpus 0=4 | cpus 0=8"

static const struct {
	const char *pool, *have, *wishes, *expected;
} rows[] = {
	{G4, "", "a gpus=2; b gpus=2", "a gpus 0=1 1=1; b gpus 2=1 3=1"},
	{G4, "", "a gpus=3; b gpus=2", "gpus: 3 (a) + 2 (b) = 5, but the pool has 4"},
	{G4, "", "a gpus=5", "gpus: 5 (a), but the pool has 4"},
	{G4, "x gpus=3", "a gpus=2", "gpus: 3 (x) + 2 (a) = 5, but the pool has 4"},
	{G4, "x gpus=3", "a fill", "a gpus 3=1"},
	{G4, "", "a fill; b gpus=1", "a gpus 1=1 2=1 3=1; b gpus 0=1"},
	{G4, "", "a fill; b gpus=fill", "gpus: both a and b want what is left"},
	{G4, "", "a all; b gpus=0", "a gpus 0=1 1=1 2=1 3=1; b"},
	{G4, "x gpus=1", "a all", "gpus: 1 (x) + 4 (a) = 5, but the pool has 4"},
	/* rounded down; what is over can be had by fill */
	{"gpus 0=5", "", "a 50%; b 50%; c fill", "a gpus 0=2; b gpus 0=2; c gpus 0=1"},
	{"gpus 0=5", "", "a 60%; b 60%", "gpus: 3 (a) + 3 (b) = 6, but the pool has 5"},
	{G4, "", "a 75%; b 50%", "gpus: 3 (a) + 2 (b) = 5, but the pool has 4"},
	{G4, "", "a tpus=1", "partition a: the pool has no type tpus"},
	/* on as few instances as possible */
	{"gpus 0=4 1=4", "", "a gpus=3; b gpus=3", "a gpus 0=3; b gpus 1=3"},
	{"gpus 0=4 1=4", "", "a gpus=3; b gpus=1; c gpus=4",
		"a gpus 0=3; b gpus 0=1; c gpus 1=4"},
	{"gpus 0=4 1=4", "", "a gpus=6", "a gpus 0=4 1=2"},
	{"gpus 0=1 1=4 2=2", "", "a gpus=5", "a gpus 0=1 1=4"},
	/* nodes: of each the sizes */
	{S3, "", "a nodes=1", "a cpus n1/0=4 gpus n1/0=4"},
	{S3, "", "a nodes=2,gpus=2", "a gpus n0/0=2 n1/0=2"},
	{S3, "", "a gpus=3", "a gpus n0/0=2 n0/1=1"},
	{S3, "", "a gpus=4,cpus=8", "a cpus n0/0=4 n0/1=4 gpus n0/0=2 n0/1=2"},
	{S3, "", "a gpus=5",
		"partition a: it wants its sizes on 1 node, but only 0 of 3 have so much "
		"left"},
	{S3, "", "a 50%", "a cpus n0/0=4 n1/0=2 n2/0=4 gpus n0/0=2 n1/0=2"},
	{S3, "", "a nodes=1; b nodes=fill",
		"a cpus n1/0=4 gpus n1/0=4; b cpus n0/0=4 n0/1=4 n2/0=8 gpus n0/0=2 "
		"n0/1=2"},
	{S3, "", "a nodes=2; b nodes=2", "nodes: 2 (a) + 2 (b) = 4, but the pool has 3"},
	{S3, "x gpus=1", "a nodes=3", "nodes: 1 (x) + 3 (a) = 4, but the pool has 3"},
	{S3, "", "a nodes=50%,cpus=25%; b cpus=fill",
		"a cpus n1/0=1; b cpus n0/0=4 n0/1=4 n1/0=3 n2/0=8"},
	/* the first node is near, the others are far */
	{S3, "", "a@far nodes=all; b@near nodes=all",
		"a cpus n1/0=4 n2/0=8 gpus n1/0=4; b cpus n0/0=4 n0/1=4 gpus n0/0=2 "
		"n0/1=2"},
	{S3, "", "a nodes=1; b@far nodes=1,gpus=1; c@near cpus=50%",
		"a cpus n2/0=8; b gpus n1/0=1; c cpus n0/0=4"},
	{S3, "", "a nodes=1; b@far nodes=2; c@near cpus=1",
		"partition a: it wants its sizes on 1 node, but only 0 of 3 have so much "
		"left"},
	{S3, "", "a@far fill; b@near fill",
		"a cpus n1/0=4 n2/0=8 gpus n1/0=4; b cpus n0/0=4 n0/1=4 gpus n0/0=2 "
		"n0/1=2"},
	{S3, "", "a@far nodes=fill; b nodes=fill",
		"nodes: both a and b want what is left"},
	{S3, "x@far nodes=1", "a@far nodes=1; b@far nodes=1",
		"nodes of far: 1 (x) + 1 (a) + 1 (b) = 3, but the pool has 2"},
	{S3, "", "a@near gpus=2,cpus=9",
		"partition a: it wants its sizes on 1 node of near, but only 0 of 1 have "
		"so much left"},
	{G4, "", "a@near gpus=2", "a gpus 0=1 1=1"},
};

static void
slices_are_as_written(void **state)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		const char *found =
			split_text(*state, rows[i].pool, rows[i].have, rows[i].wishes);

		print_message("# %s: %s\n", rows[i].pool, rows[i].wishes);
		assert_string_equal(found, rows[i].expected);
	}
}

/* Two partitions of 30 nodes, each with one more for its agent, leave a pool of 62 nodes.
 * Three of 20, each with one more, need 63. RADICAL-Pilot's RFC on partitions. */
static void
three_partitions_need_63_of_62_nodes(void **state)
{
	struct arena *a = *state;
	struct str names[62];
	struct pool parts[62], p;
	struct partition_wish v[MOST];
	struct partition_slice slices[MOST];
	struct diag d = diag_in(a);
	size_t n;

	for (size_t i = 0; i < ROWS(parts); i++) {
		names[i] = str_fmt(a, "n%02zu", i);
		parts[i] = pool_of(a, "cpus 0=1");
	}
	p = pool_join(a, names, parts, ROWS(parts));
	n = wishes_of(a, "first nodes=31; second nodes=31", v);
	assert_true(partition_split(a, &p, NULL, 0, v, n, slices, NO_PLACE, &d));
	assert_int_equal(slots_in(&p, &slices[0], 0), 31);
	n = wishes_of(a, "a nodes=21; b nodes=21; c nodes=21", v);
	assert_false(partition_split(a, &p, NULL, 0, v, n, slices, NO_PLACE, &d));
	assert_string_equal(str_z(a, d.entries.v[0].text),
		"nodes: 21 (a) + 21 (b) + 21 (c) = 63, but the pool has 62");
	n = wishes_of(a, "a nodes=21; b nodes=21; c nodes=fill", v);
	assert_true(partition_split(a, &p, NULL, 0, v, n, slices, NO_PLACE, &d));
	assert_int_equal(slots_in(&p, &slices[2], 0), 20);
}

/* ---- random pools and sizes ------------------------------------------------------ */

static unsigned
below(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

static struct pool
random_pool(struct arena *a, uint64_t *seed, unsigned nodes)
{
	static const char *const names[TYPES] = {"cpus", "gpus"};
	struct pool p = {.types = NEW_ARRAY(a, struct resource_type, TYPES), .n = TYPES};

	for (size_t t = 0; t < TYPES; t++) {
		struct resource_type *type = &p.types[t];

		type->name = str_of(names[t]);
		type->v = NEW_ARRAY(a, struct resource_instance, nodes * INSTANCES);
		for (uint32_t node = 0; node < nodes; node++)
			for (unsigned i = below(seed, INSTANCES + 1); i > 0; i--)
				type->v[type->n++] = (struct resource_instance){
					.id = str_fmt(a, "%u", INSTANCES - i),
					.slots = below(seed, 5),
					.node = node};
	}
	if (nodes > 1) {
		p.nodes = NEW_ARRAY(a, struct str, nodes);
		p.nodes_n = nodes;
		for (unsigned i = 0; i < nodes; i++)
			p.nodes[i] = str_fmt(a, "n%u", i);
	}
	return p;
}

static struct partition_size
random_size(uint64_t *seed, bool may_fill)
{
	struct partition_size s = {.kind = PARTITION_COUNT, .n = below(seed, 6)};
	unsigned kind = below(seed, 8);

	if (kind == 0)
		s = (struct partition_size){PARTITION_PERCENT, 10 * below(seed, 11)};
	if (kind == 1 && may_fill)
		s.kind = PARTITION_FILL;
	if (kind == 2)
		s.kind = PARTITION_ALL;
	return s;
}

static void
random_wish(struct arena *a, const struct pool *p, uint64_t *seed,
	struct partition_wish *w, bool may_fill)
{
	w->sizes =
		(struct partition_sizes){.v = NEW_ARRAY(a, struct partition_term, TYPES)};
	if (p->nodes_n && below(seed, 2)) {
		w->sizes.has_nodes = true;
		w->sizes.nodes = (struct partition_size){.kind = PARTITION_COUNT,
			.n = below(seed, (unsigned)p->nodes_n + 2)};
	}
	for (size_t t = 0; t < TYPES; t++)
		if (below(seed, 2))
			w->sizes.v[w->sizes.n++] = (struct partition_term){
				p->types[t].name, random_size(seed, may_fill)};
}

/* What the sizes mean, on one node, said again. -1: what is left. */
static int64_t
wanted_of(const struct partition_sizes *s, struct str type, uint64_t all)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct partition_size *z = &s->v[i].size;

		if (!str_eq(s->v[i].type, type))
			continue;
		if (z->kind == PARTITION_FILL)
			return -1;
		return z->kind == PARTITION_ALL       ? (int64_t)all
		       : z->kind == PARTITION_PERCENT ? (int64_t)(all * z->n / 100)
						      : (int64_t)z->n;
	}
	return s->has_nodes && !s->n ? (int64_t)all : 0;
}

/* The fewest instances with so many slots: tries all sets of them. */
static unsigned
fewest_instances(const uint64_t *left, size_t n, uint64_t wanted)
{
	unsigned best = UINT32_MAX;

	for (unsigned set = 0; set < 1u << n; set++) {
		uint64_t sum = 0;
		unsigned bits = 0;

		for (size_t i = 0; i < n; i++)
			if (set & 1u << i) {
				sum += left[i];
				bits++;
			}
		if (sum >= wanted && bits < best)
			best = bits;
	}
	return best;
}

static void
check_disjoint(const struct pool *p, const struct partition_slice *slices, size_t n)
{
	for (size_t t = 0; t < p->n; t++)
		for (size_t i = 0; i < p->types[t].n; i++) {
			uint64_t sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += slices[k].slots[t][i];
			assert_true(sum <= p->types[t].v[i].slots);
		}
}

/* Of a pool with one node the sums decide, and nothing else. */
static void
one_node(struct arena *a, uint64_t *seed)
{
	struct pool p = random_pool(a, seed, 1);
	struct partition_wish v[MOST] = {{.name = STR("")}};
	struct partition_slice slices[MOST];
	struct diag d = diag_in(a);
	size_t n = 1 + below(seed, 3);
	bool fits = true, is_split;

	for (size_t i = 0; i < n; i++) {
		v[i].name = str_fmt(a, "p%zu", i);
		random_wish(a, &p, seed, &v[i], i == 0);
	}
	is_split = partition_split(a, &p, NULL, 0, v, n, slices, NO_PLACE, &d);
	for (uint32_t t = 0; t < p.n; t++) {
		uint64_t all = all_slots(&p.types[t]);
		uint64_t left[INSTANCES], sum = 0, rest;

		for (size_t i = 0; i < n; i++) {
			int64_t w = wanted_of(&v[i].sizes, p.types[t].name, all);

			sum += w < 0 ? 0 : (uint64_t)w;
		}
		fits = fits && sum <= all;
		if (!is_split)
			continue;
		rest = all - sum;
		for (size_t i = 0; i < p.types[t].n; i++)
			left[i] = p.types[t].v[i].slots;
		for (size_t i = 0; i < n; i++) {
			int64_t w = wanted_of(&v[i].sizes, p.types[t].name, all);
			unsigned used = 0;

			assert_int_equal(
				slots_in(&p, &slices[i], t), w < 0 ? rest : (uint64_t)w);
			/* "fill" comes last, here it is the first of the list. */
			if (w < 0)
				continue;
			for (size_t k = 0; k < p.types[t].n; k++)
				used += slices[i].slots[t][k] > 0;
			assert_int_equal(
				used, fewest_instances(left, p.types[t].n, (uint64_t)w));
			for (size_t k = 0; k < p.types[t].n; k++)
				left[k] -= slices[i].slots[t][k];
		}
	}
	assert_int_equal(is_split, fits);
	if (is_split)
		check_disjoint(&p, slices, n);
}

/* How many slots the slice has on the node. */
static uint64_t
slots_on(const struct pool *p, const struct partition_slice *s, uint32_t t, uint32_t node)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->types[t].n; i++)
		if (p->types[t].v[i].node == node)
			sum += s->slots[t][i];
	return sum;
}

static uint64_t
all_on(const struct pool *p, uint32_t t, uint32_t node)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->types[t].n; i++)
		if (p->types[t].v[i].node == node)
			sum += p->types[t].v[i].slots;
	return sum;
}

/* Whether the slice is just what the sizes say on that node. */
static bool
is_exact_on(const struct pool *p, const struct partition_wish *w,
	const struct partition_slice *s, uint32_t node)
{
	for (uint32_t t = 0; t < p->n; t++) {
		int64_t n = wanted_of(&w->sizes, p->types[t].name, all_on(p, t, node));

		if (n >= 0 && (uint64_t)n != slots_on(p, s, t, node))
			return false;
	}
	return true;
}

static bool
is_none_on(const struct pool *p, const struct partition_slice *s, uint32_t node)
{
	for (uint32_t t = 0; t < p->n; t++)
		if (slots_on(p, s, t, node))
			return false;
	return true;
}

/* Of several nodes each has the sizes, or nothing. */
static void
many_nodes(struct arena *a, uint64_t *seed)
{
	struct pool p = random_pool(a, seed, NODES);
	struct partition_wish v[MOST] = {{.name = STR("")}};
	struct partition_slice slices[MOST];
	struct diag d = diag_in(a);
	size_t n = 1 + below(seed, 3);

	for (size_t i = 0; i < n; i++) {
		v[i].name = str_fmt(a, "p%zu", i);
		random_wish(a, &p, seed, &v[i], false);
	}
	if (!partition_split(a, &p, NULL, 0, v, n, slices, NO_PLACE, &d)) {
		assert_int_equal(d.errors > 0, 1);
		return;
	}
	check_disjoint(&p, slices, n);
	for (size_t i = 0; i < n; i++) {
		size_t exact = 0, wanted = v[i].sizes.nodes.n;

		for (uint32_t node = 0; node < NODES; node++) {
			exact += is_exact_on(&p, &v[i], &slices[i], node);
			assert_true(is_exact_on(&p, &v[i], &slices[i], node) ||
				    is_none_on(&p, &slices[i], node));
		}
		if (v[i].sizes.has_nodes)
			assert_true(exact >= wanted);
	}
}

/* What the engine has of the pool. */
static struct pool
pool_of_engine(struct arena *a, const struct pool *p, struct str engine)
{
	struct str *names = NEW_ARRAY(a, struct str, p->nodes_n);
	struct pool *parts = NEW_ARRAY(a, struct pool, p->nodes_n);
	size_t n = 0;

	for (uint32_t node = 0; node < p->nodes_n; node++)
		if (str_eq(p->engines[node], engine)) {
			names[n] = p->nodes[node];
			parts[n++] = pool_of_one(a, p, node);
		}
	return pool_join(a, names, parts, n);
}

/* The slots of the type on the node of that name, as text. */
static struct str
text_on(struct arena *a, const struct pool *p, const struct partition_slice *s,
	struct str type, struct str node)
{
	uint32_t t = pool_type(p, type);
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; t != MAP_NONE && i < p->types[t].n; i++)
		if (str_eq(p->nodes[p->types[t].v[i].node], node))
			buf_fmt(&b, " %llu", (unsigned long long)s->slots[t][i]);
	return buf_as_str(&b);
}

/* The wishes of an engine get what they would get of a pool without other nodes. */
static bool
check_engine(struct arena *a, const struct pool *p, struct str engine,
	const struct partition_wish *v, size_t n, const struct partition_slice *slices)
{
	struct pool part = pool_of_engine(a, p, engine);
	struct partition_wish own[MOST];
	struct partition_slice found[MOST];
	struct diag d = diag_in(a);
	size_t own_n = 0;

	for (size_t i = 0; i < n; i++)
		if (str_eq(v[i].engine, engine))
			own[own_n++] = v[i];
	if (!partition_split(a, &part, NULL, 0, own, own_n, found, NO_PLACE, &d))
		return false;
	for (size_t i = 0, k = 0; slices && i < n; i++) {
		bool is_own = str_eq(v[i].engine, engine);

		for (size_t t = 0; t < p->n; t++)
			for (size_t node = 0; is_own && node < part.nodes_n; node++)
				assert_true(str_eq(
					text_on(a, p, &slices[i], p->types[t].name,
						part.nodes[node]),
					text_on(a, &part, &found[k], p->types[t].name,
						part.nodes[node])));
		for (uint32_t node = 0; is_own && node < p->nodes_n; node++)
			assert_true(str_eq(p->engines[node], engine) ||
				    is_none_on(p, &slices[i], node));
		k += is_own;
	}
	return true;
}

static void
two_engines(struct arena *a, uint64_t *seed)
{
	const struct str names[] = {STR("near"), STR("far")};
	struct str engines[NODES] = {names[0], names[0], names[1], names[1], names[1]};
	struct pool p = random_pool(a, seed, NODES);
	struct partition_wish v[MOST] = {{.name = STR("")}};
	struct partition_slice slices[MOST];
	struct diag d = diag_in(a);
	size_t n = 1 + below(seed, 4);
	bool is_split, is_near, is_far;

	p.engines = engines;
	for (size_t i = 0; i < n; i++) {
		v[i].name = str_fmt(a, "p%zu", i);
		v[i].engine = names[below(seed, 2)];
		random_wish(a, &p, seed, &v[i], i == 0);
	}
	is_split = partition_split(a, &p, NULL, 0, v, n, slices, NO_PLACE, &d);
	is_near = check_engine(a, &p, names[0], v, n, is_split ? slices : NULL);
	is_far = check_engine(a, &p, names[1], v, n, is_split ? slices : NULL);
	assert_int_equal(is_split, is_near && is_far);
}

static void
random_splits_are_exact(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < PLANS; i++) {
		struct arena *a = arena_open();

		one_node(a, &seed);
		many_nodes(a, &seed);
		two_engines(a, &seed);
		arena_close(a);
	}
}

/* ---- the divided pool ------------------------------------------------------------ */

static void
a_divided_pool_has_each_type_once_for_each_partition(void **state)
{
	struct arena *a = *state;
	struct pool whole = pool_of(a, "cpus 0=4; gpus 0=2 1=2"),
		    p = partition_none(&whole);
	struct partition_wish v[MOST];
	struct partition_slice slices[MOST];
	struct diag d = diag_in(a);
	size_t n = wishes_of(a, "a gpus=3; b gpus=1,cpus=2", v);
	struct requirement two = {.type = STR("gpus"), .slots = 2};
	struct resource_group g = {&two, 1};
	struct resource_groups of_a = {.v = &g, .n = 1},
			       of_b = {.v = &g, .n = 1, .partition = 1};
	struct grant grant = {.v = NULL};
	uint32_t blocking;

	assert_true(partition_split(a, &whole, NULL, 0, v, n, slices, NO_PLACE, &d));
	for (size_t i = 0; i < n; i++)
		partition_add(a, &p, &whole, &slices[i]);
	assert_int_equal(p.n, 4);
	assert_int_equal(pool_type_in(&p, 1, STR("gpus")), 3);
	assert_int_equal(p.types[pool_type_in(&p, 0, STR("cpus"))].n, 0);
	assert_int_equal(p.types[3].v[0].number, 1);
	assert_true(pool_could_fit(&p, a, &of_a));
	assert_false(pool_could_fit(&p, a, &of_b));
	assert_true(pool_take(&p, a, &of_a, &grant, &blocking));
	assert_int_equal(pool_partition_of(&p, &grant), 0);
	assert_int_equal(p.types[1].v[0].held + p.types[3].v[0].held, 2);
	pool_return(&p, &grant);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			slices_are_as_written, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			three_partitions_need_63_of_62_nodes, open_arena, close_arena),
		cmocka_unit_test(random_splits_are_exact),
		cmocka_unit_test_setup_teardown(
			a_divided_pool_has_each_type_once_for_each_partition, open_arena,
			close_arena),
	};

	return run_unit_tests("partition_split", tests, NULL, NULL);
}
