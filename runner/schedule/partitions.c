/* See partitions.h. */
#include "runner/schedule/partitions.h"

#include <string.h>

#include "runner/base/json_line.h"
#include "runner/model/select.h"
#include "runner/resources/node_limits.h"
#include "runner/resources/pool_request.h"
#include "runner/schedule/partition_tests.h"

/* ---- life ------------------------------------------------------------------------ */

enum partition_event {
	PARTITION_ACCEPTED, /* there is room for it */
	PARTITION_CAN_BEGIN, /* what it is to have is free */
	PARTITION_IS_READY,
	PARTITION_RUN_ENDS,
	PARTITION_IS_REFUSED,
	PARTITION_IS_STOPPED, /* and nothing runs in it any more */
	PARTITION_EVENTS
};

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

static const char *const state_names[PARTITION_STATES] = {
	[PARTITION_NEW] = "NEW",
	[PARTITION_PENDING] = "PENDING",
	[PARTITION_STARTING] = "STARTING",
	[PARTITION_ACTIVE] = "ACTIVE",
	[PARTITION_DONE] = "DONE",
	[PARTITION_FAILED] = "FAILED",
	[PARTITION_CANCELED] = "CANCELED",
};

const char *
partition_state_name(enum partition_state s)
{
	INVARIANT(s < PARTITION_STATES);
	return state_names[s];
}

enum partition_state
partition_state_named(struct str name)
{
	unsigned s = 0;

	while (s < PARTITION_STATES && !str_is(name, state_names[s]))
		s++;
	return (enum partition_state)s;
}

static void
advance(struct partition *p, enum partition_event e, double now_s)
{
	enum partition_state next = partition_after(p->state, e);

	INVARIANT(next != PARTITION_STATES);
	p->state = next;
	p->since_s[next] = now_s;
}

/* ---- looking --------------------------------------------------------------------- */

/* As partitions_find, of the first n. */
static struct partition *
find_partition(const struct partitions *p, size_t n, struct str name)
{
	struct partition *found = NULL;

	for (size_t i = n; i-- > 0;) {
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

const struct partition *
partitions_find(const struct partitions *p, struct str name)
{
	return find_partition(p, p->v.n, name);
}

/* What is on nodes that will not come, and is in none of the shares. false: nothing. */
static bool
find_lost(const struct partitions *p, const struct partition_share *have, size_t n,
	struct partition_slice *lost)
{
	const enum pool_presence *presence = p->pool.presence;
	bool is_some = false;

	if (!presence)
		return false;
	*lost = partition_rest(p->a, p->whole, have, n);
	for (size_t t = 0; t < p->whole->n; t++)
		for (size_t i = 0; i < p->whole->types[t].n; i++) {
			uint64_t *slots = &lost->slots[t][i];

			if (presence[p->whole->types[t].v[i].node] != POOL_NODE_GONE)
				*slots = 0;
			is_some = is_some || *slots;
		}
	return is_some;
}

/* The shares of those of the first `first` that can have tests, and of lost nodes. */
static struct partition_share *
list_shares(const struct partitions *p, size_t first, size_t *n)
{
	struct partition_share *v = NEW_ARRAY(p->a, struct partition_share, first + 1);
	struct partition_slice lost;

	*n = 0;
	for (size_t i = 0; i < first; i++)
		if (partition_takes_tests(&p->v.v[i]))
			v[(*n)++] = (struct partition_share){
				p->v.v[i].request.name, p->v.v[i].slice};
	if (find_lost(p, v, *n, &lost))
		v[(*n)++] = (struct partition_share){STR("lost nodes"), lost};
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
	have = list_shares(p, p->v.n, &n);
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
	*p = (struct partitions){.a = a,
		.whole = whole,
		.selection = s,
		.parallel = parallel,
		.no_pool = "the run has no resources that it could have"};
	if (whole) {
		p->pool = partition_none(whole);
		p->is_asked_for = NEW_ARRAY(a, bool, whole->n);
		find_types_asked_for(p);
	}
	p->parts.of = NEW_ARRAY(a, uint32_t, s->n);
	return p;
}

/* since_s of a state that it has not reached. */
#define NEVER (-1.0)

static struct partition *
add_partition(struct partitions *p, const struct partition_request *q, double now_s)
{
	struct partition one = {.request = *q,
		.uid = str_fmt(p->a, "p%zu", p->v.n + 1),
		.part = MAP_NONE};

	for (int i = 0; i < PARTITION_STATES; i++)
		one.since_s[i] = NEVER;
	one.since_s[PARTITION_NEW] = now_s;
	if (!q->name.n)
		one.request.name = one.uid;
	if (!q->parallel || q->parallel > p->parallel)
		one.request.parallel = p->parallel;
	VEC_PUSH(p->a, &p->v, one);
	return &p->v.v[p->v.n - 1];
}

/* Gives it its place in the pool and in the scheduler, and opens it. */
static void
start_partition(struct partitions *p, struct partition *one, double now_s)
{
	struct scheduler_part *v = NEW_ARRAY(p->a, struct scheduler_part, p->parts.n + 1);

	advance(one, PARTITION_CAN_BEGIN, now_s);
	one->part = (uint32_t)p->parts.n;
	if (p->whole)
		partition_add(p->a, &p->pool, p->whole, &one->slice);
	if (p->parts.n)
		memcpy(v, p->parts.v, p->parts.n * sizeof *v);
	v[p->parts.n++] = (struct scheduler_part){.name = one->request.name,
		.number = one->part,
		.parallel = one->request.parallel};
	p->parts.v = v;
	advance(one, PARTITION_IS_READY, now_s);
}

static bool
check_number(size_t n, struct place at, struct diag *d)
{
	return n <= PARTITIONS_MOST ||
	       diag_error(d, at, "a run has at most %d partitions", PARTITIONS_MOST);
}

static bool
check_pool(const struct partitions *p, const struct partition_request *q, struct place at,
	struct diag *d)
{
	return p->whole || (!q->sizes.n && !q->sizes.has_rest && !q->sizes.has_nodes) ||
	       diag_error(d, at, "partition %.*s: %s", STR_ARG(q->name), p->no_pool);
}

static bool
is_taken(const struct partitions *p, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (partition_takes_tests(&p->v.v[i]) &&
			str_eq(p->v.v[i].request.name, name))
			return true;
	return false;
}

/* Of those from `first` on. Two that live at the same time have different names. */
static bool
check_names(const struct partitions *p, size_t first, struct place at, struct diag *d)
{
	bool is_good = true;

	for (size_t i = first; i < p->v.n; i++) {
		const struct partition_request *q = &p->v.v[i].request;

		if (is_taken(p, i, q->name))
			is_good = diag_error(
				d, at, "partition %.*s is there twice", STR_ARG(q->name));
		is_good = check_pool(p, q, at, d) && is_good;
	}
	return is_good;
}

/* Gives those from `first` on their slices. false after a diag_error. */
static bool
split_pool(struct partitions *p, size_t first, struct place at, struct diag *d)
{
	size_t n = p->v.n - first, have_n;
	struct partition_slice *slices = NEW_ARRAY(p->a, struct partition_slice, n);
	struct partition_wish *wishes = NEW_ARRAY(p->a, struct partition_wish, n);
	struct partition_share *have;

	if (!p->whole)
		return true;
	have = list_shares(p, first, &have_n);
	for (size_t i = 0; i < n; i++) {
		const struct partition_request *q = &p->v.v[first + i].request;

		wishes[i] = (struct partition_wish){q->name, q->engine, q->sizes};
	}
	if (!partition_split(p->a, p->whole, have, have_n, wishes, n, slices, at, d))
		return false;
	for (size_t i = 0; i < n; i++)
		p->v.v[first + i].slice = slices[i];
	return true;
}

/* What is left is the partition of the tests that found no place elsewhere. */
static bool
add_default(
	struct partitions *p, struct partition_tests *m, struct place at, struct diag *d)
{
	struct partition_request q = {.name = STR(PARTITION_DEFAULT), .text = STR("")};
	struct partition *one = add_partition(p, &q, 0);
	struct partition_share *have;
	size_t n, left;
	node_id first = 0;

	if (p->whole) {
		have = list_shares(p, p->v.n - 1, &n);
		one->slice = partition_rest(p->a, p->whole, have, n);
	}
	advance(one, PARTITION_ACCEPTED, 0);
	start_partition(p, one, 0);
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
	struct partition_tests m;
	node_id first = 0;
	size_t left;
	bool is_good = true;

	INVARIANT(!p->v.n && n);
	if (!check_number(n, at, d))
		return false;
	for (size_t i = 0; i < n; i++)
		add_partition(p, &requests[i], 0);
	if (!check_names(p, 0, at, d) || !split_pool(p, 0, at, d))
		return false;
	for (size_t i = 0; i < n; i++) {
		advance(&p->v.v[i], PARTITION_ACCEPTED, 0);
		start_partition(p, &p->v.v[i], 0);
	}
	for (node_id i = 0; i < p->selection->n; i++)
		p->parts.of[i] = MAP_NONE;
	scratch = arena_open();
	m = partition_tests_begin(p, scratch, p->parts.of, NULL);
	left = partition_tests_assign(&m, &first);
	if (left && !partitions_find(p, STR(PARTITION_DEFAULT)))
		is_good = add_default(p, &m, at, d);
	else if (left)
		is_good = partition_tests_refuse(&m, first, left, at, d);
	arena_close(scratch);
	if (is_good)
		warn_of_unused(p, at, d);
	return is_good;
}

/* ---- a change -------------------------------------------------------------------- */

bool
partitions_stops(const struct partitions *p, const struct partition_change *c,
	const struct partition *one)
{
	for (size_t i = 0; i < c->stop.n; i++)
		if (str_is(c->stop.v[i], PARTITION_EACH) ||
			partitions_find(p, c->stop.v[i]) == one)
			return partition_takes_tests(one);
	return false;
}

/* Of the first n. */
static bool
check_stops(
	const struct partitions *p, size_t n, const struct str_list *stop, struct diag *d)
{
	bool is_good = true;

	for (size_t i = 0; i < stop->n; i++) {
		const struct partition *one = find_partition(p, n, stop->v[i]);

		if (str_is(stop->v[i], PARTITION_EACH))
			continue;
		if (!one)
			is_good = diag_error(d, NO_PLACE, "the run has no partition %.*s",
				STR_ARG(stop->v[i]));
		else if (partition_is_final(one->state))
			is_good = diag_error(d, NO_PLACE, "partition %.*s is %s",
				STR_ARG(stop->v[i]), partition_state_name(one->state));
	}
	return is_good;
}

/* What p would be with the change, in an arena of its own. */
static struct partitions
copy_partitions(struct arena *a, const struct partitions *p)
{
	struct partitions next = *p;
	size_t tests = p->selection->n;

	next.a = a;
	next.v.v = NEW_ARRAY(a, struct partition, p->v.n);
	next.v.cap = p->v.n;
	memcpy(next.v.v, p->v.v, p->v.n * sizeof *p->v.v);
	next.pool.types = NEW_ARRAY(a, struct resource_type, p->pool.n);
	if (p->pool.n)
		memcpy(next.pool.types, p->pool.types, p->pool.n * sizeof *p->pool.types);
	next.parts.of = NEW_ARRAY(a, uint32_t, tests);
	if (tests)
		memcpy(next.parts.of, p->parts.of, tests * sizeof *p->parts.of);
	return next;
}

/* Those that stop have nothing, and the places of the new ones are those that
 * start_partition will give them. */
static void
place_partitions(struct partitions *next, size_t first)
{
	for (size_t i = 0; i < first && next->whole; i++)
		if (next->v.v[i].is_stopping)
			partition_remove(&next->pool, next->whole, next->v.v[i].part);
	for (size_t i = first; i < next->v.n; i++) {
		struct partition *one = &next->v.v[i];

		one->part = (uint32_t)(next->parts.n + i - first);
		if (next->whole)
			partition_add(next->a, &next->pool, next->whole, &one->slice);
	}
}

/* Whether the test, which is of that partition, looks for one again. Tests without a
 * partition of their name share those that are there. */
static bool
may_move(const struct partitions *next, const struct partition *one, node_id node,
	enum node_life life)
{
	const struct partition *named;

	if (life == LIFE_ENDED || one->is_stopping)
		return life != LIFE_ENDED;
	if (life != LIFE_PENDING)
		return false;
	named = partition_tests_named(next, node);
	return named ? named != one : !one->request.accepts;
}

static void
take_tests_out(struct partitions *next, const unsigned char *life, struct arena *scratch)
{
	const struct partition **at =
		NEW_ARRAY(scratch, const struct partition *, next->parts.n);

	for (size_t i = 0; i < next->v.n; i++)
		if (next->v.v[i].part < next->parts.n)
			at[next->v.v[i].part] = &next->v.v[i];
	for (node_id i = 0; i < next->selection->n; i++)
		if (may_move(next, at[next->parts.of[i]], i, (enum node_life)life[i]))
			next->parts.of[i] = MAP_NONE;
}

/* The first partition that tests can be of; NULL: there is none. */
static const struct partition *
any_partition(const struct partitions *p)
{
	for (size_t i = 0; i < p->v.n; i++)
		if (partition_takes_tests(&p->v.v[i]))
			return &p->v.v[i];
	return NULL;
}

/* Every test that waits, or may wait again, finds a place. Those that the whole pool is
 * too small for do not run, wherever they are. */
static bool
move_tests(struct partitions *next, const unsigned char *life, struct diag *d)
{
	struct arena *scratch = arena_open();
	const struct partition *any = any_partition(next);
	struct partition_tests m;
	node_id first = 0;
	size_t left;
	bool is_good = true;

	take_tests_out(next, life, scratch);
	m = partition_tests_begin(next, scratch, next->parts.of, life);
	left = partition_tests_assign(&m, &first);
	for (node_id i = first; i < next->selection->n && left && any; i++)
		if (m.of[i] == MAP_NONE && !partition_tests_could_fit(&m, i)) {
			partition_tests_give(&m, i, any->part);
			left--;
		}
	while (left && m.of[first] != MAP_NONE)
		first++;
	if (left)
		is_good = partition_tests_refuse(&m, first, left, NO_PLACE, d);
	arena_close(scratch);
	return is_good;
}

static bool
try_change(struct partitions *next, size_t first, const struct partition_change *c,
	const unsigned char *life, struct diag *d)
{
	struct partitions before = *next;

	before.v.n = first;
	if (!check_stops(next, first, &c->stop, d))
		return false;
	for (size_t i = 0; i < first; i++)
		next->v.v[i].is_stopping = partitions_stops(&before, c, &next->v.v[i]);
	if (!check_names(next, first, NO_PLACE, d) ||
		!split_pool(next, first, NO_PLACE, d))
		return false;
	place_partitions(next, first);
	return move_tests(next, life, d);
}

static struct partition_slice
copy_slice(const struct partitions *p, const struct partition_slice *from)
{
	struct partition_slice s = {NULL};

	if (!p->whole)
		return s;
	s = partition_slice_new(p->a, p->whole);
	for (size_t t = 0; t < p->whole->n; t++)
		if (p->whole->types[t].n)
			memcpy(s.slots[t], from->slots[t],
				p->whole->types[t].n * sizeof *s.slots[t]);
	return s;
}

/* The change is what happens. */
static void
accept_change(
	struct partitions *p, const struct partitions *next, size_t first, double now_s)
{
	size_t tests = p->selection->n;

	for (size_t i = 0; i < p->v.n; i++) {
		struct partition *one = &p->v.v[i];

		one->is_stopping = next->v.v[i].is_stopping;
		if (one->is_stopping)
			p->parts.v[one->part].is_closed = true;
		if (i < first)
			continue;
		one->slice = copy_slice(p, &next->v.v[i].slice);
		advance(one, PARTITION_ACCEPTED, now_s);
	}
	if (!p->next_of)
		p->next_of = NEW_ARRAY(p->a, uint32_t, tests);
	if (tests)
		memcpy(p->next_of, next->parts.of, tests * sizeof *p->next_of);
	p->is_changing = true;
}

bool
partitions_change(struct partitions *p, const struct partition_change *c,
	const unsigned char *life, double now_s, struct diag *d)
{
	size_t first = p->v.n;
	struct arena *scratch;
	struct partitions next;
	bool is_good;

	INVARIANT(!p->is_changing);
	if (!check_number(first + c->start_n, NO_PLACE, d))
		return false;
	for (size_t i = 0; i < c->start_n; i++)
		add_partition(p, &c->start[i], now_s);
	scratch = arena_open();
	next = copy_partitions(scratch, p);
	is_good = try_change(&next, first, c, life, d);
	if (is_good) {
		accept_change(p, &next, first, now_s);
		warn_of_unused(&next, NO_PLACE, d);
	}
	for (size_t i = first; i < p->v.n && !is_good; i++)
		advance(&p->v.v[i], PARTITION_IS_REFUSED, now_s);
	arena_close(scratch);
	return is_good;
}

static void
stop_partition(struct partitions *p, struct partition *one, double now_s)
{
	for (size_t t = 0; p->whole && t < p->whole->n; t++)
		INVARIANT(!p->pool.types[one->part * p->whole->n + t].holders);
	one->is_stopping = false;
	if (p->whole)
		partition_remove(&p->pool, p->whole, one->part);
	advance(one, PARTITION_IS_STOPPED, now_s);
}

void
partitions_commit(struct partitions *p, const unsigned char *life, double now_s)
{
	INVARIANT(p->is_changing);
	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].is_stopping)
			stop_partition(p, &p->v.v[i], now_s);
	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].state == PARTITION_PENDING)
			start_partition(p, &p->v.v[i], now_s);
	for (node_id i = 0; i < p->selection->n; i++)
		if (life[i] == LIFE_PENDING)
			p->parts.of[i] = p->next_of[i];
	node_limits_obey(&p->pool);
	p->is_changing = false;
}

void
partitions_call_off(struct partitions *p, double now_s)
{
	INVARIANT(p->is_changing);
	for (size_t i = 0; i < p->v.n; i++) {
		struct partition *one = &p->v.v[i];

		if (one->is_stopping)
			p->parts.v[one->part].is_closed = one->is_stopping = false;
		if (one->state == PARTITION_PENDING)
			advance(one, PARTITION_IS_STOPPED, now_s);
	}
	p->is_changing = false;
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
partitions_end(struct partitions *p, double now_s)
{
	for (size_t i = 0; i < p->v.n; i++) {
		p->v.v[i].is_stopping = false;
		if (!partition_is_final(p->v.v[i].state))
			advance(&p->v.v[i], PARTITION_RUN_ENDS, now_s);
	}
}

/* What it has, or had, and what tests hold of it. */
static void
add_resources(struct buf *b, const struct partitions *p, const struct partition *one)
{
	const struct resource_type *placed = NULL;

	if (p->whole && one->part != MAP_NONE && !partition_is_final(one->state))
		placed = &p->pool.types[one->part * p->whole->n];
	json_line_open(b, "resources", '[');
	for (uint32_t t = 0; p->whole && one->slice.slots && t < p->whole->n; t++) {
		uint64_t slots = 0, held = 0;

		for (size_t i = 0; i < p->whole->types[t].n; i++)
			slots += one->slice.slots[t][i];
		for (size_t i = 0; placed && i < placed[t].n; i++)
			held += placed[t].v[i].held - placed[t].v[i].others;
		if (!slots)
			continue;
		json_line_open(b, NULL, '{');
		json_line_text(b, "type", p->whole->types[t].name);
		json_line_count(b, "slots", slots);
		json_line_count(b, "held", held);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
}

static void
add_states(struct buf *b, const struct partition *one)
{
	json_line_open(b, "since", '{');
	for (int i = 0; i < PARTITION_STATES; i++)
		if (one->since_s[i] >= 0)
			json_line_seconds(b, state_names[i], one->since_s[i]);
	json_line_close(b, '}');
}

/* How long its tests could run. */
static double
active_seconds(const struct partition *one, double now_s)
{
	if (one->since_s[PARTITION_ACTIVE] < 0)
		return 0;
	if (partition_is_final(one->state))
		now_s = one->since_s[one->state];
	return now_s - one->since_s[PARTITION_ACTIVE];
}

double
partition_utilisation(const struct partition *one, double now_s)
{
	double all_s = active_seconds(one, now_s) * (double)one->request.parallel;

	return all_s > 0 ? one->slot_s / all_s : 0;
}

static void
add_json(struct buf *b, const char *key, const struct partitions *p,
	const struct partition *one, size_t tests, double seconds)
{
	json_line_open(b, key, '{');
	json_line_text(b, "uid", one->uid);
	json_line_text(b, "partition", one->request.name);
	json_line_text(b, "state", str_of(partition_state_name(one->state)));
	if (one->request.engine.n)
		json_line_text(b, "engine", one->request.engine);
	if (one->is_stopping)
		json_line_bool(b, "stopping", true);
	json_line_count(b, "tests", tests);
	json_line_count(b, "ended", one->ended);
	json_line_count(b, "slots", one->request.parallel);
	json_line_seconds(b, "slot_seconds", one->slot_s);
	json_line_seconds(b, "utilisation", partition_utilisation(one, seconds));
	add_resources(b, p, one);
	add_states(b, one);
	json_line_close(b, '}');
}

/* By part: how many tests it has. */
static size_t *
count_tests(struct arena *a, const struct partitions *p)
{
	size_t *n = NEW_ARRAY(a, size_t, p->parts.n);

	for (size_t i = 0; i < p->selection->n; i++)
		n[p->parts.of[i]]++;
	return n;
}

void
partition_add_json(struct buf *b, const char *key, const struct partitions *p,
	const struct partition *one, double seconds)
{
	const size_t *tests = count_tests(b->arena, p);

	add_json(b, key, p, one, one->part == MAP_NONE ? 0 : tests[one->part], seconds);
}

void
partitions_add_json(struct buf *b, const struct partitions *p, double seconds)
{
	const size_t *tests = count_tests(b->arena, p);

	json_line_open(b, "partitions", '[');
	for (size_t i = 0; i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];

		add_json(b, NULL, p, one, one->part == MAP_NONE ? 0 : tests[one->part],
			seconds);
	}
	json_line_close(b, ']');
}
