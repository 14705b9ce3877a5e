/* The run: what reports get, in which order, with real processes. */
#include "compat/format/regex.h"
#include "runner/base/loop.h"
#include "runner/base/tree_removal.h"
#include "runner/run/run.h"
#include "runner/run/run_output.h"
#include "tests/helpers/helper.h"
#include "tests/unit/unit.h"

enum { MOST_TESTS = 300 };

struct recorder {
	struct report base;
	struct arena *arena;
	struct buf trace;
	int raise_at_output; /* signal sent to ourselves at the first line */
};
struct fixture {
	struct arena *arena;
	struct diag diag;
	struct match_set *patterns;
	struct properties properties[MOST_TESTS];
	struct test tests[MOST_TESTS];
	const char *words[MOST_TESTS]; /* of the helper; NULL: refused */
	struct selected selected[MOST_TESTS];
	struct suite suite;
	struct selection selection;
	struct recorder recorder;
	struct run run;
	struct tally tally;
	int interrupted;
	double run_left_s; /* 0: not given */
	struct pool *pool;
	const struct recorded *recorded;
	engine_open_call *opener; /* NULL: that of this machine */
};

/* ---- a report that keeps a trace ------------------------------------------------- */

static const char *const verdict_words[VERDICTS] = {
	[VERDICT_PASSED] = "Completed",
	[VERDICT_FAILED] = "Failed",
	[VERDICT_TIMEOUT] = "Timeout",
	[VERDICT_SKIPPED] = "Skipped",
	[VERDICT_DISABLED] = "Disabled",
	[VERDICT_NOT_RUN] = "Not Run",
	[VERDICT_BAD_COMMAND] = "BAD_COMMAND",
	[VERDICT_SEGFAULT] = "fault",
	[VERDICT_ILLEGAL] = "fault",
	[VERDICT_INTERRUPT] = "fault",
	[VERDICT_NUMERICAL] = "fault",
	[VERDICT_OTHER_FAULT] = "fault",
};
static const struct output_tags tags = {.head = "<CTest",
	.details = {"<CTestDetails>", "</CTestDetails>"},
	.label = {"<CTestLabel>", "</CTestLabel>"}};

/* "S1 L1 [line] E1:Completed! ": ! for the last attempt. */
static void
on_event(struct report *report, const struct event *e)
{
	struct recorder *r = (struct recorder *)report;
	unsigned n = e->attempt ? e->attempt->number : 0;

	switch (e->kind) {
	case EVENT_BEGIN:
		buf_z(&r->trace, "( ");
		break;
	case EVENT_START:
		buf_fmt(&r->trace, "S%u ", n);
		break;
	case EVENT_LAUNCH:
		buf_fmt(&r->trace, "L%u ", n);
		break;
	case EVENT_OUTPUT:
		buf_fmt(&r->trace, "[%.*s] ", STR_ARG(e->text));
		if (r->raise_at_output)
			raise(r->raise_at_output);
		r->raise_at_output = 0;
		break;
	case EVENT_DETAILS:
		buf_fmt(&r->trace, "details=%.*s ", STR_ARG(e->text));
		break;
	case EVENT_LABEL:
		buf_fmt(&r->trace, "label=%.*s ", STR_ARG(e->text));
		break;
	case EVENT_AGAIN:
	case EVENT_NOTICE:
	case EVENT_PARTITIONS:
	case EVENT_PUT_BACK:
	case EVENT_WARNING:
	case EVENT_TIMEOUT:
		buf_fmt(&r->trace, "limit=%g ", e->seconds);
		break;
	case EVENT_LEAK:
		buf_fmt(&r->trace, "leak%u ", n);
		break;
	case EVENT_SLOW:
		buf_fmt(&r->trace, "slow%u ", n);
		break;
	case EVENT_END:
		buf_fmt(&r->trace, "E%u:%s%s ", n, verdict_words[e->verdict->kind],
			e->is_last ? "!" : "");
		break;
	case EVENT_WITHDRAW:
		buf_fmt(&r->trace, "W%u ", n);
		break;
	case EVENT_IDLE:
		break;
	case EVENT_INTERRUPT:
		buf_fmt(&r->trace, "I%d ", e->signal);
		break;
	case EVENT_FINISH:
		buf_z(&r->trace, ")");
		break;
	case EVENTS:
		fail();
	}
}

/* ---- a preparer that starts the helper ------------------------------------------- */

static struct fixture *the_fixture; /* preparers have no context of their own here */

static bool
prepare(const struct preparer *p, struct arena *attempt, const struct preparation *what,
	struct launch *l, struct refusal *r)
{
	static const char *const environment[] = {HELPER_ENVIRONMENT, NULL};
	const char **argv = NEW_ARRAY(attempt, const char *, 16);
	struct str words = str_of(the_fixture->words[what->test - the_fixture->tests]);
	size_t n = 0;

	(void)p;
	if (what->failed_setups.n) {
		r->kind = REFUSED_FIXTURE;
		return false;
	}
	if (what->test->properties->disabled || !words.p) {
		r->kind = words.p ? REFUSED_DISABLED : REFUSED_EXECUTABLE;
		r->after_launch = !words.p;
		return false;
	}
	argv[n++] = helper_path();
	while (words.n) {
		size_t k = str_find(words, ' ');

		argv[n++] = str_z(attempt, str_cut(words.p, k));
		words = str_from(words, k < words.n ? k + 1 : k);
	}
	l->path = str_is(what->test->name, "bad") ? "/nonexistent/program" : argv[0];
	l->argv = argv;
	l->environment = environment;
	l->directory = "/";
	l->timeout_ns = what->test->properties->has_timeout
				? (uint64_t)(what->test->properties->timeout_s * 1e9)
				: NO_TIMEOUT;
	l->limit_is_the_runs = the_fixture->run.throttle != NULL;
	if (the_fixture->run_left_s > 0)
		l->run_end_ns = loop_now_ns() + (uint64_t)(the_fixture->run_left_s * 1e9);
	return true;
}

static void
not_started(const struct preparer *p, struct arena *attempt, const struct launch *l,
	int error, struct refusal *r)
{
	(void)p, (void)attempt, (void)l;
	*r = (struct refusal){.kind = REFUSED_NOT, .err = STR("no")};
	assert_true(error > 0);
}

/* ---- fixture --------------------------------------------------------------------- */

static int
setup(void **state)
{
	static const struct report_type type = {.name = "recorder", .event = on_event};
	static const struct preparer preparer = {
		.prepare = prepare, .not_started = not_started};
	static struct report *reports[1];
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = arena_open();
	f->diag = diag_in(f->arena);
	f->patterns = match_set_open(f->arena, regex_parse);
	f->recorder = (struct recorder){
		.base = {.type = &type}, .arena = f->arena, .trace = {.arena = f->arena}};
	reports[0] = &f->recorder.base;
	f->suite.tests = f->tests;
	f->selection = (struct selection){.suite = &f->suite, .v = f->selected};
	f->run = (struct run){.arena = f->arena,
		.selection = &f->selection,
		.scratch_directory = STR("/tmp"),
		.tags = &tags,
		.preparer = &preparer,
		.reports = reports,
		.reports_n = 1};
	the_fixture = f;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	match_set_close(f->patterns);
	arena_close(f->arena);
	free(f);
	return 0;
}

static struct properties *
add(struct fixture *f, const char *name, const char *words)
{
	size_t i = f->selection.n++;

	f->properties[i] = properties_default;
	f->words[i] = words;
	f->tests[i] = (struct test){.name = str_of(name),
		.directory = STR("/"),
		.properties = &f->properties[i]};
	f->selected[i] = (struct selected){.test = (test_id)i, .number = (unsigned)i + 1};
	f->suite.n = f->selection.loaded = f->selection.n;
	f->selection.largest_number = (unsigned)f->selection.n;
	return &f->properties[i];
}

/* Test i starts after test on, and only if it passed. */
static void
require(struct fixture *f, size_t i, uint32_t on)
{
	uint32_t *v = NEW_ARRAY(f->arena, uint32_t, 1);

	v[0] = on;
	f->selected[i].depends = f->selected[i].must_pass = v;
	f->selected[i].depends_n = f->selected[i].must_pass_n = 1;
}

/* It waits, but need not have passed. */
static void
wait_for(struct fixture *f, size_t i, uint32_t on)
{
	require(f, i, on);
	f->selected[i].must_pass_n = 0;
}

static const char *
run(struct fixture *f, size_t parallel)
{
	struct plan_options po = {.parallel = parallel, .recorded = f->recorded};
	struct scheduler_options so = {.parallel = parallel, .pool = f->pool};
	const struct test *culprit;
	struct plan *plan = plan_build(f->arena, &f->selection, &po, &culprit);

	assert_non_null(plan);
	f->run.plan = plan;
	f->run.scheduler = scheduler_new(f->arena, plan, &so);
	f->run.engine.open = f->opener ? f->opener : engine_local_open;
	assert_true(run_all(&f->run, &f->tally, &f->interrupted, &f->diag));
	return buf_as_str(&f->recorder.trace).p;
}

/* ---- rows ------------------------------------------------------------------------ */

static void
one_after_the_other(void **state)
{
	struct fixture *f = *state;

	add(f, "good", "");
	add(f, "wrong", "exit 1");
	add(f, "none", NULL);
	add(f, "off", "")->disabled = true;
	add(f, "bad", "");
	add(f, "dies", "raise 6");
	assert_string_equal(run(f, 1), "( S1 L1 E1:Completed! S2 L2 E2:Failed! S3 L3 "
				       "E3:Not Run! S4 E4:Disabled! "
				       "S5 L5 E5:BAD_COMMAND! S6 L6 E6:fault! )");
	assert_int_equal(f->tally.results.n, 6);
	assert_int_equal(f->tally.results.cap, 6); /* the list never grew */
	assert_int_equal(f->tally.passed, 1);
	assert_int_equal(f->tally.failed, 4);
	assert_int_equal(f->tally.results.v[5].outcome.signal, 6);
	assert_null(f->tally.results.v[5].outcome.output.p);
	assert_int_equal(f->interrupted, 0);
}

static void
only_results(void **state)
{
	static const struct report_type type = {
		.name = "results", .event = on_event, .only_results = true};
	struct fixture *f = *state;

	f->recorder.base.type = &type;
	add(f, "good", "");
	add(f, "wrong", "exit 1");
	assert_string_equal(run(f, 1), "E1:Completed! E2:Failed! )");
}

static void
repetition(void **state)
{
	static const struct {
		struct repeat repeat;
		const char *words;
		bool disabled;
		double limit;
		const char *trace;
	} rows[] = {
		{{REPEAT_UNTIL_FAIL, 3}, "", false, 0,
			"( S1 L1 E1:Completed S1 L1 E1:Completed S1 L1 E1:Completed! )"},
		{{REPEAT_UNTIL_FAIL, 3}, "exit 1", false, 0, "( S1 L1 E1:Failed! )"},
		{{REPEAT_UNTIL_PASS, 2}, "exit 1", false, 0,
			"( S1 L1 E1:Failed S1 L1 E1:Failed! )"},
		{{REPEAT_UNTIL_PASS, 2}, "", false, 0, "( S1 L1 E1:Completed! )"},
		{{REPEAT_UNTIL_PASS, 2}, "exit 77", false, 0, "( S1 L1 E1:Skipped! )"},
		{{REPEAT_UNTIL_PASS, 2}, NULL, false, 0, "( S1 L1 E1:Not Run! )"},
		{{REPEAT_UNTIL_FAIL, 2}, "", true, 0, "( S1 E1:Disabled! )"},
		{{REPEAT_AFTER_TIMEOUT, 2}, "exit 1", false, 0, "( S1 L1 E1:Failed! )"},
		{{REPEAT_AFTER_TIMEOUT, 2}, "pause", false, 0.1,
			"( S1 L1 E1:Timeout S1 L1 E1:Timeout! )"},
		{{REPEAT_UNTIL_PASS, 1}, "exit 1", false, 0, "( S1 L1 E1:Failed! )"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct properties *p;

		f->selection.n = 0;
		f->recorder.trace.n = 0;
		f->run.repeat = rows[i].repeat;
		p = add(f, "t", rows[i].words);
		p->disabled = rows[i].disabled;
		p->skip_return_code = 77;
		p->has_skip_return_code = true;
		p->has_timeout = rows[i].limit > 0;
		p->timeout_s = rows[i].limit;
		assert_string_equal(run(f, 1), rows[i].trace);
		assert_int_equal(f->tally.results.n, 1);
	}
}

static void
failed_fixtures(void **state)
{
	struct fixture *f = *state;

	add(f, "setup", "exit 1");
	add(f, "needs", "");
	require(f, 1, 0);
	add(f, "needs those", "");
	require(f, 2, 1);
	add(f, "off", "")->disabled = true;
	add(f, "needs off", "");
	require(f, 4, 3);
	assert_string_equal(run(f, 1),
		"( S1 L1 E1:Failed! S2 E2:Not Run! S3 E3:Not Run! S4 E4:Disabled! "
		"S5 L5 E5:Completed! )");
}

static void
stops_on_failure(void **state)
{
	struct fixture *f = *state;

	f->run.stop_on_failure = true;
	add(f, "off", "")->disabled = true;
	add(f, "good", "");
	add(f, "wrong", "exit 1");
	add(f, "never", "");
	assert_string_equal(
		run(f, 1), "( S1 E1:Disabled! S2 L2 E2:Completed! S3 L3 E3:Failed! )");
}

static void
lines_and_tags(void **state)
{
	const char *words =
		"print a\\n<CTestDetails>x</CTestDetails>\\n"
		"<CTestLabel>old</CTestLabel>\\n<CTestLabel>new</CTestLabel>\\nb\\n"
		"<CTestLabel>new</CTestLabel>\\n<CTestLabel>b</CTestLabel>";
	struct fixture *f = *state;
	struct str labels[] = {STR("old")};

	for (int wants = 0; wants < 2; wants++) {
		f->selection.n = 0;
		f->recorder.trace.n = 0;
		f->recorder.base.wants_lines = wants;
		add(f, "t", words)->labels = (struct str_list){labels, 1};
		assert_string_equal(run(f, 1),
			wants ? "( S1 L1 [a] [<CTestDetails>x</CTestDetails>] details=x "
				"[<CTestLabel>old</CTestLabel>] "
				"[<CTestLabel>new</CTestLabel>] label=new [b] "
				"[<CTestLabel>new</CTestLabel>] "
				"[<CTestLabel>b</CTestLabel>] label=b "
				"E1:Completed! )"
			      : "( S1 L1 E1:Completed! )");
		assert_true(str_is(f->tally.results.v[0].outcome.details, "x"));
		assert_int_equal(f->tally.results.v[0].outcome.labels.n, 2);
		assert_true(str_is(f->tally.results.v[0].outcome.labels.v[0], "new"));
		assert_true(str_is(f->tally.results.v[0].outcome.labels.v[1], "b"));
	}
}

static void
timeout_after_match(void **state)
{
	static const struct {
		const char *pattern, *words, *trace;
	} rows[] = {
		{"go", "print a\\ngo\\nb\\n pause",
			"( S1 L1 [a] [go] limit=0.1 [b] E1:Timeout! )"},
		{"^a.g", "print a\\ngo\\nb\\n pause",
			"( S1 L1 [a] [go] limit=0.1 [b] E1:Timeout! )"},
		{"go$", "print a\\ngo\\nb\\n", "( S1 L1 [a] [go] [b] E1:Completed! )"},
		{"nope", "print go\\ngo", "( S1 L1 [go] [go] E1:Completed! )"},
	};
	struct fixture *f = *state;

	f->recorder.base.wants_lines = true;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str why;
		const struct pattern *p =
			match_set_get(f->patterns, str_of(rows[i].pattern), &why);

		f->selection.n = 0;
		f->recorder.trace.n = 0;
		add(f, "t", rows[i].words)->timeout_after_match =
			(struct timeout_after_match){true, 0.1, {&p, 1}};
		assert_string_equal(run(f, 1), rows[i].trace);
	}
}

/* A long line is searched as it comes, whether it ends in time or not, but for one with
 * a tag. */
static void
timeout_after_match_in_long_lines(void **state)
{
	enum { LONG = 300000, STEP = 65536 };
	static const struct {
		const char *pattern, *before, *behind;
		bool matches;
	} rows[] = {
		{"^goxxx", "go", "\n", true},
		{"xxxgo\n", "a\n", "go\n", true},
		{"\n<CTestLabel>x", "a\n<CTestLabel>", "</CTestLabel>\nb\n", false},
		{">go", "<CTestLabel>", "</CTestLabel>\ngo\n", false},
		{"a\ngo", "a\n<CTestLabel>", "</CTestLabel>\ngo\n", true},
		{"xxx\nb$", "", "\nb", false},
		{"xgo$", "", "go", false},
	};
	struct fixture *f = *state;
	const char *blank = arena_alloc(f->arena, 2 * LONG);

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct pattern *p =
			match_set_get(f->patterns, str_of(rows[i].pattern), NULL);
		struct buf text = {.arena = f->arena};
		struct run_output o;
		bool found = false;

		f->selection.n = 0;
		add(f, "t", "")->timeout_after_match =
			(struct timeout_after_match){true, 0.1, {&p, 1}};
		o = run_output_of(f->arena, &f->tests[0], &tags);
		run_output_begin(&o);
		buf_z(&text, rows[i].before);
		buf_fill(&text, 'x', LONG);
		buf_z(&text, rows[i].behind);
		for (struct str rest = buf_as_str(&text), s; str_take_line(&rest, &s);) {
			struct long_text line = long_text_of(s);

			for (size_t at = 0; s.n > LONG && at < s.n; at += STEP)
				run_output_part(
					&o, str_cut(s.p + at,
						    s.n - at < STEP ? s.n - at : STEP));
			if (run_output_tag(&o, &line).kind != TAG_NONE)
				continue;
			/* what was searched is not searched again */
			if (s.n > LONG)
				line = long_text_of(str_cut(blank, s.n));
			found = run_output_matches(&o, &line) || found;
		}
		assert_int_equal(found, rows[i].matches);
		run_output_close(&o);
	}
}

/* A throttle that is never over by the clock. */
static bool
never(struct start_throttle *g)
{
	(void)g;
	return false;
}

static void
closes(struct start_throttle *g)
{
	(void)g;
	buf_z(&the_fixture->recorder.trace, "closed ");
}

static size_t
any_slots(struct start_throttle *g, const struct scheduler *s)
{
	(void)g, (void)s;
	return SIZE_MAX;
}

static uint64_t
no_pause(struct start_throttle *g, const struct scheduler *s)
{
	(void)g, (void)s;
	return NO_TIMEOUT;
}

/* A limit that is the run's ends it also when it was changed; in newer releases only
 * where what is left of the run is less than what it was changed to. */
static void
limits_of_the_run(void **state)
{
	static const struct {
		double seconds, left_s;
		const char *trace;
	} rows[] = {
		{0.1, 0, "( S1 L1 [go] limit=0.1 E1:Timeout! closed )"},
		{0.1, 50, "( S1 L1 [go] limit=0.1 E1:Timeout! S2 L2 E2:Completed! )"},
		/* as long as the slowest machine needs to print */
		{50, 2, "( S1 L1 [go] limit=50 E1:Timeout! closed )"},
	};
	static struct start_throttle throttle = {
		never, closes, any_slots, no_pause, true};
	struct fixture *f = *state;
	struct str why;
	const struct pattern *p = match_set_get(f->patterns, STR("go"), &why);

	f->recorder.base.wants_lines = true;
	f->run.throttle = &throttle;
	for (size_t i = 0; i < ROWS(rows); i++) {
		f->selection.n = 0;
		f->recorder.trace.n = 0;
		f->run_left_s = rows[i].left_s;
		add(f, "t", "print go\\n pause")->timeout_after_match =
			(struct timeout_after_match){true, rows[i].seconds, {&p, 1}};
		add(f, "next", "");
		assert_string_equal(run(f, 1), rows[i].trace);
	}
}

/* ---- a test that makes the pool -------------------------------------------------- */

struct maker {
	struct pool_maker base;
	unsigned good_from; /* which look is the first to find something */
	unsigned looks;
};

static bool
look(struct pool_maker *m)
{
	struct maker *maker = (struct maker *)m;

	m->is_made = ++maker->looks >= maker->good_from;
	return m->is_made;
}

static void
say(struct pool_maker *m)
{
	buf_z(&the_fixture->recorder.trace, m->is_made ? "made " : "none ");
}

static void
makers(void **state)
{
	static const struct {
		const char *words;
		unsigned good_from, repeats;
		const char *trace;
	} rows[] = {
		{"", 1, 1, "( S1 L1 E1:Completed! made S2 L2 E2:Completed! )"},
		{"", 9, 1, "( S1 L1 E1:Failed! none S2 L2 E2:Completed! )"},
		{"", 2, 2,
			"( S1 L1 E1:Failed none S1 L1 E1:Completed! made S2 L2 "
			"E2:Completed! )"},
		{NULL, 9, 1, "( S1 L1 E1:Not Run! none S2 L2 E2:Completed! )"},
	};
	struct fixture *f = *state;
	struct resource_instance one = {.id = STR("0"), .slots = 1};
	struct requirement wanted = {.type = STR("g"), .slots = 1};
	struct resource_group group = {&wanted, 1};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct resource_type type = {.name = STR("g"), .v = &one, .n = 1};
		struct pool pool = {.types = &type, .n = 1, .is_awaited = true};
		struct maker maker = {
			{.node = 0, .look = look, .say = say}, rows[i].good_from, 0};

		f->selection.n = 0;
		f->recorder.trace.n = 0;
		add(f, "maker", rows[i].words);
		add(f, "user", "")->resource_groups =
			(struct resource_groups){.v = &group, .n = 1};
		wait_for(f, 1, 0);
		f->run.maker = &maker.base;
		f->run.repeat = (struct repeat){REPEAT_UNTIL_PASS, rows[i].repeats};
		f->pool = &pool;
		assert_string_equal(run(f, 1), rows[i].trace);
	}
}

/* Neither an END for what was killed nor a FINISH, and nothing more is started. */
static void
interruption(void **state)
{
	struct fixture *f = *state;

	f->recorder.base.wants_lines = true;
	f->recorder.raise_at_output = SIGTERM;
	add(f, "deaf", "ignore 15 print x\\n pause");
	add(f, "next", "");
	assert_string_equal(run(f, 1), "( S1 L1 [x] I15 ");
	assert_int_equal(f->interrupted, SIGTERM);
	assert_int_equal(f->tally.results.n, 0);
}

/* ---- a preparer that has to wait ------------------------------------------------- */

static bool
is_after_first(const struct preparer *p, const struct preparation *what)
{
	struct buf *trace = &the_fixture->recorder.trace;

	(void)p;
	return str_is(what->test->name, "first") || str_has(buf_as_str(trace), STR("E1"));
}

/* Limits, outputs and signals do not wait with the test. */
static void
preparer_that_waits(void **state)
{
	static const struct preparer preparer = {.is_ready = is_after_first,
		.prepare = prepare,
		.not_started = not_started};
	struct fixture *f = *state;

	f->run.preparer = &preparer;
	add(f, "first", "pause")->has_timeout = true;
	f->properties[0].timeout_s = 0.1;
	add(f, "second", "");
	assert_string_equal(run(f, 2), "( S1 L1 E1:Timeout! S2 L2 E2:Completed! )");
}

static void
interruption_while_preparer_waits(void **state)
{
	static const struct preparer preparer = {.is_ready = is_after_first,
		.prepare = prepare,
		.not_started = not_started};
	struct fixture *f = *state;

	f->run.preparer = &preparer;
	f->recorder.base.wants_lines = true;
	f->recorder.raise_at_output = SIGTERM;
	add(f, "first", "print x\\n pause");
	add(f, "second", "");
	assert_string_equal(run(f, 2), "( S1 L1 [x] I15 ");
	assert_int_equal(f->tally.results.n, 0);
}

static bool
is_first_attempt(const struct preparer *p, const struct preparation *what)
{
	struct buf *trace = &the_fixture->recorder.trace;

	(void)p;
	return str_is(what->test->name, "first") ||
	       !str_has(buf_as_str(trace), STR("E2"));
}

/* The second attempt of a test waits for the preparer when starts are over. */
static void
attempts_that_wait_count_once(void **state)
{
	static const struct preparer preparer = {.is_ready = is_first_attempt,
		.prepare = prepare,
		.not_started = not_started};
	struct fixture *f = *state;

	f->run.preparer = &preparer;
	f->run.repeat = (struct repeat){.mode = REPEAT_UNTIL_FAIL, .count = 3};
	f->run.stop_on_failure = true;
	add(f, "first", "pause")->has_timeout = true;
	f->properties[0].timeout_s = 0.2;
	add(f, "second", "");
	run(f, 2);
	assert_int_equal(f->tally.results.n, 2);
	assert_int_equal(f->tally.results.v[0].run, 1);
	assert_int_equal(f->tally.results.v[1].number, 2);
	assert_int_equal(f->tally.results.v[1].run, 2);
}

static bool
prepare_temporary(const struct preparer *p, struct arena *attempt,
	const struct preparation *what, struct launch *l, struct refusal *r)
{
	l->temporary = private_tmp_make(the_fixture->run.private_tmp, attempt);
	return l->temporary && prepare(p, attempt, what, l, r);
}

/* Such a test has failed, but the directory of its first attempt is gone. */
static void
temporary_directory_ends_once(void **state)
{
	static const struct preparer preparer = {.is_ready = is_first_attempt,
		.prepare = prepare_temporary,
		.not_started = not_started};
	struct fixture *f = *state;
	const struct diag_entry *e;
	size_t before;

	f->run.preparer = &preparer;
	f->run.private_tmp =
		private_tmp_open(f->arena, private_tmp_parent(f->arena, STR("")), true);
	f->run.repeat = (struct repeat){.mode = REPEAT_UNTIL_FAIL, .count = 3};
	f->run.stop_on_failure = true;
	add(f, "first", "pause")->has_timeout = true;
	f->properties[0].timeout_s = 0.2;
	add(f, "second", "");
	run(f, 2);
	assert_int_equal(f->tally.results.n, 2);
	before = f->diag.entries.n;
	private_tmp_close(f->run.private_tmp, &f->diag);
	assert_int_equal(f->diag.entries.n - before, 1);
	e = &f->diag.entries.v[before];
	assert_true(str_has(e->text, STR("temporary directory of first: ")));
	assert_true(tree_remove(f->arena,
		str_z(f->arena, str_trim(str_from(e->text, str_find(e->text, '/'))))));
}

/* Arenas are used again: what a run keeps for each test is its result. */
static void
memory_stays_flat(void **state)
{
	struct fixture *f = *state;
	size_t before, few;

	for (int i = 0; i < 20; i++)
		add(f, "t", "fill 20000");
	before = arena_bytes(f->arena);
	run(f, 2);
	few = arena_bytes(f->arena) - before;
	for (int i = 20; i < MOST_TESTS; i++)
		add(f, "t", "fill 20000");
	before = arena_bytes(f->arena);
	run(f, 2);
	assert_int_equal(f->tally.passed, MOST_TESTS);
	assert_true(arena_bytes(f->arena) - before < few + MOST_TESTS * 4096);
}

/* ---- an engine whose events the test chooses --------------------------------------- */

struct staged {
	struct engine base;
	struct runner *runner;
	void (*turn)(struct staged *e); /* what happens in each wait() */
	const struct launch *launch;
	size_t starts, turns, restarts;
	size_t pause_at; /* the run is paused when so many have started; 0: never */
	uint64_t limit_ns; /* the last one that was set */
};
static struct staged staged;

static bool
staged_start(struct engine *e, node_id node, const struct launch *l, int *error)
{
	(void)e, (void)node, (void)error;
	staged.launch = l;
	if (++staged.starts == staged.pause_at)
		runner_pause(staged.runner, true);
	return true;
}

static void
staged_set_limit(struct engine *e, node_id node, uint64_t timeout_ns, bool restarts)
{
	(void)e, (void)node;
	staged.limit_ns = timeout_ns;
	staged.restarts += restarts;
}

static void
staged_wait(struct engine *e, uint64_t until_ns)
{
	(void)e, (void)until_ns;
	assert_true(staged.turns++ < 9);
	staged.turn(&staged);
}

static void
staged_close(struct engine *e)
{
	(void)e;
}

static struct engine *
staged_open(const void *options, struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d)
{
	static const struct engine_type type = {.name = "staged",
		.start = staged_start,
		.set_limit = staged_set_limit,
		.wait = staged_wait,
		.close = staged_close};

	(void)options, (void)a, (void)directory, (void)d;
	staged.base = (struct engine){.type = &type, .listener = *listener};
	return &staged.base;
}

static void
keep_runner(struct control *c, struct runner *r, struct loop *l)
{
	(void)c, (void)l;
	staged.runner = r;
}

static void
note_end(struct control *c, node_id node)
{
	(void)c, (void)node;
}

static void
end_control(struct control *c)
{
	(void)c;
}

static void
stage(struct fixture *f, void (*turn)(struct staged *e))
{
	static struct control control = {
		.begin = keep_runner, .ended = note_end, .end = end_control};

	staged = (struct staged){.turn = turn};
	f->run.control = &control;
	f->opener = staged_open;
}

/* The test "t" with a limit of 100 seconds. */
static const char *
run_staged(struct fixture *f, void (*turn)(struct staged *e))
{
	stage(f, turn);
	f->properties[0].has_timeout = true;
	f->properties[0].timeout_s = 100;
	return run(f, 1);
}

static void
end_node(const struct staged *e, node_id node)
{
	const struct engine_listener *l = &e->base.listener;

	l->ended(l->context, node, &(struct outcome){.ending = END_EXITED});
}

static void
end_staged(const struct staged *e, enum ending ending)
{
	const struct engine_listener *l = &e->base.listener;

	l->ended(l->context, 0, &(struct outcome){.ending = ending});
}

static void
cancel_and_lose(struct staged *e)
{
	const struct engine_listener *l = &e->base.listener;

	if (e->starts > 1) {
		end_staged(e, END_EXITED);
		return;
	}
	assert_true(runner_cancel(e->runner, 0));
	assert_int_equal(e->limit_ns, 0);
	l->lost(l->context, 0, STR("n1"), STR("it crashed"));
}

/* Else it would run once more, as long as it takes. */
static void
canceled_test_is_lost(void **state)
{
	struct fixture *f = *state;

	add(f, "t", "");
	assert_string_equal(run_staged(f, cancel_and_lose), "( S1 L1 E1:Not Run! )");
	assert_int_equal(staged.starts, 1);
}

static void
move_and_start_again(struct staged *e)
{
	const struct engine_listener *l = &e->base.listener;
	uint64_t second_ns = 1000000000u;
	struct test_state s;

	assert_true(runner_move_limit(e->runner, 0, 50));
	assert_true(e->limit_ns <= 150 * second_ns);
	l->again(l->context, 0, STR("n1"), STR("it crashed"));
	s = runner_test(e->runner, 0);
	assert_true(e->launch->timeout_ns == 150 * second_ns);
	assert_true(s.limit_ns - s.began_ns == 150 * second_ns);
	end_staged(e, END_EXITED);
}

/* What the lost attempt has used of its limit is not missing to the next one. */
static void
limit_of_next_attempt(void **state)
{
	struct fixture *f = *state;

	add(f, "t", "");
	(void)run_staged(f, move_and_start_again);
	assert_int_equal(f->tally.passed, 1);
}

static void
cancel_and_match(struct staged *e)
{
	const struct engine_listener *l = &e->base.listener;

	assert_true(runner_cancel(e->runner, 0));
	(void)l->line(l->context, 0, &(struct long_text){.s = STR("go")});
	end_staged(e, END_TIMED_OUT);
}

/* A line that the test writes before it is killed gives it no more time. */
static void
canceled_test_matches(void **state)
{
	struct fixture *f = *state;
	struct str why;
	const struct pattern *p = match_set_get(f->patterns, STR("go"), &why);

	add(f, "t", "")->timeout_after_match =
		(struct timeout_after_match){true, 50, {&p, 1}};
	assert_string_equal(run_staged(f, cancel_and_match), "( S1 L1 E1:Failed! )");
	assert_int_equal(staged.restarts, 0);
}

static bool
is_after_pause(const struct preparer *p, const struct preparation *what)
{
	(void)p, (void)what;
	return staged.turns > 0;
}

static void
pause_and_go_on(struct staged *e)
{
	if (e->starts) {
		end_staged(e, END_EXITED);
		return;
	}
	assert_true(e->turns < 3);
	runner_pause(e->runner, e->turns == 1);
}

/* No test starts meanwhile, nor the one that has been chosen and was not prepared. */
static void
pause_of_a_chosen_test(void **state)
{
	static const struct preparer preparer = {.is_ready = is_after_pause,
		.prepare = prepare,
		.not_started = not_started};
	struct fixture *f = *state;

	f->run.preparer = &preparer;
	add(f, "t", "");
	assert_string_equal(run_staged(f, pause_and_go_on), "( S1 L1 E1:Completed! )");
	assert_int_equal(staged.turns, 3);
}

static void
end_in_pause(struct staged *e)
{
	if (e->turns == 1) {
		end_node(e, 1);
		runner_pause(e->runner, false);
		return;
	}
	assert_int_equal(e->starts, 3);
	end_node(e, 2);
	end_node(e, 0);
}

/* The second test ends before the run has looked again what else may start: that is no
 * refusal, and its user, which has a better rank, starts while the first test goes on. */
static void
user_of_a_test_that_ends_in_a_pause(void **state)
{
	static const struct recorded recorded[3] = {[2] = {.failed_last = true}};
	struct fixture *f = *state;

	add(f, "long", "");
	add(f, "short", "");
	add(f, "user", "");
	wait_for(f, 2, 1);
	f->recorded = recorded;
	stage(f, end_in_pause);
	staged.pause_at = 2;
	run(f, 2);
	assert_int_equal(staged.turns, 2);
	assert_int_equal(f->tally.results.n, 3);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_after_the_other, setup, teardown),
		cmocka_unit_test_setup_teardown(only_results, setup, teardown),
		cmocka_unit_test_setup_teardown(repetition, setup, teardown),
		cmocka_unit_test_setup_teardown(failed_fixtures, setup, teardown),
		cmocka_unit_test_setup_teardown(stops_on_failure, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_and_tags, setup, teardown),
		cmocka_unit_test_setup_teardown(timeout_after_match, setup, teardown),
		cmocka_unit_test_setup_teardown(
			timeout_after_match_in_long_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(limits_of_the_run, setup, teardown),
		cmocka_unit_test_setup_teardown(makers, setup, teardown),
		cmocka_unit_test_setup_teardown(interruption, setup, teardown),
		cmocka_unit_test_setup_teardown(preparer_that_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(
			interruption_while_preparer_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(
			attempts_that_wait_count_once, setup, teardown),
		cmocka_unit_test_setup_teardown(
			temporary_directory_ends_once, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_stays_flat, setup, teardown),
		cmocka_unit_test_setup_teardown(canceled_test_is_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(limit_of_next_attempt, setup, teardown),
		cmocka_unit_test_setup_teardown(canceled_test_matches, setup, teardown),
		cmocka_unit_test_setup_teardown(pause_of_a_chosen_test, setup, teardown),
		cmocka_unit_test_setup_teardown(
			user_of_a_test_that_ends_in_a_pause, setup, teardown),
	};

	if (helper_is_wanted())
		return helper_main(argc, argv);
	return run_unit_tests("run", tests, NULL, NULL);
}
