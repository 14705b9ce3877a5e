/* See partitions.h. */
#include "runner/schedule/partitions.h"

#include <string.h>

#include "runner/base/json_line.h"
#include "runner/model/select.h"
#include "runner/resources/pool_request.h"

/* ---- life ------------------------------------------------------------------------ */

/* PARTITION_STATES: the event cannot happen then. */
static enum partition_state
partition_after(enum partition_state s, enum partition_event e)
{
	/* No event leads to NEW, so that 0 is "never". */
	static const enum partition_state after[PARTITION_STATES][PARTITION_EVENTS] = {
		[PARTITION_NEW] = {[PARTITION_ACCEPTED] = PARTITION_PENDING,
			[PARTITION_IS_REFUSED] = PARTITION_FAILED},
		[PARTITION_PENDING] = {[PARTITION_CAN_BEGIN] = PARTITION_STARTING,
			[PARTITION_RUN_ENDS] = PARTITION_DONE,
			[PARTITION_IS_STOPPED] = PARTITION_CANCELED},
		[PARTITION_STARTING] = {[PARTITION_IS_READY] = PARTITION_ACTIVE,
			[PARTITION_RUN_ENDS] = PARTITION_DONE,
			[PARTITION_IS_STOPPED] = PARTITION_CANCELED},
		[PARTITION_ACTIVE] = {[PARTITION_RUN_ENDS] = PARTITION_DONE,
			[PARTITION_IS_STOPPED] = PARTITION_CANCELED},
	};

	INVARIANT(s < PARTITION_STATES && e < PARTITION_EVENTS);
	return after[s][e] == PARTITION_NEW ? PARTITION_STATES : after[s][e];
}

static const char *
state_name(enum partition_state s)
{
	static const char *const names[PARTITION_STATES] = {
		[PARTITION_NEW] = "NEW",
		[PARTITION_PENDING] = "PENDING",
		[PARTITION_STARTING] = "STARTING",
		[PARTITION_ACTIVE] = "ACTIVE",
		[PARTITION_DONE] = "DONE",
		[PARTITION_FAILED] = "FAILED",
		[PARTITION_CANCELED] = "CANCELED",
	};

	INVARIANT(s < PARTITION_STATES);
	return names[s];
}

static void
advance(struct partition *p, enum partition_event e)
{
	enum partition_state next = partition_after(p->state, e);

	INVARIANT(next != PARTITION_STATES);
	p->state = next;
}

/* ---- looking --------------------------------------------------------------------- */

/* The last of that uid or name, at first those that are not final; NULL: there is none.
 */
static struct partition *
find_partition(const struct partitions *p, struct str name)
{
	struct partition *found = NULL;

	for (size_t i = p->v.n; i-- > 0;) {
		struct partition *one = &p->v.v[i];

		if (str_eq(one->uid, name))
			return one;
		if (str_eq(one->request.name, name) &&
			(!found || (partition_is_final(found->state) &&
					   !partition_is_final(one->state))))
			found = one;
	}
	return found;
}

/* The shares of all that are not final. */
static struct partition_share *
list_shares(const struct partitions *p, size_t *n)
{
	struct partition_share *v = NEW_ARRAY(p->a, struct partition_share, p->v.n);

	*n = 0;
	for (size_t i = 0; i < p->v.n; i++)
		if (!partition_is_final(p->v.v[i].state))
			v[(*n)++] = (struct partition_share){
				p->v.v[i].request.name, p->v.v[i].slice};
	return v;
}

/* As partition_text, without types that no test asks for. */
static struct str
text_of_asked(
	struct arena *a, const struct partitions *p, const struct partition_slice *s)
{
	struct partition_slice asked = partition_slice_new(a, p->whole);

	for (size_t t = 0; t < p->whole->n; t++)
		for (size_t i = 0; i < p->whole->types[t].n; i++)
			asked.slots[t][i] = p->is_asked_for[t] ? s->slots[t][i] : 0;
	return partition_text(a, p->whole, &asked);
}

static struct str
list_unused(struct arena *a, const struct partitions *p)
{
	struct partition_slice rest;
	struct partition_share *have;
	size_t n;

	if (!p->whole)
		return STR("");
	have = list_shares(p, &n);
	rest = partition_rest(a, p->whole, have, n);
	return text_of_asked(a, p, &rest);
}

/* ---- which test is of which partition -------------------------------------------- */

/* One look at all tests that have no partition yet. */
struct assignment {
	const struct partitions *p;
	struct arena *scratch;
	struct map known; /* requests -> enum pool_fit */
	uint32_t *of; /* by node; MAP_NONE: none yet */
	double *load; /* by part: processor slots of its tests */
};

static const struct properties *
properties_of(const struct partitions *p, node_id node)
{
	const struct selection *s = p->selection;

	return s->suite->tests[s->v[node].test].properties;
}

/* of: NULL for the whole pool. */
static bool
fits_in(struct assignment *m, const struct pool *pool, uint32_t part, node_id node)
{
	struct arena_mark mark = arena_mark(m->scratch);
	struct buf key = {.arena = m->scratch};
	struct resource_groups g;
	uint32_t fit;

	if (!pool)
		return true;
	g = pool_request_in(m->scratch, pool, part, properties_of(m->p, node));
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

/* Whether tests can get into it. */
static bool
takes_tests(const struct partition *p)
{
	return !partition_is_final(p->state);
}

/* The first one whose filters accept the test; NULL: none. */
static const struct partition *
named_partition(const struct partitions *p, node_id node)
{
	for (size_t i = 0; i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];

		if (takes_tests(one) && one->request.accepts &&
			one->request.accepts[node])
			return one;
	}
	return NULL;
}

/* Of those without filters that have room for the test, the one with least to do. NULL:
 * there is none. */
static const struct partition *
open_partition(struct assignment *m, node_id node)
{
	const struct partition *best = NULL;
	double least = 0;

	for (size_t i = 0; i < m->p->v.n; i++) {
		const struct partition *one = &m->p->v.v[i];
		double load;

		if (!takes_tests(one) || one->request.accepts ||
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

/* Whether the pool would have room for the test if it were not divided. One that it has
 * none for does not run, whichever partition it is of. */
static bool
could_ever_fit(struct assignment *m, node_id node)
{
	return fits_in(m, m->p->whole, 0, node);
}

static void
assign_test(struct assignment *m, node_id node, uint32_t part)
{
	int processors = properties_of(m->p, node)->processors;

	m->of[node] = part;
	m->load[part] += processors > 1 ? processors : 1;
}

/* false: it has found no place, and of[node] is MAP_NONE still. */
static bool
assign_somewhere(struct assignment *m, node_id node)
{
	const struct partition *one = named_partition(m->p, node);
	bool is_named = one != NULL;

	if (!one)
		one = open_partition(m, node);
	if (!one || (is_named && !fits_in(m, divided_pool(m->p), one->part, node) &&
			    could_ever_fit(m, node)))
		return false;
	assign_test(m, node, one->part);
	return true;
}

static struct assignment
begin_assignment(const struct partitions *p, struct arena *scratch, uint32_t *of)
{
	return (struct assignment){.p = p,
		.scratch = scratch,
		.known = map_in(p->a),
		.of = of,
		.load = NEW_ARRAY(p->a, double, p->v.n + 1)};
}

/* ---- what does not fit ----------------------------------------------------------- */

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
	struct str has = text_of_asked(b->arena, p, &one->slice);

	buf_fmt(b, "%.*s has %.*s", STR_ARG(one->request.name),
		STR_ARG(has.n ? has : STR("nothing")));
}

/* node: the first of n tests that find no place. */
static bool
refuse_tests(const struct assignment *m, node_id node, size_t n, struct place at,
	struct diag *d)
{
	const struct partitions *p = m->p;
	const struct partition *named = named_partition(p, node);
	struct resource_groups g = pool_request(p->a, p->whole, properties_of(p, node));
	struct str asks = request_text(p->a, &g);
	struct buf b = {.arena = p->a};
	const char *separator = "";

	for (size_t i = 0; i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];

		if (!takes_tests(one) ||
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

/* ---- making them ----------------------------------------------------------------- */

static void
find_types_asked_for(struct partitions *p)
{
	for (node_id i = 0; i < p->selection->n; i++) {
		const struct properties *t = properties_of(p, i);
		const struct resource_groups *g = &t->resource_groups;

		for (size_t k = 0; k < g->n; k++)
			for (size_t q = 0; q < g->v[k].n; q++) {
				uint32_t type = pool_type(p->whole, g->v[k].v[q].type);

				if (type != MAP_NONE)
					p->is_asked_for[type] = true;
			}
		if (pool_processors_besides(p->whole, 0, t))
			p->is_asked_for[pool_type(p->whole, STR(POOL_PROCESSORS))] = true;
	}
}

struct partitions *
partitions_new(struct arena *a, const struct pool *whole, const struct selection *s,
	size_t parallel)
{
	struct partitions *p = NEW(a, struct partitions);

	INVARIANT(parallel > 0);
	*p = (struct partitions){
		.a = a, .whole = whole, .selection = s, .parallel = parallel};
	if (whole) {
		p->pool = partition_none(whole);
		p->is_asked_for = NEW_ARRAY(a, bool, whole->n);
		find_types_asked_for(p);
	}
	p->parts.of = NEW_ARRAY(a, uint32_t, s->n);
	return p;
}

static struct partition *
add_partition(struct partitions *p, const struct partition_request *q)
{
	struct partition one = {.request = *q,
		.uid = str_fmt(p->a, "p%zu", p->v.n + 1),
		.part = MAP_NONE};

	if (!q->parallel || q->parallel > p->parallel)
		one.request.parallel = p->parallel;
	VEC_PUSH(p->a, &p->v, one);
	return &p->v.v[p->v.n - 1];
}

/* Gives it its place in the pool and in the scheduler. */
static void
place_partition(struct partitions *p, struct partition *one, struct partition_slice slice)
{
	struct scheduler_part *v = NEW_ARRAY(p->a, struct scheduler_part, p->parts.n + 1);

	one->slice = slice;
	one->part = (uint32_t)p->parts.n;
	if (p->whole)
		partition_add(p->a, &p->pool, p->whole, &slice);
	if (p->parts.n)
		memcpy(v, p->parts.v, p->parts.n * sizeof *v);
	v[p->parts.n++] = (struct scheduler_part){.name = one->request.name,
		.number = one->part,
		.parallel = one->request.parallel,
		.is_closed = true};
	p->parts.v = v;
	advance(one, PARTITION_ACCEPTED);
}

static void
open_partition_now(struct partitions *p, struct partition *one)
{
	advance(one, PARTITION_CAN_BEGIN);
	p->parts.v[one->part].is_closed = false;
	advance(one, PARTITION_IS_READY);
}

static bool
check_pool(const struct partition_request *q, const struct pool *whole, struct place at,
	struct diag *d)
{
	return whole || (!q->sizes.n && !q->sizes.has_rest && !q->sizes.has_nodes) ||
	       diag_error(d, at,
		       "partition %.*s: the run has no resources that it could have: see "
		       "--resource and --resource-spec-file",
		       STR_ARG(q->name));
}

/* Two that live at the same time have different names. */
static bool
check_names(const struct partitions *p, const struct partition_request *q, size_t n,
	struct place at, struct diag *d)
{
	bool is_good = true;

	for (size_t i = 0; i < n; i++) {
		const struct partition *old = find_partition(p, q[i].name);
		bool is_twice = old && takes_tests(old);

		for (size_t k = 0; k < i; k++)
			is_twice = is_twice || str_eq(q[i].name, q[k].name);
		if (is_twice)
			is_good = diag_error(d, at, "partition %.*s is there twice",
				STR_ARG(q[i].name));
		is_good = check_pool(&q[i], p->whole, at, d) && is_good;
	}
	return is_good;
}

/* The slices of new partitions; NULL after a diag_error. */
static struct partition_slice *
split_pool(const struct partitions *p, const struct partition_request *q, size_t n,
	struct place at, struct diag *d)
{
	struct partition_slice *slices = NEW_ARRAY(p->a, struct partition_slice, n + 1);
	struct partition_wish *wishes = NEW_ARRAY(p->a, struct partition_wish, n);
	struct partition_share *have;
	size_t have_n;

	if (!p->whole)
		return slices;
	have = list_shares(p, &have_n);
	for (size_t i = 0; i < n; i++)
		wishes[i] = (struct partition_wish){q[i].name, q[i].sizes};
	return partition_split(p->a, p->whole, have, have_n, wishes, n, slices, at, d)
		       ? slices
		       : NULL;
}

/* Assigns the tests of which of[] is MAP_NONE. *first: one that finds no place. Returns
 * how many do not. */
static size_t
assign_tests(struct assignment *m, node_id *first)
{
	size_t n = 0;

	for (node_id i = 0; i < m->p->selection->n; i++)
		if (m->of[i] == MAP_NONE && !assign_somewhere(m, i) && !n++)
			*first = i;
	return n;
}

/* What is left is the partition of the tests that found no place elsewhere. */
static bool
add_default(struct partitions *p, struct assignment *m, struct place at, struct diag *d)
{
	struct partition_request q = {.name = STR(PARTITION_DEFAULT), .text = STR("")};
	struct partition *one = add_partition(p, &q);
	struct partition_slice rest = {NULL};
	struct partition_share *have;
	size_t n, left;
	node_id first = 0;

	if (p->whole) {
		p->v.n--;
		have = list_shares(p, &n);
		p->v.n++;
		rest = partition_rest(p->a, p->whole, have, n);
	}
	place_partition(p, one, rest);
	open_partition_now(p, one);
	for (node_id i = 0; i < p->selection->n; i++)
		if (m->of[i] == MAP_NONE && !named_partition(p, i) &&
			!could_ever_fit(m, i))
			assign_test(m, i, one->part);
	left = assign_tests(m, &first);
	return !left || refuse_tests(m, first, left, at, d);
}

static void
warn_of_unused(const struct partitions *p, struct place at, struct diag *d)
{
	struct str unused = list_unused(p->a, p);

	if (unused.n)
		diag_warning(d, at, "no partition has the rest: %.*s", STR_ARG(unused));
}

bool
partitions_begin(struct partitions *p, const struct partition_request *requests, size_t n,
	struct place at, struct diag *d)
{
	struct arena *scratch;
	struct partition_slice *slices;
	struct assignment m;
	node_id first = 0;
	size_t left;
	bool is_good = true;

	INVARIANT(!p->v.n && n);
	if (!check_names(p, requests, n, at, d))
		return false;
	slices = split_pool(p, requests, n, at, d);
	if (!slices)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct partition *one = add_partition(p, &requests[i]);

		place_partition(p, one, slices[i]);
		open_partition_now(p, one);
	}
	for (node_id i = 0; i < p->selection->n; i++)
		p->parts.of[i] = MAP_NONE;
	scratch = arena_open();
	m = begin_assignment(p, scratch, p->parts.of);
	left = assign_tests(&m, &first);
	if (left && !find_partition(p, STR(PARTITION_DEFAULT)))
		is_good = add_default(p, &m, at, d);
	else if (left)
		is_good = refuse_tests(&m, first, left, at, d);
	arena_close(scratch);
	if (is_good)
		warn_of_unused(p, at, d);
	return is_good;
}

/* ---- what has become of them ----------------------------------------------------- */

void
partitions_used(struct partitions *p, uint32_t part, const struct properties *t,
	double seconds, bool is_last)
{
	struct partition *one = NULL;
	size_t slots = t->processors > 1 ? (size_t)t->processors : 1;

	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].part == part)
			one = &p->v.v[i];
	INVARIANT(one);
	if (slots > one->request.parallel)
		slots = one->request.parallel;
	one->slot_s += seconds * (double)slots;
	one->ended += is_last;
}

void
partitions_end(struct partitions *p)
{
	for (size_t i = 0; i < p->v.n; i++)
		if (!partition_is_final(p->v.v[i].state))
			advance(&p->v.v[i], PARTITION_RUN_ENDS);
}

static void
add_resources(struct buf *b, const struct partitions *p, const struct partition *one)
{
	json_line_open(b, "resources", '[');
	for (uint32_t t = 0; p->whole && t < p->whole->n; t++) {
		const struct resource_type *type =
			&p->pool.types[one->part * p->whole->n + t];
		uint64_t slots = 0, held = 0;

		for (size_t i = 0; i < type->n; i++) {
			slots += type->v[i].slots;
			held += type->v[i].held;
		}
		if (!slots)
			continue;
		json_line_open(b, NULL, '{');
		json_line_text(b, "type", type->name);
		json_line_count(b, "slots", slots);
		json_line_count(b, "held", held);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
}

static size_t
count_tests(const struct partitions *p, uint32_t part)
{
	size_t n = 0;

	for (size_t i = 0; i < p->selection->n; i++)
		n += p->parts.of[i] == part;
	return n;
}

void
partitions_add_json(struct buf *b, const struct partitions *p, double seconds)
{
	json_line_open(b, "partitions", '[');
	for (size_t i = 0; i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];
		double all_s = seconds * (double)one->request.parallel;

		json_line_open(b, NULL, '{');
		json_line_text(b, "uid", one->uid);
		json_line_text(b, "partition", one->request.name);
		json_line_text(b, "state", str_of(state_name(one->state)));
		json_line_count(b, "tests", count_tests(p, one->part));
		json_line_count(b, "ended", one->ended);
		json_line_count(b, "slots", one->request.parallel);
		json_line_seconds(b, "slot_seconds", one->slot_s);
		json_line_seconds(b, "utilisation", all_s > 0 ? one->slot_s / all_s : 0);
		add_resources(b, p, one);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
}
