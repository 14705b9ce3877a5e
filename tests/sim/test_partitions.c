/*
 * scheduler and partitions: random plans, pools, sizes and filters, and partitions that
 * are stopped and started while tests run, hold leases, and are put back. Half of the
 * plans have fixtures, a pool with several nodes, and tests that ask for whole nodes; of
 * those with one node some share it with other runs, who take and give back at random. No
 * slot of the pool is held twice, whichever partitions there are; a test has what is its
 * partition's alone; no test is lost, and each run ends. CCTR_SIM_PLANS is how many plans
 * are tried.
 */
#include <stdlib.h>

#include "runner/lease/lease_terms.h"
#include "runner/schedule/partitions.h"
#include "tests/sim/random_world.h"

enum { PLANS = 20000, FEW = 14, PARTS_MOST = 3 };

struct course {
	struct arena *a;
	struct world w;
	struct pool whole;
	struct partitions *parts;
	struct scheduler *scheduler;
	struct clock clock;
	struct witness seen;
	bool *ended;
	size_t started;
	uint64_t seed;
	bool changes; /* partitions are stopped and started */
	uint64_t *
		*others; /* by type and instance of the whole pool; NULL: no other runs */
};
/* What has happened in all plans. */
struct counts {
	size_t divided, changed, refused, called_off, put_back, drained, leases;
	size_t on_nodes, whole_nodes; /* divided pools, and starts in them */
	size_t shared, in_need; /* divided pools, and parts with less than their slots */
};

static const char *const sizes[] = {"", "50%", "fill", "g=1", "g=2,cpus=1", "cpus=2",
	"all", "g=50%,h=1", "cpus=1,g=fill", "nodes=1", "nodes=2,g=1", "nodes=fill"};

/* ---- what must hold -------------------------------------------------------------- */

/* The place in the whole pool of an instance of the divided one. */
static size_t
place_in_whole(const struct course *c, uint32_t type, uint32_t instance)
{
	const struct resource_instance *in = &c->parts->pool.types[type].v[instance];
	const struct resource_type *whole = &c->whole.types[type % c->whole.n];
	size_t first = 0;

	while (whole->v[first].node != in->node)
		first++;
	return first + in->number;
}

static void
add_held(const struct course *c, const struct grant *g, uint64_t *sums, size_t width)
{
	size_t types = c->whole.n;

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct grant_unit *u = &g->v[i].v[k];

			sums[u->type % types * width +
				place_in_whole(c, u->type, u->instance)] += u->slots;
		}
}

static void
check_whole_pool(const struct course *c)
{
	size_t width = 1;
	uint64_t *sums;

	for (size_t t = 0; t < c->whole.n; t++)
		width = c->whole.types[t].n > width ? c->whole.types[t].n : width;
	sums = NEW_ARRAY(c->a, uint64_t, c->whole.n * width);
	for (node_id i = 0; i < c->w.plan->n; i++)
		if (c->clock.ends[i])
			add_held(c, &c->seen.held[i], sums, width);
	for (size_t t = 0; t < c->whole.n; t++)
		for (size_t i = 0; i < c->whole.types[t].n; i++)
			assert_true(sums[t * width + i] <= c->whole.types[t].v[i].slots);
}

static size_t
slots_of(const struct course *c, node_id node)
{
	size_t n = capped(&c->w, c->w.plan->nodes[node].test->properties);
	size_t most = c->parts->parts.v[c->parts->parts.of[node]].parallel;

	return n < most ? n : most;
}

static void
check_slots(const struct course *c)
{
	size_t *used = NEW_ARRAY(c->a, size_t, c->parts->parts.n), all = 0;

	for (node_id i = 0; i < c->w.plan->n; i++)
		if (c->clock.ends[i]) {
			used[c->parts->parts.of[i]] += slots_of(c, i);
			all += slots_of(c, i);
		}
	assert_true(all <= c->w.parallel);
	for (size_t i = 0; i < c->parts->parts.n; i++)
		assert_true(used[i] <= c->parts->parts.v[i].parallel);
}

static void
check_others(const struct course *c, node_id node)
{
	const struct selected *t = &c->w.plan->selection->v[node];
	const struct properties *p = c->w.plan->nodes[node].test->properties;

	for (size_t k = 0; k < t->depends_n; k++)
		assert_true(c->ended[t->depends[k]]);
	for (node_id k = 0; k < c->w.plan->n; k++) {
		const struct properties *q = c->w.plan->nodes[k].test->properties;

		if (!c->clock.ends[k] || k == node)
			continue;
		assert_false(q->run_serial || p->run_serial);
		for (size_t l = 0; l < p->resource_locks.n; l++)
			assert_false(
				str_list_has(q->resource_locks, p->resource_locks.v[l]));
	}
}

static void
check_start_in_part(struct course *c, const struct action *at)
{
	uint32_t part = c->parts->parts.of[at->node];

	assert_false(c->seen.started[at->node]);
	c->seen.started[at->node] = true;
	assert_int_equal(at->part->number, part);
	assert_false(c->parts->parts.v[part].is_closed);
	if (!at->grant)
		return;
	copy_grant(c->a, at->grant, &c->seen.held[at->node]);
	for (size_t g = 0; g < at->grant->n; g++)
		for (size_t k = 0; k < at->grant->v[g].n; k++)
			assert_int_equal(pool_partition_of_type(&c->parts->pool,
						 at->grant->v[g].v[k].type),
				part);
}

/* No other partition has some of the nodes of a test that has them as a whole. */
static void
check_whole_nodes(const struct course *c, const struct action *at, struct counts *n)
{
	const struct properties *p = c->w.plan->nodes[at->node].test->properties;
	struct pool_nodes nodes;

	if (!at->grant || p->nodes < 2)
		return;
	nodes = pool_nodes_of(c->a, &c->parts->pool, at->grant);
	assert_int_equal(nodes.n, p->nodes);
	n->whole_nodes++;
	for (size_t t = 0; t < c->parts->pool.n; t++)
		for (size_t i = 0; i < c->parts->pool.types[t].n; i++)
			for (size_t k = 0; k < nodes.n; k++)
				assert_true(
					c->parts->pool.types[t].v[i].node != nodes.v[k] ||
					t / c->whole.n == at->part->number);
}

/* Of an instance of the whole pool: by tests and their leases. */
static uint64_t
held_here(const struct course *c, uint32_t type, uint32_t instance)
{
	const struct pool *p = &c->parts->pool;
	uint64_t sum = 0;

	for (uint32_t t = type; t < p->n; t += (uint32_t)c->whole.n)
		for (uint32_t i = 0; i < p->types[t].n; i++)
			if (place_in_whole(c, t, i) == instance)
				sum += p->types[t].v[i].held - p->types[t].v[i].others;
	return sum;
}

/* The slices of all that live, in whatever state, and what the pool says is held. */
static void
check_slices(const struct course *c)
{
	const struct partitions *p = c->parts;

	for (uint32_t t = 0; c->w.pool_text && t < c->whole.n; t++) {
		const struct resource_type *type = &c->whole.types[t];

		for (uint32_t i = 0; i < type->n; i++) {
			uint64_t active = 0, next = 0;

			for (size_t k = 0; k < p->v.n; k++) {
				const struct partition *one = &p->v.v[k];

				if (partition_is_final(one->state))
					continue;
				active += one->state == PARTITION_ACTIVE
						  ? one->slice.slots[t][i]
						  : 0;
				next += partition_takes_tests(one)
						? one->slice.slots[t][i]
						: 0;
			}
			assert_true(active <= type->v[i].slots);
			assert_true(next <= type->v[i].slots);
			assert_true(
				held_here(c, t, i) + (c->others ? c->others[t][i] : 0) <=
				type->v[i].slots);
		}
	}
}

static void
check_uids(const struct course *c)
{
	const struct partitions *p = c->parts;

	for (size_t i = 0; i < p->v.n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct partition *a = &p->v.v[i], *b = &p->v.v[k];

			assert_false(str_eq(a->uid, b->uid));
			assert_false(partition_takes_tests(a) &&
				     partition_takes_tests(b) &&
				     str_eq(a->request.name, b->request.name));
		}
}

/* ---- other runs ------------------------------------------------------------------ */

/* A part of an instance has free what other runs leave, as far as its slots reach. */
static void
check_part(const struct course *c, uint32_t type, uint32_t instance, struct counts *n)
{
	const struct resource_instance *in = &c->parts->pool.types[type].v[instance];
	uint32_t t = type % (uint32_t)c->whole.n;
	uint32_t i = (uint32_t)place_in_whole(c, type, instance);
	uint64_t room = in->slots - (in->held - in->others);
	uint64_t left =
		c->whole.types[t].v[i].slots - held_here(c, t, i) - c->others[t][i];

	assert_int_equal(in->slots - in->held, room < left ? room : left);
	n->in_need += left < room;
}

static void
tell_of_others(struct course *c, struct counts *n)
{
	const struct pool *p = &c->parts->pool;

	for (uint32_t t = 0; c->others && t < c->whole.n; t++)
		scheduler_set_others(c->scheduler, t, c->others[t]);
	for (uint32_t t = 0; c->others && t < p->n; t++)
		for (uint32_t i = 0; i < p->types[t].n; i++)
			check_part(c, t, i, n);
}

/* They take and give back; or all give back. */
static void
let_others_work(struct course *c, bool do_leave, struct counts *n)
{
	for (uint32_t t = 0; c->others && t < c->whole.n; t++)
		for (uint32_t i = 0; i < c->whole.types[t].n; i++) {
			uint64_t most = c->whole.types[t].v[i].slots - held_here(c, t, i);

			if (do_leave)
				c->others[t][i] = 0;
			else if (below(&c->seed, 3) == 0)
				c->others[t][i] = below(&c->seed, (unsigned)most + 1);
		}
	tell_of_others(c, n);
}

static void
add_others(struct course *c)
{
	c->others = NEW_ARRAY(c->a, uint64_t *, c->whole.n);
	for (size_t t = 0; t < c->whole.n; t++)
		c->others[t] = NEW_ARRAY(c->a, uint64_t, c->whole.types[t].n);
}

/* ---- changes --------------------------------------------------------------------- */

static void random_request(
	struct course *c, uint64_t *seed, size_t i, struct partition_request *q);

static const unsigned char *
lives(const struct course *c)
{
	unsigned char *life = NEW_ARRAY(c->a, unsigned char, c->w.plan->n);

	scheduler_lives(c->scheduler, life);
	for (node_id i = 0; i < c->w.plan->n; i++)
		assert_int_equal(life[i], c->clock.ends[i] ? LIFE_RUNS
					  : c->ended[i]    ? LIFE_ENDED
							   : LIFE_PENDING);
	return life;
}

static bool
is_of_stopping(const struct course *c, node_id node)
{
	const struct partitions *p = c->parts;

	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].part == p->parts.of[node])
			return p->v.v[i].is_stopping;
	return false;
}

static bool
is_drained(const struct course *c)
{
	bool is_drained = true;

	for (node_id i = 0; i < c->w.plan->n; i++)
		if (c->clock.ends[i] && is_of_stopping(c, i))
			is_drained = false;
	for (size_t i = 0; i < c->parts->v.n; i++)
		if (is_drained && c->parts->v.v[i].is_stopping)
			assert_int_equal(scheduler_part_running(
						 c->scheduler, c->parts->v.v[i].part),
				0);
	return is_drained;
}

static void
settle(struct course *c, struct counts *n)
{
	if (!c->parts->is_changing || !is_drained(c))
		return;
	partitions_commit(c->parts, lives(c), c->clock.now);
	scheduler_parts_changed(c->scheduler);
	tell_of_others(c, n);
	n->drained++;
	check_slices(c);
	check_uids(c);
}

static void
put_back(struct course *c, struct counts *n)
{
	for (node_id i = 0; i < c->w.plan->n; i++) {
		if (!c->clock.ends[i] || !is_of_stopping(c, i))
			continue;
		c->clock.ends[i] = 0;
		c->clock.running--;
		c->seen.started[i] = false;
		c->started--;
		scheduler_again(c->scheduler, i);
		n->put_back++;
	}
}

static void
change(struct course *c, struct counts *n)
{
	struct partition_request q[PARTS_MOST];
	struct partition_change new = {
		.start = q, .start_n = below(&c->seed, PARTS_MOST)};
	struct diag d = diag_in(c->a);
	size_t before = c->parts->v.n;
	str_vec stop = {NULL, 0, 0};

	for (size_t i = 0; i < new.start_n; i++) {
		random_request(c, &c->seed, i, &q[i]);
		q[i].name = below(&c->seed, 2) ? STR("") : q[i].name;
	}
	for (size_t i = 0; i < before; i++)
		if (below(&c->seed, 3) == 0 && partition_takes_tests(&c->parts->v.v[i]))
			VEC_PUSH(c->a, &stop, c->parts->v.v[i].uid);
	new.stop = str_vec_list(&stop);
	if (partitions_change(c->parts, &new, lives(c), c->clock.now, &d)) {
		n->changed++;
	} else {
		assert_true(d.errors > 0);
		n->refused++;
	}
	assert_int_equal(c->parts->v.n, before + new.start_n);
	for (size_t i = before; i < c->parts->v.n; i++)
		assert_int_equal(c->parts->v.v[i].state,
			c->parts->is_changing ? PARTITION_PENDING : PARTITION_FAILED);
	check_slices(c);
}

/* A test that runs asks for more, at once or not, or releases all. */
static void
ask_lease(struct course *c, struct counts *n)
{
	static const char *const terms[] = {"g:1", "h:1", "cpus:1", "g:1,h:1"};
	node_id node = below(&c->seed, (unsigned)c->w.plan->n);
	struct lease_request q = {.id = STR_NONE, .is_immediate = below(&c->seed, 2)};
	const char *why = "";
	struct leases *l;

	if (!c->w.pool_text || !c->clock.ends[node])
		return;
	l = scheduler_leases(c->scheduler, node, &why);
	if (!l) { /* A test that has no node of its own cannot get more there. */
		assert_true(c->whole.nodes_n > 1 && !c->seen.held[node].n);
		return;
	}
	assert_true(lease_terms_read(
		c->a, str_of(terms[below(&c->seed, ROWS(terms))]), &q.wanted, &why));
	n->leases += leases_ask(l, node, LEASE_NEW, &q).status == LEASE_GRANTED;
	(void)scheduler_leases_changed(c->scheduler);
	check_slices(c);
}

static void
disturb(struct course *c, struct counts *n)
{
	bool is_changing = c->parts->is_changing;

	switch (below(&c->seed, 6)) {
	case 0:
		if (!is_changing && c->parts->v.n < 40)
			change(c, n);
		break;
	case 1:
		if (is_changing)
			put_back(c, n);
		break;
	case 2:
		if (!is_changing || below(&c->seed, 2))
			break;
		partitions_call_off(c->parts, c->clock.now);
		scheduler_parts_changed(c->scheduler);
		n->called_off++;
		break;
	default:
		for (unsigned i = below(&c->seed, 4); i-- > 0;)
			ask_lease(c, n);
	}
	settle(c, n);
}

/* ---- a run ----------------------------------------------------------------------- */

static void
start_test(struct course *c, const struct action *at, struct counts *n)
{
	check_start_in_part(c, at);
	check_whole_nodes(c, at, n);
	c->started++;
	if (c->w.duration[at->node] && !at->fits_nowhere) {
		clock_start(&c->clock, at->node, c->w.duration[at->node]);
		check_whole_pool(c);
		check_slots(c);
		check_others(c, at->node);
		return;
	}
	c->ended[at->node] = true;
	scheduler_ended(c->scheduler, at->node);
}

static void
run(struct course *c, struct counts *n)
{
	bool do_leave = false;

	for (;;) {
		struct action at;
		node_id node;

		let_others_work(c, do_leave, n);
		if (c->changes)
			disturb(c, n);
		scheduler_time(c->scheduler, 1 + c->clock.now);
		at = scheduler_next(c->scheduler, SIZE_MAX);
		if (at.kind == ACT_DONE)
			break;
		if (at.kind == ACT_START) {
			start_test(c, &at, n);
			continue;
		}
		/* What nothing here can bring comes from others. */
		do_leave = c->others && !c->clock.running;
		if (do_leave)
			continue;
		node = clock_next(&c->clock, c->w.plan->n);
		c->ended[node] = true;
		scheduler_ended(c->scheduler, node);
		settle(c, n);
	}
	assert_int_equal(c->started, c->w.plan->n);
	for (node_id i = 0; i < c->w.plan->n; i++)
		assert_true(c->ended[i]);
	assert_true(!c->w.pool_text || pool_is_idle(&c->parts->pool));
	assert_false(c->parts->is_changing);
	partitions_end(c->parts, c->clock.now);
	for (size_t i = 0; i < c->parts->v.n; i++)
		assert_true(partition_is_final(c->parts->v.v[i].state));
}

/* ---- random partitions ----------------------------------------------------------- */

static void
random_request(struct course *c, uint64_t *seed, size_t i, struct partition_request *q)
{
	const char *text = c->w.pool_text ? sizes[below(seed, ROWS(sizes))] : "";
	const char *why = "";
	bool *accepts = NULL;

	if (below(seed, 2))
		accepts = NEW_ARRAY(c->a, bool, c->w.plan->n);
	for (node_id k = 0; accepts && k < c->w.plan->n; k++)
		accepts[k] = below(seed, 3) == 0;
	*q = (struct partition_request){.name = str_fmt(c->a, "q%zu", i),
		.text = str_of(text),
		.parallel = below(seed, 2) ? 1 + below(seed, 3) : 0,
		.accepts = accepts};
	assert_true(partition_sizes_read(c->a, q->text, &q->sizes, &why));
}

/* false: the pool is too small for them, which has been said. */
static bool
random_partitions(struct course *c, uint64_t *seed)
{
	struct partition_request q[PARTS_MOST];
	size_t n = 1 + below(seed, PARTS_MOST);
	struct diag d = diag_in(c->a);
	bool is_good;

	for (size_t i = 0; i < n; i++)
		random_request(c, seed, i, &q[i]);
	c->parts = partitions_new(c->a, c->w.pool_text ? &c->whole : NULL,
		c->w.plan->selection, c->w.parallel);
	is_good = partitions_begin(c->parts, q, n, NO_PLACE, &d);
	assert_int_equal(is_good, d.errors == 0);
	return is_good;
}

static void
plan_again(struct course *c, uint64_t *seed)
{
	double *expected = NEW_ARRAY(c->a, double, c->w.plan->n);

	for (node_id i = 0; i < c->w.plan->n; i++)
		expected[i] = below(seed, 30) / 8.0;
	plan_by_pressure(&c->w, expected);
	((struct plan *)(uintptr_t)c->w.plan)->reserve = 1 + below(seed, 4);
}

/* Several nodes, each with the pool of the world. */
static struct pool
pool_on_nodes(struct course *c, uint64_t *seed)
{
	enum { NODES_MOST = 4 };
	struct str *names = NEW_ARRAY(c->a, struct str, NODES_MOST);
	struct pool parts[NODES_MOST], p;
	size_t n = 2 + below(seed, NODES_MOST - 1);

	for (size_t i = 0; i < n; i++) {
		names[i] = str_fmt(c->a, "n%zu", i);
		parts[i] = world_pool(&c->w);
	}
	p = pool_join(c->a, names, parts, n);
	p.counts_processors = parts[0].counts_processors;
	return p;
}

static void
one_plan(uint64_t seed, struct counts *counts)
{
	struct arena *a = arena_open();
	struct course c = {.a = a, .changes = seed % 4 > 0};
	bool is_wide = seed % 2;
	size_t n;

	c.w = random_world_of(a, &seed, FEW, is_wide);
	n = c.w.plan->n;
	is_wide = is_wide && c.w.pool_text;
	c.whole = is_wide ? pool_on_nodes(&c, &seed) : world_pool(&c.w);
	if (below(&seed, 2))
		plan_again(&c, &seed);
	if (random_partitions(&c, &seed)) {
		struct scheduler_options o = {.parallel = c.w.parallel,
			.rewalk_after_refusal = c.w.rewalk,
			.parts = &c.parts->parts,
			.pool = c.w.pool_text ? &c.parts->pool : NULL};

		c.scheduler = scheduler_new(a, c.w.plan, &o);
		c.clock.ends = NEW_ARRAY(a, unsigned, n);
		c.seen = (struct witness){
			NEW_ARRAY(a, struct grant, n), NEW_ARRAY(a, bool, n)};
		c.ended = NEW_ARRAY(a, bool, n);
		c.seed = seed;
		if (c.w.pool_text && !is_wide && below(&c.seed, 4))
			add_others(&c);
		run(&c, counts);
		counts->shared += c.others != NULL;
		counts->divided++;
		counts->on_nodes += is_wide;
	}
	arena_close(a);
}

static void
random_partitions_keep_the_properties(void **state)
{
	const char *text = getenv("CCTR_SIM_PLANS");
	uint64_t n = text ? strtoull(text, NULL, 10) : PLANS;
	struct counts all = {0};

	(void)state;
	for (uint64_t i = 1; i <= n; i++)
		one_plan(i, &all);
	print_message("# %zu of %llu pools were divided; changes: %zu accepted, %zu "
		      "refused, %zu called off, %zu committed; %zu tests put back, %zu "
		      "leases; %zu on several nodes, %zu tests on whole ones; %zu beside "
		      "other runs, %zu parts in need\n",
		all.divided, (unsigned long long)n, all.changed, all.refused,
		all.called_off, all.drained, all.put_back, all.leases, all.on_nodes,
		all.whole_nodes, all.shared, all.in_need);
	assert_true(all.divided > n / 4);
	assert_true(all.changed > n / 8 && all.refused > n / 64);
	assert_true(all.put_back > n / 256 && all.called_off > n / 512);
	assert_true(all.drained > n / 16 && all.leases > n / 128);
	assert_true(all.on_nodes > n / 16 && all.whole_nodes > n / 64);
	assert_true(all.shared > n / 32 && all.in_need > n / 2);
}

/* ---- reservations ---------------------------------------------------------------- */

/* The first letter of a test is its partition. */
static struct partition_request
request_of_letter(struct course *c, char letter, const char *sizes_text)
{
	struct partition_request q = {.name = str_fmt(c->a, "%c", letter)};
	bool *accepts = NEW_ARRAY(c->a, bool, c->w.plan->n);
	const char *why = "";

	for (node_id i = 0; i < c->w.plan->n; i++)
		accepts[i] = c->w.plan->nodes[i].test->name.p[0] == letter;
	q.accepts = accepts;
	assert_true(partition_sizes_read(c->a, str_of(sizes_text), &q.sizes, &why));
	return q;
}

static void
begin_two_partitions(struct course *c)
{
	static const double expected[] = {100, 100, 4, 4, 10, 10},
			    urgency[] = {6, 5, 4, 3, 2, 1};
	struct diag d = diag_in(c->a);
	struct partition_request q[2];
	struct plan *plan;

	c->w = world_of(c->a,
		"a1 groups=g:2; a2 groups=g:2; b1 groups=h:1; bwide groups=h:2; "
		"b2 groups=h:1; b3 groups=h:1",
		8, "");
	c->w.pool_text = "g x=2; h x=2";
	c->whole = world_pool(&c->w);
	plan_by_pressure(&c->w, expected);
	plan = (struct plan *)(uintptr_t)c->w.plan;
	plan->reserve = 1;
	plan_rank_by(c->a, plan, urgency);
	for (node_id i = 0; i < ROWS(expected); i++)
		c->w.duration[i] = (unsigned)expected[i];
	q[0] = request_of_letter(c, 'a', "g=all");
	q[1] = request_of_letter(c, 'b', "h=all");
	c->parts = partitions_new(c->a, &c->whole, plan->selection, c->w.parallel);
	assert_true(partitions_begin(c->parts, q, 2, NO_PLACE, &d));
}

/* The best test of the run waits long, in its partition. The wide one of the other
 * partition has a reservation all the same, and is not overtaken. */
static void
each_partition_has_a_reservation(void **state)
{
	struct course c = {.a = arena_open()};
	struct scheduler_options o = {.parallel = 8};
	struct counts n = {0};
	struct action at;

	(void)state;
	begin_two_partitions(&c);
	o.parts = &c.parts->parts;
	o.pool = &c.parts->pool;
	c.scheduler = scheduler_new(c.a, c.w.plan, &o);
	c.clock.ends = NEW_ARRAY(c.a, unsigned, c.w.plan->n);
	c.ended = NEW_ARRAY(c.a, bool, c.w.plan->n);
	c.seen = (struct witness){NEW_ARRAY(c.a, struct grant, c.w.plan->n),
		NEW_ARRAY(c.a, bool, c.w.plan->n)};
	scheduler_time(c.scheduler, 1);
	while ((at = scheduler_next(c.scheduler, SIZE_MAX)).kind == ACT_START)
		start_test(&c, &at, &n);
	assert_int_equal(at.kind, ACT_WAIT);
	assert_true(c.seen.started[0] && c.seen.started[2]);
	assert_int_equal(c.started, 2);
	run(&c, &n);
	arena_close(c.a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_partition_has_a_reservation),
		cmocka_unit_test(random_partitions_keep_the_properties),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("partitions", tests, NULL, NULL);
}
