/* See partitions.h. */
#include "runner/schedule/partitions.h"

#include <string.h>

#include "runner/base/json_line.h"
#include "runner/model/select.h"
#include "runner/resources/pool_request.h"
#include "runner/schedule/partition_tests.h"

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
	return partition_tests_text(a, p, &rest);
}

/* ---- making them ----------------------------------------------------------------- */

static void
find_types_asked_for(struct partitions *p)
{
	for (node_id i = 0; i < p->selection->n; i++) {
		const struct properties *t = partition_tests_properties(p, i);
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
		bool is_twice = old && partition_takes_tests(old);

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

/* What is left is the partition of the tests that found no place elsewhere. */
static bool
add_default(
	struct partitions *p, struct partition_tests *m, struct place at, struct diag *d)
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
		if (m->of[i] == MAP_NONE && !partition_tests_named(p, i) &&
			!partition_tests_could_fit(m, i))
			partition_tests_give(m, i, one->part);
	left = partition_tests_assign(m, &first);
	return !left || partition_tests_refuse(m, first, left, at, d);
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
	struct partition_tests m;
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
	m = partition_tests_begin(p, scratch, p->parts.of);
	left = partition_tests_assign(&m, &first);
	if (left && !find_partition(p, STR(PARTITION_DEFAULT)))
		is_good = add_default(p, &m, at, d);
	else if (left)
		is_good = partition_tests_refuse(&m, first, left, at, d);
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
