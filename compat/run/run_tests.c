/* See run_tests.h. */
#include "compat/run/run_tests.h"

#include "compat/launch/pinning.h"
#include "compat/resources/dynamic_spec.h"
#include "compat/resources/node_requests.h"
#include "compat/run/exact_names.h"
#include "compat/run/filters.h"
#include "compat/run/shard_choice.h"
#include "compat/run/strict.h"
#include "compat/run/test_filters.h"
#include "runner/cluster/cluster_pool.h"

/* ---- resources ------------------------------------------------------------------- */

static struct resource_sources
pool_sources(const struct run_context *c, const struct run_settings *s,
	const struct selection *selection)
{
	return (struct resource_sources){.dialect = c->dialect,
		.directory = c->start,
		.options = &s->options.resources,
		.gpus = run_gpu_session(c->arena),
		.is_generated = dynamic_spec_is_wanted(selection),
		.suite_file = selection->suite->resource_spec_file,
		.is_strict = s->options.selection.strict,
		.has_factors = options_have_own(&s->options, "--oversubscribe"),
		.has_backend = options_have_own(&s->options, "--gpu-backend"),
		.pool_file = s->inputs->pool_file};
}

static bool
load_pool(const struct run_context *c, const struct run_settings *s,
	const struct selection *selection, const struct run_nodes *nodes,
	struct resource_pool *pool, struct diag *d)
{
	const struct cluster_job *job = nodes ? &nodes->job : NULL;
	struct pool of_job;
	struct resource_sources from = pool_sources(c, s, selection);

	if (job && job->nodes_n) {
		of_job = cluster_pool(c->arena, job);
		from.job = &of_job;
	}
	return resource_pool_load(c->arena, &from, pool, d);
}

bool
run_resources_read(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, const struct run_nodes *nodes,
	struct resource_pool *pool)
{
	bool is_read = load_pool(c, s, selection, nodes, pool, &c->diag);

	console_diag(c->console, &c->diag);
	return is_read;
}

static bool
read_resources(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, const struct run_nodes *nodes,
	struct run_resources *r)
{
	if (!c->dialect->has[DIALECT_SPEC_READ_AFTER_CYCLES])
		return run_resources_read(c, s, selection, nodes, &r->pool);
	if (s->options.show_only != SHOW_NOTHING && !s->options.schedule.explain.n)
		return true;
	r->late = diag_in(c->arena);
	r->is_refused = !load_pool(c, s, selection, nodes, &r->pool, &r->late);
	return true;
}

/* A listing shows what is declared. */
static void
count_nodes(const struct run_context *c, const struct run_settings *s,
	struct selection *selection)
{
	const struct engine_options *o = &s->options.engine;
	struct resource_sources from;

	if ((!o->system && !o->launcher.n) || s->options.show_only == SHOW_JSON_V1 ||
		!node_requests_are_there(selection))
		return;
	from = pool_sources(c, s, selection);
	if (!resource_pool_declares(c->arena, &from, STR(NODES_TYPE)))
		node_requests_count(c->arena, selection);
}

/* What the command line says of a pool that is not there. */
static bool
check_pool_options(const struct options *o, const struct run_tests *t, struct diag *d)
{
	static const char *const names[] = {"--insufficient-resources",
		"--resource-placement", "--resource-environment", "--gpu-backend",
		"--gpu-visible"};

	if (t->resources.pool.is_there || t->resources.is_refused ||
		dynamic_spec_is_wanted(&t->selection) || o->show_only != SHOW_NOTHING ||
		o->print_labels)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (options_have_own(o, names[i]))
			return diag_error(d, NO_PLACE,
				"'%s' does nothing without a resource pool, such as that "
				"of --resource-spec-file=auto",
				names[i]);
	return true;
}

static bool
check_resources(struct run_context *c, const struct options *o, const struct run_tests *t)
{
	return check_pool_options(o, t, &c->diag) &&
	       (!o->selection.strict || !t->resources.pool.is_there ||
		       strict_check_resources(c->arena, &t->resources.pool.pool,
			       &t->selection, &c->diag));
}

/* ---- selection ------------------------------------------------------------------- */

static void
say_additions(struct console *console, const struct selection *s)
{
	for (size_t i = 0; i < s->additions.n; i++) {
		const struct addition *added = &s->additions.v[i];

		console_fmt(console, CHANNEL_ASIDE,
			"Added %s test %.*s required by fixture %.*s\n",
			added->is_cleanup ? "cleanup" : "setup", STR_ARG(added->test),
			STR_ARG(added->fixture));
	}
	console_fmt(console, CHANNEL_ASIDE,
		"Added %zu tests to meet fixture requirements\n", s->additions.n);
}

static bool
select_and_say(struct run_context *c, const struct run_settings *s,
	const struct run_suite *suite, struct filter *f, struct run_tests *t)
{
	struct selection *selection = &t->selection;
	struct str about_fixtures;

	if (!filters_read_others(c, s, suite->has_file, f, &about_fixtures)) {
		console_diag(c->console, &c->diag);
		return false;
	}
	*selection = select_tests(c->arena, suite->suite, f);
	if (s->options.selection.shards && !shard_choose(c, s, f, selection, &t->part)) {
		console_diag(c->console, &c->diag);
		return false;
	}
	if (suite->has_file)
		console_say(c->console, CHANNEL_ASIDE,
			STR("Done constructing a list of tests\n"));
	console_diag(c->console, &c->diag);
	console_say(c->console, CHANNEL_ASIDE, STR("Updating test list for fixtures\n"));
	console_raw(c->console, about_fixtures);
	say_additions(c->console, selection);
	count_nodes(c, s, selection);
	return true;
}

enum exit_code
run_tests_select(struct run_context *c, const struct run_settings *s,
	const struct run_suite *suite, struct filter *f, struct run_tests *t)
{
	const struct options *o = &s->options;
	const char *who = o->advises        ? "advise"
			  : o->show_history ? "history"
			  : o->show_log     ? "log"
					    : "--test";

	if (!exact_names_check(
		    c->arena, who, &o->selection.tests, suite->suite, &c->diag) ||
		!test_filters_accept(c, s, suite->suite, &f->accepted)) {
		console_diag(c->console, &c->diag);
		return EXIT_USAGE;
	}
	return select_and_say(c, s, suite, f, t) ? EXIT_OK : EXIT_TESTS_FAILED;
}

/* Options of a build decide which labels there are: one that no test has is an error
 * with --strict alone. A file may be for several build trees. */
static bool
check_names(struct run_context *c, const struct options *o, const struct filter *f,
	const struct suite *suite)
{
	bool is_strict = o->selection.strict;
	bool has_factors = options_have_own(o, "--timeout-multiplier");

	if (is_strict && !strict_check_names(c->arena, &o->selection, f, suite, &c->diag))
		return false;
	return !(is_strict || has_factors) ||
	       strict_check_factors(c->arena, &o->run.limits, is_strict, suite, &c->diag);
}

enum exit_code
run_tests_choose(struct run_context *c, const struct run_settings *s,
	const struct run_suite *suite, struct filter *f, struct run_tests *t)
{
	const struct options *o = &s->options;
	enum exit_code code = run_tests_select(c, s, suite, f, t);

	if (code != EXIT_OK)
		return code;
	if (!check_names(c, o, f, suite->suite)) {
		console_diag(c->console, &c->diag);
		return EXIT_TESTS_FAILED;
	}
	if (t->imagines_nodes && !run_nodes_imagine(c, s, &t->selection, &t->nodes))
		return EXIT_TESTS_FAILED;
	if (!run_nodes_ask(c, s, &t->selection, &t->nodes) ||
		!read_resources(c, s, &t->selection, &t->nodes, &t->resources))
		return EXIT_TESTS_FAILED;
	if (!check_resources(c, o, t)) {
		console_diag(c->console, &c->diag);
		return EXIT_TESTS_FAILED;
	}
	if (!explain_find(c->arena, &o->schedule.explain, &t->selection, &t->explained,
		    &c->diag)) {
		console_diag(c->console, &c->diag);
		return EXIT_USAGE;
	}
	run_nodes_keep(c->arena, &t->nodes, &t->resources.pool.pool);
	t->resources.pool.pool.prefers_first = t->nodes.remote.has_local;
	t->resources.pool.pool.engines =
		run_nodes_engines(c->arena, &t->nodes, &t->resources.pool.pool);
	if (!partition_choose(
		    c, s, &t->selection, &t->nodes, &t->resources.pool, &t->partitions)) {
		console_diag(c->console, &c->diag);
		return EXIT_USAGE;
	}
	if (!t->nodes.are_remote)
		t->processors = pinning_layout(c->arena, o->schedule.affinity,
			&t->selection, t->resources.pool.is_there, &c->diag);
	console_diag(c->console, &c->diag);
	return EXIT_OK;
}
