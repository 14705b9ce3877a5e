/*
 * The program takes the place of cctr: terminal, job control, signals and exit code are
 * those of the program, and nothing of cctr is between. So nothing that a run does after
 * a test can be done here.
 */
#include "compat/run/debug_test.h"

#include <string.h>

#include "compat/launch/prepare.h"
#include "compat/run/exact_names.h"
#include "compat/run/run_tests.h"
#include "runner/base/streams.h"
#include "runner/process/command.h"
#include "runner/process/guardian.h"
#include "runner/process/process.h"
#include "runner/resources/pool_request.h"

struct debugging {
	struct run_context *c;
	const struct run_settings *s;
	struct selection selection; /* of all tests */
	struct resource_pool resources;
	struct grant grant;
	struct preparation what;
};

static bool
refuse_to_debug(struct debugging *b, struct str why)
{
	return diag_error(&b->c->diag, NO_PLACE, "--debug-test: test \"%.*s\": %.*s",
		STR_ARG(b->s->options.debug_test), STR_ARG(str_trim(why)));
}

static bool
find_test(struct debugging *b, const struct suite *suite)
{
	struct str name = b->s->options.debug_test;
	str_vec names = {.v = &name, .n = 1, .cap = 1};
	struct filter all = {0};

	if (!exact_names_check(b->c->arena, "--debug-test", &names, suite, &b->c->diag))
		return false;
	b->selection = select_tests(b->c->arena, suite, &all);
	for (size_t i = 0; i < b->selection.n; i++) {
		const struct selected *t = &b->selection.v[i];

		if (!str_eq(suite->tests[t->test].name, name))
			continue;
		if (b->what.test)
			return refuse_to_debug(b, STR("several tests have this name"));
		b->what.selected = t;
		b->what.test = &suite->tests[t->test];
	}
	return b->what.test || refuse_to_debug(b, STR("it cannot be selected"));
}

/* As in a run where nothing else runs. */
static bool
take_resources(struct debugging *b)
{
	struct arena *a = b->c->arena;
	struct pool *pool = &b->resources.pool;
	const struct properties *p = b->what.test->properties;
	struct resource_groups request;

	if (!run_resources_read(b->c, b->s, &b->selection, NULL, &b->resources))
		return false;
	if (pool->is_awaited) {
		diag_warning(&b->c->diag, NO_PLACE,
			"--debug-test: another test makes the resources, in a run; "
			"their variables are left out");
		b->resources.is_there = false;
	}
	request = pool_request(a, pool, p);
	if (!b->resources.is_there || (!request.n && !request.nodes))
		return true;
	b->what.fits_nowhere = !pool_take_alone(pool, a, &request, &b->grant);
	b->what.grant = &b->grant;
	return true;
}

/* The debugger, which runs the program of --wrapper, which runs the test. */
static bool
find_words_before(struct debugging *b, struct str_list *before)
{
	struct arena *a = b->c->arena;
	struct str_list debugger = b->s->options.debugger;
	str_vec words = {0};
	int error;

	VEC_PUSH_ALL(a, &words, debugger);
	VEC_PUSH_ALL(a, &words, b->s->before);
	*before = str_vec_list(&words);
	if (!debugger.n)
		return true;
	error = command_locate(a, debugger.v[0], NULL, &before->v[0]);
	if (error && before->v[0].n)
		return refuse_to_debug(b,
			str_fmt(a, "%.*s: %s", STR_ARG(before->v[0]), strerror(error)));
	return before->v[0].n ||
	       refuse_to_debug(b, str_fmt(a, "there is no program \"%.*s\" in PATH",
					  STR_ARG(debugger.v[0])));
}

static bool
prepare_launch(struct debugging *b, struct launch *l)
{
	const struct run_settings *s = b->s;
	struct prepare_options o = {
		.dialect = b->c->dialect,
		.finder = executable_finder_new(b->c->arena, b->c->dialect,
			s->options.configuration, b->c->directory),
		.configuration = s->options.configuration,
		.pool = b->resources.is_there ? &b->resources.pool : NULL,
		.telling = b->resources.telling,
		.resource_spec_file = b->resources.shown_as,
	};
	struct refusal r = {.kind = REFUSED_NOT};
	const struct preparer *p;

	if (!find_words_before(b, &o.before))
		return false;
	p = prepare_open(b->c->arena, &o);
	if (p->prepare(p, b->c->arena, &b->what, l, &r))
		return true;
	return refuse_to_debug(b, r.err.n ? r.err : r.log);
}

enum exit_code
debug_test(struct run_context *c, const struct run_settings *s, const struct suite *suite)
{
	struct debugging b = {.c = c, .s = s};
	struct launch l = {.timeout_ns = NO_TIMEOUT};
	int error;

	INVARIANT(s->options.debug_test.p);
	if (!find_test(&b, suite)) {
		console_diag(c->console, &c->diag);
		return EXIT_USAGE;
	}
	if (take_resources(&b) && prepare_launch(&b, &l)) {
		console_diag(c->console, &c->diag);
		guardian_end();
		streams_drain();
		error = process_become(c->arena, &l);
		refuse_to_debug(&b, str_fmt(c->arena, "%s cannot be started: %s", l.path,
					    strerror(error)));
	}
	console_diag(c->console, &c->diag);
	return EXIT_TESTS_FAILED;
}
