/* See partition_tests.h. */
#include "runner/schedule/partition_tests.h"

#include "runner/model/select.h"
#include "runner/resources/pool_request.h"

const struct properties *
partition_tests_properties(const struct partitions *p, node_id node)
{
	const struct selection *s = p->selection;

	return s->suite->tests[s->v[node].test].properties;
}

/* of: NULL for the whole pool. */
static bool
fits_in(struct partition_tests *m, const struct pool *pool, uint32_t part, node_id node)
{
	struct arena_mark mark = arena_mark(m->scratch);
	struct buf key = {.arena = m->scratch};
	struct resource_groups g;
	uint32_t fit;

	if (!pool)
		return true;
	g = pool_request_in(
		m->scratch, pool, part, partition_tests_properties(m->p, node));
	if (!g.n && !g.nodes)
		return true;
	buf_char(&key, pool == m->p->whole ? 'w' : 'p');
	pool_request_key(&key, &g);
	fit = map_get(&m->known, buf_as_str(&key));
	if (fit == MAP_NONE) {
		fit = pool_fit(pool, m->scratch, &g);
		map_set(&m->known, str_dup(m->p->a, buf_as_str(&key)), fit);
	}
	arena_rewind(m->scratch, mark);
	return fit != POOL_FITS_NOWHERE;
}

static const struct pool *
divided_pool(const struct partitions *p)
{
	return p->whole ? &p->pool : NULL;
}

const struct partition *
partition_tests_named(const struct partitions *p, node_id node)
{
	for (size_t i = 0; i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];

		if (partition_takes_tests(one) && one->request.accepts &&
			one->request.accepts[node])
			return one;
	}
	return NULL;
}

/* Of those without filters that have room for the test, the one with least to do. NULL:
 * there is none. */
static const struct partition *
open_partition(struct partition_tests *m, node_id node)
{
	const struct partition *best = NULL;
	double least = 0;

	for (size_t i = 0; i < m->p->v.n; i++) {
		const struct partition *one = &m->p->v.v[i];
		double load;

		if (!partition_takes_tests(one) || one->request.accepts ||
			!fits_in(m, divided_pool(m->p), one->part, node))
			continue;
		load = m->load[one->part] / (double)one->request.parallel;
		if (!best || load < least) {
			best = one;
			least = load;
		}
	}
	return best;
}

bool
partition_tests_could_fit(struct partition_tests *m, node_id node)
{
	return fits_in(m, m->p->whole, 0, node);
}

void
partition_tests_give(struct partition_tests *m, node_id node, uint32_t part)
{
	int processors = partition_tests_properties(m->p, node)->processors;

	m->of[node] = part;
	m->load[part] += processors > 1 ? processors : 1;
}

/* false: it has found no place, and of[node] is MAP_NONE still. */
static bool
assign_somewhere(struct partition_tests *m, node_id node)
{
	const struct partition *one = partition_tests_named(m->p, node);
	bool is_named = one != NULL;

	if (!one)
		one = open_partition(m, node);
	if (!one || (is_named && !fits_in(m, divided_pool(m->p), one->part, node) &&
			    partition_tests_could_fit(m, node)))
		return false;
	partition_tests_give(m, node, one->part);
	return true;
}

struct partition_tests
partition_tests_begin(const struct partitions *p, struct arena *scratch, uint32_t *of,
	const unsigned char *life)
{
	struct partition_tests m = {.p = p,
		.scratch = scratch,
		.known = map_in(p->a),
		.of = of,
		.load = NEW_ARRAY(p->a, double, p->v.n + 1)};

	for (node_id i = 0; life && i < p->selection->n; i++)
		if (of[i] != MAP_NONE && life[i] != LIFE_ENDED)
			partition_tests_give(&m, i, of[i]);
	return m;
}

size_t
partition_tests_assign(struct partition_tests *m, node_id *first)
{
	size_t n = 0;

	for (node_id i = 0; i < m->p->selection->n; i++)
		if (m->of[i] == MAP_NONE && !assign_somewhere(m, i) && !n++)
			*first = i;
	return n;
}

/* ---- what does not fit ----------------------------------------------------------- */

struct str
partition_tests_text(
	struct arena *a, const struct partitions *p, const struct partition_slice *s)
{
	struct partition_slice asked = partition_slice_new(a, p->whole);

	for (size_t t = 0; t < p->whole->n; t++)
		for (size_t i = 0; i < p->whole->types[t].n; i++)
			asked.slots[t][i] = p->is_asked_for[t] ? s->slots[t][i] : 0;
	return partition_text(a, p->whole, &asked);
}

/* "gpus:2, 8 x cpus:1, on 2 whole nodes" */
static struct str
request_text(struct arena *a, const struct resource_groups *g)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0, end; k < g->v[i].n; k = end) {
			const struct requirement *q = &g->v[i].v[k];

			for (end = k + 1; end < g->v[i].n; end++)
				if (!str_eq(q->type, g->v[i].v[end].type) ||
					q->slots != g->v[i].v[end].slots)
					break;
			buf_z(&b, b.n ? ", " : "");
			if (end - k > 1)
				buf_fmt(&b, "%zu x ", end - k);
			buf_fmt(&b, "%.*s:%llu", STR_ARG(q->type),
				(unsigned long long)q->slots);
		}
	if (g->nodes)
		buf_fmt(&b, ", on %llu whole nodes", (unsigned long long)g->nodes);
	return buf_as_str(&b);
}

static void
add_what_it_has(struct buf *b, const struct partitions *p, const struct partition *one)
{
	struct str has = partition_tests_text(b->arena, p, &one->slice);

	buf_fmt(b, "%.*s has %.*s", STR_ARG(one->request.name),
		STR_ARG(has.n ? has : STR("nothing")));
}

bool
partition_tests_refuse(const struct partition_tests *m, node_id node, size_t n,
	struct place at, struct diag *d)
{
	const struct partitions *p = m->p;
	const struct partition *named = partition_tests_named(p, node);
	struct resource_groups g =
		pool_request(p->a, p->whole, partition_tests_properties(p, node));
	struct str asks = request_text(p->a, &g);
	struct buf b = {.arena = p->a};
	const char *separator = "";

	for (size_t i = 0; i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];

		if (!partition_takes_tests(one) ||
			(named ? one != named : one->request.accepts != NULL))
			continue;
		buf_z(&b, separator);
		add_what_it_has(&b, p, one);
		separator = "; ";
	}
	if (!b.n)
		buf_z(&b, "no partition without filters is left");
	return diag_error(d, at,
		"test %.*s%s does not fit in %s%.*s: it asks for %.*s; %.*s",
		STR_ARG(p->selection->suite->tests[p->selection->v[node].test].name),
		n > 1 ? str_fmt(p->a, " (and %zu more)", n - 1).p : "",
		named ? "partition " : "any partition",
		STR_ARG(named ? named->request.name : STR("")),
		STR_ARG(asks.n ? asks : STR("nothing")), STR_ARG(buf_as_str(&b)));
}
