/* See run_plan.h. */
#include "compat/run/run_plan.h"

#include "compat/resources/feasibility.h"
#include "compat/run/simulate.h"
#include "compat/run/suite_times.h"
#include "runner/base/files.h"
#include "runner/schedule/choice.h"

/* CostDataFile of the configuration, else the usual path. */
static struct str
cost_file(struct arena *a, const struct run_settings *s)
{
	struct str said = configuration_get(&s->files.configuration, "CostDataFile");

	return said.n ? path_join(a, s->directory, said)
		      : path_join(a, s->temporary, STR("CTestCostData.txt"));
}

static bool
find_generated(struct run_context *c, const struct run_settings *s,
	const struct run_tests *t, struct dynamic_spec **generated)
{
	struct dynamic_spec_options o = {.dialect = c->dialect,
		.console = c->console,
		.selection = &t->selection,
		.directory = c->start,
		.has_pool = t->resources.pool.is_there,
		.placement = s->options.resources.placement,
		.telling = t->resources.pool.telling};

	return dynamic_spec_find(c->arena, &o, generated, &c->diag);
}

/* For dialects that report errors in resources late: a test that makes the pool is
 * checked first. */
static void
say_refusal(struct run_context *c, const struct run_settings *s, struct run_tests *t,
	struct dynamic_spec **generated)
{
	struct run_resources *r = &t->resources;

	if (!find_generated(c, s, t, generated)) {
		r->is_refused = true;
		r->late.entries.n = 0;
	}
	VEC_PUSH_ALL(c->arena, &c->diag.entries, r->late.entries);
	r->late.entries.n = 0;
	console_diag(c->console, &c->diag);
}

/* NULL: there is no plan; that has been reported. */
static struct plan *
build_plan(struct run_context *c, const struct run_settings *s, struct run_tests *t,
	const struct plan_options *po, struct dynamic_spec **generated)
{
	const struct test *culprit = NULL;
	struct plan *plan;

	console_say(
		c->console, CHANNEL_ASIDE, STR("Checking test dependency graph...\n"));
	plan = plan_build(c->arena, &t->selection, po, &culprit);
	if (!plan)
		console_fmt(c->console, CHANNEL_ERROR,
			"Error: a cycle exists in the test dependency graph for the test "
			"\"%.*s\".\nPlease fix the cycle and run ctest again.\n",
			STR_ARG(culprit->name));
	else
		console_say(c->console, CHANNEL_ASIDE,
			STR("Checking test dependency graph end\n"));
	say_refusal(c, s, t, generated);
	return t->resources.is_refused ? NULL : plan;
}

bool
run_plan_check(struct run_context *c, const struct run_settings *s, struct run_tests *t)
{
	struct dynamic_spec *generated = NULL;
	struct plan_options po = {.parallel = 1,
		.recorded = NEW_ARRAY(c->arena, struct recorded, t->selection.n)};

	return build_plan(c, s, t, &po, &generated) != NULL;
}

/* Whether a partition has an order that needs expected times. */
static bool
has_pressure(const struct partitions *p)
{
	for (size_t i = 0; p && i < p->v.n; i++)
		if (p->v.v[i].request.order == PARTITION_ORDER_PRESSURE)
			return true;
	return false;
}

/* NULL: a file of times cannot be read. */
static const struct recorded *
read_records(struct run_context *c, const struct run_settings *s,
	const struct run_tests *t, size_t parallel, struct cost_data **cost)
{
	const struct schedule_options *o = &s->options.schedule;
	struct recorded *recorded;

	*cost = cost_data_load(c->arena, c->dialect, cost_file(c->arena, s), parallel);
	recorded = cost_data_recorded(c->arena, *cost, &t->selection);
	if ((o->order == SCHEDULE_PRESSURE || has_pressure(t->partitions) ||
		    o->simulate || o->timings.n || t->explained.v.n || s->is_live) &&
		!suite_times_fill(c, s, &t->selection, recorded))
		return NULL;
	if (!o->durations.n)
		return recorded;
	return simulate_recorded(c->arena,
		&(struct simulated_times){o->durations, s->options.configuration},
		&t->selection, recorded, &c->diag);
}

/* true: one test with RESOURCE_GROUPS at a time, where there is no pool. No one counts
 * what such tests would have got from a batch system that is not there. */
static bool
runs_groups_alone(const struct resource_options *o, const struct run_nodes *nodes)
{
	return o->no_spec == NO_SPEC_SERIAL ||
	       (o->no_spec == NO_SPEC_UNSAID && nodes->is_converted);
}

/* Tests of partitions that have an order of their own get it among themselves. */
static void
order_partitions(struct arena *a, const struct run_tests *t, struct run_plan *p)
{
	static const struct {
		bool random;
		enum schedule schedule;
	} rows[PARTITION_ORDERS] = {
		[PARTITION_ORDER_CTEST] = {false, SCHEDULE_CTEST},
		[PARTITION_ORDER_PRESSURE] = {false, SCHEDULE_PRESSURE},
		[PARTITION_ORDER_RANDOM] = {true, SCHEDULE_CTEST},
	};

	for (size_t i = 0; t->partitions && i < t->partitions->v.n; i++) {
		const struct partition *one = &t->partitions->v.v[i];
		struct plan_options o = p->options;
		const struct test *culprit;

		if (one->request.order == PARTITION_ORDER_OF_RUN)
			continue;
		o.random = rows[one->request.order].random;
		o.schedule = rows[one->request.order].schedule;
		plan_rank_part(a, p->plan, plan_build(a, &t->selection, &o, &culprit),
			t->partitions->parts.of, one->part);
	}
}

bool
run_plan_make(struct run_context *c, const struct run_settings *s, struct run_tests *t,
	size_t parallel, struct run_plan *p)
{
	const struct options *o = &s->options;
	struct resource_pool *rp = &t->resources.pool;
	struct pool *pool = rp->is_there ? &rp->pool : NULL;
	struct partitions *parts = t->partitions;

	*p = (struct run_plan){
		.options = {.parallel = parallel,
			.random = o->schedule.random,
			.schedule = o->schedule.order,
			.reserve = o->schedule.reserve,
			.pool = pool,
			.seed = o->schedule.seed},
		.scheduler = {.parallel = parallel,
			.pool = pool && parts ? &parts->pool : pool,
			.parts = parts ? &parts->parts : NULL,
			.affinity_cpus = t->nodes.are_remote ? parallel : t->processors.n,
			.pins_all = o->schedule.affinity,
			.one_with_groups = runs_groups_alone(&o->resources, &t->nodes),
			.rewalk_after_refusal =
				c->dialect->has[DIALECT_REFUSED_TEST_STOPS_RUN]},
	};
	p->recorded = p->options.recorded = read_records(c, s, t, parallel, &p->cost);
	if (pool)
		feasibility_warn(pool, &t->selection, &c->diag);
	console_diag(c->console, &c->diag);
	if (!p->recorded)
		return false;
	p->plan = build_plan(c, s, t, &p->options, &p->generated);
	if (!p->plan)
		return false;
	choose_order(c->arena, p->plan, &p->scheduler, CHOICE_STARTS);
	order_partitions(c->arena, t, p);
	return true;
}

struct explain_request
run_plan_explain_request(const struct run_plan *p, const struct run_tests *t)
{
	return (struct explain_request){.tests = t->explained,
		.plan = p->plan,
		.recorded = p->recorded,
		.options = p->options,
		.scheduler = p->scheduler,
		.names_nodes = t->nodes.job.nodes_n > 0};
}

void
run_plan_explain(const struct run_plan *p, const struct run_tests *t,
	struct explanation *explanation)
{
	struct explain_request r = run_plan_explain_request(p, t);

	if (t->explained.v.n)
		explain_plan(explanation, &r);
}

enum exit_code
run_plan_simulate(struct run_context *c, const struct run_settings *s,
	struct run_tests *t, struct explanation *explanation)
{
	struct run_plan p;
	struct buf out = {.arena = c->arena};

	if (!run_plan_make(
		    c, s, t, run_nodes_parallel(&t->nodes, &s->options.schedule), &p))
		return EXIT_USAGE;
	simulate(&out, explanation,
		&(struct simulate_request){.plan = p.plan,
			.recorded = p.recorded,
			.scheduler = p.scheduler});
	console_say(c->console, CHANNEL_OUTPUT, buf_as_str(&out));
	run_plan_explain(&p, t, explanation);
	return EXIT_OK;
}
