/* What a run would do: the order of the tests, and a simulation of it. */
#include "compat/run/session.h"

#include "compat/resources/feasibility.h"
#include "compat/run/simulate.h"
#include "runner/base/files.h"
#include "runner/schedule/choice.h"

/* ---- resources ------------------------------------------------------------------- */

static bool
load_resources(struct session *s, struct diag *d)
{
	struct resource_sources from = {.dialect = s->dialect,
		.options = s->options,
		.is_generated = dynamic_spec_is_wanted(&s->selection),
		.suite_file = s->suite->resource_spec_file,
		.pool_file = s->inputs->pool_file};

	return resource_pool_load(s->arena, &from, &s->pool, d);
}

bool
session_read_resources(struct session *s)
{
	bool is_read = load_resources(s, &s->diag);

	console_diag(s->console, &s->diag);
	return is_read;
}

bool
session_read_resources_in_time(struct session *s)
{
	if (!s->dialect->has[DIALECT_SPEC_READ_LAST])
		return session_read_resources(s);
	if (s->options->show_only != SHOW_NOTHING && !s->options->explain.n)
		return true;
	s->spec_diag = diag_in(s->arena);
	s->spec_is_refused = !load_resources(s, &s->spec_diag);
	return true;
}

static bool
find_generated(struct session *s)
{
	struct dynamic_spec_options o = {.dialect = s->dialect,
		.console = s->console,
		.selection = &s->selection,
		.has_pool = s->pool.is_there,
		.placement = s->options->resources.placement};

	return dynamic_spec_find(s->arena, &o, &s->generated, &s->diag);
}

/* For dialects that report errors in resources late: a test that makes the pool is
 * checked first. */
static void
say_refusal(struct session *s)
{
	if (!find_generated(s)) {
		s->spec_is_refused = true;
		s->spec_diag.entries.n = 0;
	}
	for (size_t i = 0; i < s->spec_diag.entries.n; i++)
		VEC_PUSH(s->arena, &s->diag.entries, s->spec_diag.entries.v[i]);
	s->spec_diag.entries.n = 0;
	console_diag(s->console, &s->diag);
}

/* ---- order ----------------------------------------------------------------------- */

/* For a plan: a pool that a test will make counts as no pool. */
static struct scheduler_options
session_scheduler_options(struct session *s)
{
	return (struct scheduler_options){.parallel = s->options->parallel,
		.finished = s->checkpoint.finished,
		.pool = s->pool.is_there ? &s->pool.pool : NULL,
		.affinity_cpus = s->processors.n,
		.pins_all = s->options->affinity,
		.one_with_groups = s->options->resources.no_spec == NO_SPEC_SERIAL,
		.rewalk_after_refusal = s->dialect->has[DIALECT_REFUSED_START_AGAIN]};
}

static struct plan_options
plan_options_of(struct session *s)
{
	const struct options *o = s->options;

	return (struct plan_options){.parallel = o->parallel,
		.random = o->schedule_random,
		.schedule = o->schedule,
		.reserve = o->reserve,
		.pool = s->pool.is_there ? &s->pool.pool : NULL,
		.recorded = s->recorded,
		.seed = o->schedule_random_seed};
}

/* CostDataFile of the configuration, else the usual path. */
static struct str
cost_file(const struct session *s)
{
	struct str said = configuration_get(&s->settings.configuration, "CostDataFile");

	return said.n ? path_join(s->arena, s->directory, said)
		      : path_join(s->arena, s->temporary, STR("CTestCostData.txt"));
}

struct plan *
session_check_graph(struct session *s, const struct plan_options *po)
{
	const struct test *culprit = NULL;
	struct plan *plan;

	console_say(
		s->console, CHANNEL_ASIDE, STR("Checking test dependency graph...\n"));
	plan = plan_build(s->arena, &s->selection, po, &culprit);
	if (!plan)
		console_fmt(s->console, CHANNEL_ERROR,
			"Error: a cycle exists in the test dependency graph for the test "
			"\"%.*s\".\nPlease fix the cycle and run ctest again.\n",
			STR_ARG(culprit->name));
	else
		console_say(s->console, CHANNEL_ASIDE,
			STR("Checking test dependency graph end\n"));
	say_refusal(s);
	return s->spec_is_refused ? NULL : plan;
}

struct plan *
session_plan(struct session *s)
{
	const struct options *o = s->options;
	struct plan_options po;
	struct scheduler_options so = session_scheduler_options(s);
	struct plan *plan;

	s->cost = cost_data_load(s->arena, s->dialect, cost_file(s), o->parallel);
	s->recorded = cost_data_recorded(s->arena, s->cost, &s->selection);
	if (o->simulate_durations.n)
		s->recorded = simulate_recorded(s->arena, o->simulate_durations,
			&s->selection, s->recorded, &s->diag);
	if (s->pool.is_there)
		feasibility_warn(&s->pool.pool, &s->selection, &s->diag);
	console_diag(s->console, &s->diag);
	if (!s->recorded)
		return NULL;
	po = plan_options_of(s);
	plan = session_check_graph(s, &po);
	if (plan)
		choose_order(s->arena, plan, &so, CHOICE_STARTS);
	return plan;
}

struct scheduler_options
session_run_options(struct session *s)
{
	struct scheduler_options so = session_scheduler_options(s);

	if (s->generated)
		so.pool = &s->generated->pool;
	return so;
}

struct explain_request
session_explain_request(struct session *s, const struct plan *plan)
{
	return (struct explain_request){.tests = s->explained,
		.plan = plan,
		.recorded = s->recorded,
		.options = plan_options_of(s),
		.scheduler = session_scheduler_options(s)};
}

void
session_explain(struct session *s, const struct plan *plan)
{
	struct explain_request r = session_explain_request(s, plan);

	explain_plan(&s->explanation, &r);
}

enum exit_code
session_simulate(struct session *s)
{
	struct plan *plan = session_plan(s);
	struct simulate_request r = {.plan = plan,
		.recorded = s->recorded,
		.scheduler = session_scheduler_options(s)};
	struct buf out = {.arena = s->arena};

	if (!plan)
		return EXIT_USAGE;
	simulate(&out, &r);
	console_say(s->console, CHANNEL_OUTPUT, buf_as_str(&out));
	if (s->explained.v.n)
		session_explain(s, plan);
	return EXIT_OK;
}
