/*
 * What ctest checks before it starts a test. See prepare.h.
 *
 * The checks are a table in ctest's order; the first that refuses is the last. Until the
 * executable is looked for, there is no command to show.
 */
#include "compat/launch/prepare.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "compat/launch/launch_environment.h"
#include "compat/launch/llvm_profile.h"
#include "compat/launch/whole_nodes.h"
#include "compat/resources/node_requests.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/pmix/pmix_link.h"
#include "runner/pmix/pmix_server.h"
#include "runner/base/nearest.h"
#include "runner/resources/pool_request.h"

#define NO_LIMIT_S 1.0e7

struct prepare {
	struct preparer base;
	struct arena *arena;
	struct prepare_options options;
	struct launch_environment *environment;
	uint64_t opened_ns;
};
struct checking {
	const struct prepare *prepare;
	struct arena *arena;
	const struct preparation *what;
	const struct properties *properties;
	struct launch *launch;
	struct refusal *refusal;
};

static bool
refuse_test(struct checking *c, enum refusal_kind kind, struct str err)
{
	*c->refusal = (struct refusal){.kind = kind, .err = err, .log = err};
	return false;
}

/* ---- resources ------------------------------------------------------------------- */

/* The types that a test asks for, sorted by name, without duplicates. */
static struct str_list
types_asked_for(struct arena *a, const struct resource_groups *groups)
{
	struct map seen = map_in(a);
	str_vec types = {0};
	struct str_list sorted;

	for (size_t i = 0; i < groups->n; i++)
		for (size_t k = 0; k < groups->v[i].n; k++)
			if (map_add(&seen, groups->v[i].v[k].type))
				VEC_PUSH(a, &types, groups->v[i].v[k].type);
	sorted = str_vec_list(&types);
	str_list_sort(sorted);
	return sorted;
}

static struct resource_group
requirements_of_type(
	struct arena *a, const struct resource_groups *groups, struct str type)
{
	VEC(struct requirement) found = {0};

	for (size_t i = 0; i < groups->n; i++)
		for (size_t k = 0; k < groups->v[i].n; k++)
			if (str_eq(groups->v[i].v[k].type, type))
				VEC_PUSH(a, &found, groups->v[i].v[k]);
	return (struct resource_group){found.v, found.n};
}

static void
add_slots(struct buf *b, uint64_t slots)
{
	buf_fmt(b, "%llu slot%s\n", (unsigned long long)slots, slots == 1 ? "" : "s");
}

/* The option by which the pool has what is asked of a type, or, if tests for which it has
 * too little are skipped, declares that it has none. */
static void
add_declaration(const struct checking *c, struct buf *b, struct str type,
	const struct resource_group *asked)
{
	uint64_t largest = 0;

	if (str_is(type, NODES_TYPE)) {
		buf_z(b, "; a run with --engine or --launcher has nodes");
		return;
	}
	for (size_t i = 0; i < asked->n; i++)
		if (asked->v[i].slots > largest)
			largest = asked->v[i].slots;
	buf_fmt(b, "; consider --resource %.*s=", STR_ARG(type));
	if (c->prepare->options.skip_insufficient)
		buf_z(b, "0");
	else if (largest > 1)
		buf_fmt(b, "%zu:%llu", asked->n, (unsigned long long)largest);
	else
		buf_fmt(b, "%zu", asked->n);
}

/* "; did you mean 'gpus'?" where the pool has a type that is spelled nearly so. ctest
 * does not say this; cctr does where an option of its own is about the pool. */
static void
add_remedy(const struct checking *c, struct buf *b, struct str type,
	const struct resource_group *asked)
{
	const struct prepare_options *o = &c->prepare->options;
	str_vec names = {0};
	struct str meant;

	if (!o->skip_insufficient && o->telling.style < RESOURCE_STYLE_CCTR)
		return;
	for (size_t i = 0; i < o->pool->n; i++)
		if (!o->pool->types[i].is_absent)
			VEC_PUSH(c->arena, &names, o->pool->types[i].name);
	meant = nearest_word(type, str_vec_list(&names));
	if (meant.n)
		buf_str(b, nearest_question(c->arena, meant, "'"));
	else
		add_declaration(c, b, type, asked);
}

static bool
lacks_type(const struct checking *c, struct str type)
{
	const struct pool *pool = c->prepare->options.pool;
	uint32_t at = pool_type(pool, type);

	return at == MAP_NONE || pool->types[at].is_absent;
}

static void
add_shortage(const struct checking *c, struct buf *b,
	const struct resource_groups *request, struct str type)
{
	const struct pool *pool = c->prepare->options.pool;
	struct resource_group asked = requirements_of_type(c->arena, request, type);
	struct resource_groups alone = {
		.v = &asked, .n = 1, .partition = request->partition};
	uint32_t at = pool_type_in(pool, request->partition, type);

	if (lacks_type(c, type)) {
		buf_fmt(b,
			"  Test requested resources of type '%.*s' which does not exist",
			STR_ARG(type));
		add_remedy(c, b, type, &asked);
		buf_z(b, "\n\n");
		return;
	}
	if (pool_fit(pool, c->arena, &alone) == POOL_FITS)
		return;
	buf_fmt(b,
		"  Test requested resources of type '%.*s' in the following amounts:\n",
		STR_ARG(type));
	for (size_t i = 0; i < asked.n; i++) {
		buf_z(b, "    ");
		add_slots(b, asked.v[i].slots);
	}
	buf_z(b, "  but only the following units were available:\n");
	for (size_t i = 0; i < pool->types[at].n; i++) {
		buf_fmt(b, "    '%.*s': ", STR_ARG(pool->types[at].v[i].id));
		add_slots(b, pool->types[at].v[i].slots);
	}
	buf_char(b, '\n');
}

/* Whole nodes; pool: NULL if the run has none. */
static void
add_missing_nodes(struct buf *b, const struct pool *pool, uint64_t nodes)
{
	size_t have = pool && pool->nodes_n ? pool->nodes_n : 1;

	buf_fmt(b,
		"  Test requested %llu whole nodes with room for it, but the run has %zu "
		"node%s\n\n",
		(unsigned long long)nodes, have, have == 1 ? "" : "s");
}

static bool
check_resources(struct checking *c)
{
	const struct pool *pool = c->prepare->options.pool;
	struct buf b = {.arena = c->arena};
	bool skips = c->prepare->options.skip_insufficient;
	struct resource_groups request;
	struct str_list types;

	if (!c->what->fits_nowhere)
		return true;
	request =
		pool_request_in(c->arena, pool, pool ? c->what->part : 0, c->properties);
	types = types_asked_for(c->arena, &request);
	types.n = pool ? types.n : 0;
	buf_fmt(&b, "Insufficient resources for test %.*s:\n\n",
		STR_ARG(c->what->test->name));
	for (size_t i = 0; i < types.n; i++) {
		add_shortage(c, &b, &request, types.v[i]);
		skips = skips && !lacks_type(c, types.v[i]);
	}
	if (request.nodes)
		add_missing_nodes(&b, pool, request.nodes);
	if (pool)
		buf_fmt(&b, "Resource spec file:\n\n  %.*s",
			STR_ARG(c->prepare->options.resource_spec_file));
	if (!skips)
		return refuse_test(c, REFUSED_RESOURCES, buf_as_str(&b));
	*c->refusal =
		(struct refusal){.kind = REFUSED_RESOURCES_SKIP, .log = buf_as_str(&b)};
	return false;
}

/* ---- before the executable is looked for ----------------------------------------- */

static bool
check_directory(struct checking *c)
{
	bool quoted = c->prepare->options.dialect->has[DIALECT_ERROR_QUOTES_DIRECTORY];
	struct str directory = c->what->test->directory;
	int error;

	c->launch->directory =
		path_in(c->arena, c->prepare->options.directory, directory);
	error = path_why_not_entered(c->launch->directory);
	if (!error)
		return true;
	return refuse_test(c, REFUSED_DIRECTORY,
		str_fmt(c->arena,
			quoted ? "Failed to change working directory to \"%.*s\": %s"
			       : "Failed to change working directory to %.*s : %s",
			STR_ARG(directory), strerror(error)));
}

static bool
check_defect(struct checking *c)
{
	if (c->properties->defect.n == 0)
		return true;
	*c->refusal = (struct refusal){.kind = REFUSED_DEFECT,
		.out = c->properties->defect,
		.log = c->properties->defect};
	return false;
}

static bool
check_disabled(struct checking *c)
{
	if (!c->properties->disabled)
		return true;
	*c->refusal = (struct refusal){.kind = REFUSED_DISABLED, .log = STR("Disabled")};
	return false;
}

static struct str
name_setups(struct arena *a, const char *head, struct str_list setups)
{
	struct buf b = {.arena = a};

	buf_z(&b, head);
	for (size_t i = 0; i < setups.n; i++) {
		buf_char(&b, ' ');
		buf_str(&b, setups.v[i]);
	}
	return buf_as_str(&b);
}

static bool
check_fixtures(struct checking *c)
{
	struct str_list failed = c->what->failed_setups;
	struct str_list skipped = c->what->skipped_setups;
	struct str text;

	if (failed.n) {
		text = name_setups(c->arena, "Failed test dependencies:", failed);
		*c->refusal = (struct refusal){
			.kind = REFUSED_FIXTURE, .out = text, .log = text};
	} else if (skipped.n) {
		text = name_setups(c->arena,
			"Insufficient resources for test dependencies:", skipped);
		*c->refusal = (struct refusal){.kind = REFUSED_FIXTURE_SKIP, .log = text};
	}
	return !failed.n && !skipped.n;
}

/* ---- the command ----------------------------------------------------------------- */

/* The words of a memory checker. With one, a missing executable is not an error here. */
static struct str_list
words_before(struct checking *c)
{
	const struct wrapper *w = c->prepare->options.wrapper;
	struct str_list words = {0};

	if (!w)
		return words;
	words = w->type->words(w, c->arena, c->what->selected->number);
	c->launch->prefix = w->type->line(w, c->arena, words);
	return words;
}

static void
add_words(struct checking *c, const char **argv, const struct str *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		argv[i] = str_z(c->arena, words[i]);
}

/* A program of --wrapper runs the checker, which runs the test. It must not hide that
 * there is no test to run. */
static void
fill_command(struct checking *c, const char *path)
{
	const struct prepare_options *o = &c->prepare->options;
	const struct str_list *words = &c->what->test->command;
	struct str_list checker = words_before(c);
	size_t n = o->before.n + checker.n;
	const char **argv = NEW_ARRAY(c->arena, const char *, n + words->n + 2);

	add_words(c, argv, o->before.v, o->before.n);
	add_words(c, argv + o->before.n, checker.v, checker.n);
	argv[n] = path;
	if (words->n)
		add_words(c, argv + n + 1, words->v + 1, words->n - 1);
	c->launch->path = checker.n ? o->wrapper->path : path;
	c->launch->argv = argv;
	if (!o->before.n || !c->launch->path[0])
		return;
	if (checker.n)
		argv[o->before.n] = o->wrapper->path;
	c->launch->path = argv[0];
}

/* Refuses nothing yet: a missing file or configuration is reported first. */
static bool
find_command(struct checking *c)
{
	const struct test *t = c->what->test;
	struct str word = t->command.n ? t->command.v[0] : STR("");
	const struct executable *found =
		executable_find(c->prepare->options.finder, word, t->directory);

	c->launch->search = found->search;
	fill_command(c, found->not_available ? "NOT_AVAILABLE" : found->path.p);
	if (!found->not_available)
		return true;
	if (c->prepare->options.configuration.n == 0)
		return refuse_test(c, REFUSED_CONFIGURATION,
			STR("Test not available without configuration.  (Missing \"-C "
			    "<config>\"?)"));
	return refuse_test(c, REFUSED_CONFIGURATION,
		str_fmt(c->arena, "Test not available in configuration \"%.*s\".",
			STR_ARG(c->prepare->options.configuration)));
}

static bool
check_required_files(struct checking *c)
{
	struct str_list files = c->properties->required_files;

	for (size_t i = 0; i < files.n; i++) {
		struct str path = files.v[i];

		if (path.n == 0 || path.p[0] != '/')
			path = str_fmt(
				c->arena, "%s/%.*s", c->launch->directory, STR_ARG(path));

		if (!path_exists(str_z(c->arena, path)))
			return refuse_test(c, REFUSED_REQUIRED_FILE,
				str_fmt(c->arena, "Unable to find required file: %.*s",
					STR_ARG(files.v[i])));
	}
	return true;
}

static bool
check_executable(struct checking *c)
{
	struct str word =
		c->what->test->command.n ? c->what->test->command.v[0] : STR("");

	if (c->launch->path[0])
		return true;
	return refuse_test(c, REFUSED_EXECUTABLE,
		str_fmt(c->arena, "Unable to find executable: %.*s", STR_ARG(word)));
}

/* ---- the time limit -------------------------------------------------------------- */

static double
at_most_longest(double seconds)
{
	return seconds < NO_LIMIT_S ? seconds : NO_LIMIT_S;
}

static double
seconds_until(int64_t end_s)
{
	return (double)end_s - (double)loop_wall_us() / 1e6;
}

/* The seconds that CTEST_TIME_LIMIT leaves. */
static double
allowed_seconds(const struct prepare_options *o)
{
	return o->limit_end_s ? seconds_until(o->limit_end_s) : NO_LIMIT_S;
}

/* Keeps the last two minutes for what follows the tests. */
static double
allowed_for_tests(const struct prepare_options *o)
{
	return o->limit_end_s ? allowed_seconds(o) - 120 : NO_LIMIT_S;
}

/* The seconds until the time at which a test that still runs ends the run; 0: there is no
 * such time. */
static double
until_stop(const struct prepare_options *o)
{
	bool by_limit = o->limit_end_s && o->dialect->has[DIALECT_TIME_LIMIT_ENDS_RUN];
	double left = o->stop_s ? seconds_until(o->stop_s) : NO_LIMIT_S;

	if (!o->stop_s && !by_limit)
		return 0;
	if (by_limit && allowed_for_tests(o) < left)
		left = allowed_for_tests(o);
	return left > 0 ? left : 1e-9;
}

/* What the limit of a test is made from. */
struct limits {
	bool has_own;
	double own_s; /* TIMEOUT; 0 also where it is not set */
	double asked_s; /* --timeout; 0: not given */
	double default_s; /* 0: there is none */
};

/* The largest factor of its labels, else that of all tests. */
static double
limit_factor(const struct limit_options *o, const struct properties *p)
{
	double factor = 0;

	for (size_t i = 0; i < o->of_labels.n; i++)
		if (o->of_labels.v[i].factor > factor &&
			str_list_has(p->labels, o->of_labels.v[i].label))
			factor = o->of_labels.v[i].factor;
	if (factor > 0)
		return factor;
	return o->factor > 0 ? o->factor : 1;
}

/* Stays below the longest limit, which has a meaning of its own. */
static double
multiply_limit(double seconds, double factor)
{
	double most = NO_LIMIT_S - 1;

	if (factor == 1 || seconds <= 0 || seconds >= most)
		return seconds;
	return seconds * factor < most ? seconds * factor : most;
}

static struct limits
limits_of(const struct prepare_options *o, const struct properties *p, double factor)
{
	bool is_default = o->limits.has_default && !p->has_timeout;
	double default_s = is_default ? o->limits.default_s : o->default_timeout_s;

	return (struct limits){.has_own = p->has_timeout,
		.own_s = p->has_timeout ? multiply_limit(p->timeout_s, factor) : 0,
		.asked_s = multiply_limit(o->timeout_s, factor),
		.default_s = multiply_limit(default_s, factor)};
}

/* Until 3.26: --timeout beats TIMEOUT 0, and a TIMEOUT above the longest limit means no
 * limit. */
static double
limit_of_old(const struct prepare_options *o, const struct limits *l, double stop)
{
	double base = allowed_for_tests(o);
	double own = l->own_s;

	if (l->default_s > 0 && l->default_s < base)
		base = l->default_s;
	if (own == 0 && l->asked_s != 0)
		own = l->asked_s;
	else if (own == 0 && l->has_own && stop == 0)
		return 0;
	if (stop > 0 && (own <= 0 || stop < own))
		own = stop;
	if (own > 0 && own < allowed_seconds(o))
		return own;
	return base > 0 ? base : 1;
}

/* In 4.0 the longest limit counts like a CTEST_TIME_LIMIT. A limit that ends the run is
 * in until_stop. */
static double
left_for_tests(const struct prepare *p)
{
	const struct prepare_options *o = &p->options;

	if (o->limit_end_s && o->dialect->has[DIALECT_TIME_LIMIT_ENDS_RUN])
		return NO_LIMIT_S;
	if (o->limit_end_s || !o->dialect->has[DIALECT_LIMIT_IS_WHAT_IS_LEFT])
		return allowed_for_tests(o);
	return NO_LIMIT_S - 120 - (double)(loop_now_ns() - p->opened_ns) / 1e9;
}

static double
limit_of_new(const struct prepare *prepare, const struct limits *l, double stop)
{
	double limit = NO_LIMIT_S, left = left_for_tests(prepare);

	if (l->has_own && l->own_s >= 0)
		limit = l->own_s > 0 ? l->own_s : NO_LIMIT_S;
	else if (l->asked_s > 0)
		limit = l->asked_s;
	else if (l->default_s > 0)
		limit = l->default_s;
	if (left < limit)
		limit = left > 0 ? left : 1e-9;
	return at_most_longest(stop > 0 && stop < limit ? stop : limit);
}

static int
signal_by_name(struct str name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{"SIGINT", SIGINT},
		{"SIGQUIT", SIGQUIT},
		{"SIGTERM", SIGTERM},
		{"SIGUSR1", SIGUSR1},
		{"SIGUSR2", SIGUSR2},
	};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (str_is(name, signals[i].name))
			return signals[i].number;
	return 0;
}

static void
fill_limit(struct checking *c)
{
	const struct prepare_options *o = &c->prepare->options;
	const struct properties *p = c->properties;
	bool own_rules = o->dialect->has[DIALECT_PROPERTY_BEATS_TIMEOUT_OPTION];
	double stop = until_stop(o), factor = limit_factor(&o->limits, p);
	struct limits l = limits_of(o, p, factor);
	double limit = own_rules ? limit_of_new(c->prepare, &l, stop)
				 : limit_of_old(o, &l, stop);

	c->launch->limit_factor = factor;
	c->launch->timeout_s = limit;
	c->launch->timeout_ns = limit > 0 ? seconds_to_ns(limit) : NO_TIMEOUT;
	c->launch->limit_is_the_runs = stop > 0 && limit == stop;
	if (own_rules && stop > 0)
		c->launch->run_end_ns = loop_now_ns() + seconds_to_ns(stop);
	if (!o->dialect->has[DIALECT_TIMEOUT_SIGNAL])
		return;
	/* At --stop-time tests are killed without a TIMEOUT_SIGNAL first. */
	if (!c->launch->limit_is_the_runs)
		c->launch->timeout_signal = signal_by_name(p->timeout_signal_name);
	c->launch->timeout_grace_ns =
		seconds_to_ns(p->has_timeout_grace ? p->timeout_grace_s : 1);
}

/* ---- the environment ------------------------------------------------------------- */

static size_t
threads_of(const struct checking *c)
{
	size_t most = c->prepare->options.most_threads;
	size_t wanted = (size_t)c->properties->processors;

	if (c->what->pinned && most)
		return c->what->pinned;
	return wanted < most ? wanted : most;
}

static bool
make_temporary(struct checking *c)
{
	struct private_tmp *tmp = c->prepare->options.private_tmp;

	c->launch->temporary_mark = c->prepare->options.temporary_mark;
	c->launch->keeps_failed_temporary = c->prepare->options.keeps_failed_temporary;
	if (!tmp)
		return true;
	c->launch->temporary = private_tmp_make(tmp, c->arena);
	return c->launch->temporary ||
	       refuse_test(c, REFUSED_DIRECTORY,
		       str_fmt(c->arena, "Failed to make a temporary directory: %s",
			       strerror(errno)));
}

static bool
tell_nodes(struct checking *c, struct str_list *variables)
{
	const struct pool *pool = c->prepare->options.pool;
	const struct preparation *what = c->what;
	struct pool_nodes nodes;
	str_vec names = {0};
	struct str why;

	if (!c->prepare->options.whole_nodes || !what->grant || c->properties->nodes < 2)
		return true;
	nodes = pool_nodes_of(c->arena, pool, what->grant);
	for (size_t i = 0; i < nodes.n; i++)
		VEC_PUSH(c->arena, &names, pool->nodes[nodes.v[i]]);
	c->launch->whole_nodes = nodes.v;
	c->launch->whole_nodes_n = nodes.n;
	return whole_nodes_tell(c->prepare->options.whole_nodes, c->arena,
		       what->selected->number, str_vec_list(&names), variables, &why) ||
	       refuse_test(c, REFUSED_ENVIRONMENT,
		       str_fmt(c->arena, "cctr: %.*s", STR_ARG(why)));
}

static unsigned
pmix_ranks(const struct prepare_options *o, const struct properties *p)
{
	return (unsigned)(p->pmix ? p->pmix : o->pmix_for_all);
}

static void
no_pmix(const struct preparer *base, struct arena *attempt, const struct test *t,
	struct str why, struct refusal *r)
{
	struct str text = str_fmt(attempt, "cctr: test %.*s cannot use PMIx: %.*s",
		STR_ARG(t->name), STR_ARG(why));

	(void)base;
	*r = (struct refusal){.kind = REFUSED_ENVIRONMENT, .err = text, .log = text};
}

/* Last: the server knows only tests that start. */
static bool
tell_pmix(struct checking *c, struct str_list *variables)
{
	const struct prepare_options *o = &c->prepare->options;
	const char *why = o->pmix_lacks;
	unsigned ranks = pmix_ranks(o, c->properties);

	if (o->pmix && o->pmix_is_remote) {
		c->launch->pmix_ranks = (int)ranks;
		return true;
	}
	if (!ranks || (o->pmix && pmix_server_admit(pmix_link_server(o->pmix), c->arena,
					  c->what->node, variables, &why)))
		return true;
	no_pmix(&c->prepare->base, c->arena, c->what->test, str_of(why), c->refusal);
	return false;
}

static bool
fill_environment(struct checking *c)
{
	struct str why = launch_environment_defects(c->arena, c->what->test);
	struct buf changes = {.arena = c->arena};
	bool shows_changes = c->prepare->options.shows_changes;
	struct test_holding holding = {.grant = c->what->grant,
		.threads = threads_of(c),
		.partition = c->what->partition};

	fill_limit(c);
	if (why.n) {
		*c->refusal = (struct refusal){.kind = REFUSED_ENVIRONMENT, .err = why};
		return false;
	}
	why = launch_environment_unknown(
		c->prepare->environment, c->arena, c->what->test);
	if (why.n)
		return refuse_test(c, REFUSED_ENVIRONMENT,
			str_fmt(c->arena,
				"cctr: the environment of test %.*s has %.*s, but the "
				"pool has no such type",
				STR_ARG(c->what->test->name), STR_ARG(why)));
	if (!tell_nodes(c, &holding.of_nodes) || !tell_pmix(c, &holding.of_pmix) ||
		!make_temporary(c))
		return false;
	holding.temporary =
		c->launch->temporary ? c->launch->temporary : c->launch->temporary_mark;
	if (c->prepare->options.profile)
		holding.profile = llvm_profile_begin(
			c->prepare->options.profile, c->arena, c->what, c->launch);
	c->launch->environment = launch_environment_of(c->prepare->environment, c->arena,
		c->what->test, &holding, shows_changes ? &changes : NULL);
	if (shows_changes)
		c->launch->environment_changes = buf_as_str(&changes);
	return true;
}

/* ---- the preparer ---------------------------------------------------------------- */

static bool
prepare_test(const struct preparer *base, struct arena *attempt,
	const struct preparation *what, struct launch *l, struct refusal *r)
{
	static bool (*const checks[])(struct checking *) = {check_resources,
		check_directory, check_defect, check_disabled, check_fixtures,
		find_command, check_required_files, check_executable, fill_environment};
	struct checking c = {
		.prepare = (const struct prepare *)base,
		.arena = attempt,
		.what = what,
		.properties = what->test->properties,
		.launch = l,
		.refusal = r,
	};

	executable_finder_again(c.prepare->options.finder);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		if (!checks[i](&c)) {
			r->after_launch = l->path != NULL;
			return false;
		}
	return true;
}

/* What the PMIx server answers. */
static bool
is_prepared(const struct preparer *base, const struct preparation *what)
{
	const struct prepare_options *o = &((const struct prepare *)base)->options;
	unsigned ranks = pmix_ranks(o, what->test->properties);

	return !ranks || !o->pmix || o->pmix_is_remote ||
	       pmix_server_ask(pmix_link_server(o->pmix), what->node, ranks);
}

static void
not_started(const struct preparer *base, struct arena *attempt, const struct launch *l,
	int error, struct refusal *r)
{
	(void)base;
	*r = (struct refusal){
		.kind = REFUSED_START,
		.err = str_fmt(attempt, "Process not started\n %s\n[%.*s]\n", l->path,
			STR_ARG(loop_error_text(attempt, error))),
	};
	if (l->post_run)
		llvm_profile_not_started(l->post_run);
}

const struct preparer *
prepare_open(struct arena *a, const struct prepare_options *o)
{
	struct prepare *p = NEW(a, struct prepare);

	INVARIANT(o);
	p->base = (struct preparer){is_prepared, prepare_test, not_started, no_pmix};
	p->arena = a;
	p->options = *o;
	p->opened_ns = loop_now_ns();
	p->environment = launch_environment_open(
		a, &(struct launch_environment_options){.pool = o->pool,
			   .telling = o->telling,
			   .socket = o->socket,
			   .token = o->token,
			   .unset_empties =
				   o->dialect->has[DIALECT_UNSET_APPENDS_TO_NOTHING]});
	return &p->base;
}
