/*
 * What the console says of a run. Expected texts are ctest 3.25's for the same tests,
 * with the times of these; where a row is for 4.4, what its manual and releases say.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "compat/console/report_text.h"
#include "compat/report/report_console.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004 };

struct shown {
	struct fixture *f;
	struct buf out, err;
	struct console *c;
	struct report *r;
};

static struct shown
open_shown(unsigned version)
{
	struct shown s = {.f = fixture_open(version)};

	s.out.arena = s.err.arena = s.f->a;
	buf_z(&s.out, "");
	buf_z(&s.err, "");
	return s;
}

static void
start_on(struct shown *s, const struct console_capture *capture)
{
	s->c = console_open(s->f->a, &s->f->o.console, &s->f->dialect, capture);
	s->r = report_console_open(s->f->a,
		&(struct console_report){.console = s->c,
			.options = &s->f->o.report,
			.dialect = &s->f->dialect,
			.words = run_words(s->f->o.dashboard.is_memcheck),
			.repeat = s->f->o.run.repeat.mode,
			.shows_lines = s->f->o.console.verbose,
			.names_passed = s->f->o.selection.has_include_name ||
					s->f->o.selection.has_exclude_name,
			.is_quiet = s->f->o.dashboard.is_quiet},
		&s->f->selection);
	fixture_begin(s->r);
}

static void
start(struct shown *s)
{
	start_on(s, &(struct console_capture){&s->out, &s->err, false, false});
}

static void
play(struct shown *s, const struct play *p)
{
	fixture_play(s->f, s->r, p);
}

static void
close_shown(struct shown *s)
{
	if (s->r)
		s->r->type->close(s->r, &s->f->diag);
	console_close(s->c);
	fixture_close(s->f);
}

static void
test_seconds(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{0, "  0.00 sec"},
		{4999999, "  0.00 sec"},
		{5000001, "  0.01 sec"},
		{994999999, "  0.99 sec"},
		{995000001, "  1.00 sec"},
		{12340000000, " 12.34 sec"},
		{999996000000, "1000.00 sec"},
		{UINT64_MAX, "18446744073.71 sec"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct buf b = {.arena = a};

		report_add_seconds(&b, rows[i].ns);
		assert_string_equal(b.p, rows[i].text);
		arena_close(a);
	}
}

static const struct pattern nope = {{"nope", 4}, NULL}, no_bracket = {{"no[", 3}, NULL};
static const struct pattern *const required[] = {&nope, &no_bracket};

/* The result line of one test of one, for each verdict. */
static void
test_verdicts(void **state)
{
	static const struct {
		unsigned version;
		struct play play;
		const char *text;
	} rows[] = {
		{OLD, {.seconds = 12.345}, "   Passed   12.35 sec\n"},
		{OLD, {.verdict = {.kind = VERDICT_FAILED}}, "***Failed    0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_FAILED,
				 .reason = REASON_REQUIRED_NOT_FOUND,
				 .pattern = {0}}},
			"***Failed  Required regular expression not found. "
			"Regex=[nope\nno[\n]  0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_FAILED,
				 .reason = REASON_ERROR_FOUND,
				 .pattern = {"xy", 2}}},
			"***Failed  Error regular expression found in output. Regex=[xy] "
			" "
			"0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_PASSED,
				 .reason = REASON_REQUIRED_FOUND,
				 .pattern = {"xy", 2}}},
			"   Passed    0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_SKIPPED,
				 .reason = REASON_SKIP_FOUND,
				 .pattern = {"xy", 2}}},
			"***Skipped   0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_TIMEOUT},
				.ending = END_TIMED_OUT,
				.seconds = 0.3},
			"***Timeout   0.30 sec\n"},
		{OLD, {.verdict = {.kind = VERDICT_SEGFAULT}, .ending = END_SIGNALLED},
			"***Exception: SegFault  0.00 sec\n"},
		{OLD, {.verdict = {.kind = VERDICT_NUMERICAL}, .ending = END_SIGNALLED},
			"***Exception: Numerical  0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_OTHER_FAULT},
				.ending = END_SIGNALLED,
				.signal = SIGABRT},
			"Subprocess aborted***Exception:   0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_OTHER_FAULT},
				.ending = END_SIGNALLED,
				.signal = SIGUSR1},
			"SIGUSR1***Exception:   0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_DISABLED},
				.refusal = REFUSED_DISABLED},
			"***Not Run (Disabled)   0.00 sec\n"},
		{OLD, {.verdict = {.kind = VERDICT_NOT_RUN}, .refusal = REFUSED_FIXTURE},
			"***Not Run   0.00 sec\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_BAD_COMMAND},
				.refusal = REFUSED_START},
			"***Not Run   0.00 sec\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct shown s = open_shown(rows[i].version);
		struct str head = STR("    Start 1: t\n"
				      "1/1 Test #1: t ................................");

		fixture_add(s.f, "t");
		s.f->properties[0].pass =
			(struct pattern_list){(const struct pattern **)required, 2};
		start(&s);
		play(&s, &rows[i].play);
		assert_true(str_begins(buf_as_str(&s.out), head));
		assert_string_equal(s.out.p + head.n, rows[i].text);
		close_shown(&s);
	}
}

static void
test_widths(void **state)
{
	static const struct {
		size_t tests;
		int max_width;
		const char *text;
	} rows[] = {
		{9, 30,
			"    Start 1: t\n"
			"1/9 Test #1: t ................................   Passed    "
			"0.00 sec\n"},
		{10, 30,
			"      Start  1: t\n"
			" 1/10 Test  #1: t ................................   Passed    "
			"0.00 "
			"sec\n"},
		{100, 30,
			"        Start   1: t\n"
			"  1/100 Test   #1: t ................................   Passed  "
			"  "
			"0.00 sec\n"},
		{1, 3, "    Start 1: t\n1/1 Test #1: t .....   Passed    0.00 sec\n"},
		{1, -3, "    Start 1: t\n1/1 Test #1: t ...   Passed    0.00 sec\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct shown s = open_shown(OLD);

		for (size_t k = 0; k < rows[i].tests; k++)
			fixture_add(s.f, "t");
		s.f->o.report.max_width = rows[i].max_width;
		start(&s);
		play(&s, &(struct play){.test = 0});
		assert_string_equal(s.out.p, rows[i].text);
		close_shown(&s);
	}
}

static void
test_refusals(void **state)
{
	struct shown s = open_shown(OLD);

	(void)state;
	fixture_add(s.f, "miss");
	fixture_add(s.f, "na");
	fixture_add(s.f, "env");
	s.f->o.console.verbose = true;
	s.f->properties[2].environment = cmake_list_split(s.f->a, STR("A=1;B=2"), false);
	s.f->properties[2].environment_modification =
		cmake_list_split(s.f->a, STR("C=foo:3"), false);
	start(&s);
	play(&s, &(struct play){.test = 0,
			 .verdict = {.kind = VERDICT_NOT_RUN},
			 .refusal = REFUSED_EXECUTABLE,
			 .search = "Could not find executable sh\n",
			 .err = "Unable to find executable: sh"});
	play(&s, &(struct play){.test = 1,
			 .verdict = {.kind = VERDICT_NOT_RUN},
			 .refusal = REFUSED_FIXTURE,
			 .out = "Failed test dependencies: miss\n"});
	play(&s, &(struct play){.test = 2,
			 .verdict = {.kind = VERDICT_BAD_COMMAND},
			 .refusal = REFUSED_ENVIRONMENT,
			 .err = "CMake Error: Error: bad\n\n"});
	assert_string_equal(s.out.p,
		"test 1\n    Start 1: miss\nCould not find executable sh\n\n"
		"1: Test command:  \"-c\" \"true\"\n1: Working Directory: /build\n"
		"1/3 Test #1: miss .............................***Not Run   0.00 sec\n"
		"test 2\n    Start 2: na\nFailed test dependencies: miss\n"
		"2/3 Test #2: na ...............................***Not Run   0.00 sec\n"
		"test 3\n    Start 3: env\n\n"
		"3: Test command: /bin/sh \"-c\" \"true\"\n3: Working Directory: /build\n"
		"3: Environment variables: \n3:  A=1\n3:  B=2\n"
		"3: Environment variable modifications: \n3:  C=foo:3\n"
		"3: Test timeout computed to be: 10000000\n"
		"3/3 Test #3: env ..............................***Not Run   0.00 sec\n");
	assert_string_equal(
		s.err.p, "Unable to find executable: sh\nCMake Error: Error: bad\n\n");
	close_shown(&s);
}

/* -V shows the lines as they come, --output-on-failure shows all of them again. */
static void
test_output(void **state)
{
	struct shown s = open_shown(OLD);

	(void)state;
	fixture_add(s.f, "f");
	s.f->o.console.verbose = s.f->o.report.output_on_failure = true;
	start(&s);
	play(&s,
		&(struct play){.verdict = {.kind = VERDICT_FAILED}, .output = "a\n b\n"});
	assert_string_equal(s.out.p,
		"test 1\n    Start 1: f\n\n"
		"1: Test command: /bin/sh \"-c\" \"true\"\n1: Working Directory: /build\n"
		"1: Test timeout computed to be: 10000000\n1: a\n1:  b\n"
		"1/1 Test #1: f ................................***Failed    0.00 sec\n"
		"a\n b\n\n");
	close_shown(&s);
}

static void
test_output_on_failure(void **state)
{
	static const struct {
		struct play play;
		bool is_shown;
	} rows[] = {
		{{.output = "text\n"}, false},
		{{.output = "text\n", .verdict = {.kind = VERDICT_FAILED}}, true},
		{{.output = "text\n", .verdict = {.kind = VERDICT_TIMEOUT}}, true},
		{{.output = "text\n", .verdict = {.kind = VERDICT_SEGFAULT}}, true},
		{{.output = "text\n", .verdict = {.kind = VERDICT_SKIPPED}}, false},
		{{.refusal = REFUSED_START, .verdict = {.kind = VERDICT_BAD_COMMAND}},
			false},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct shown s = open_shown(OLD);

		fixture_add(s.f, "t");
		s.f->o.report.output_on_failure = true;
		start(&s);
		play(&s, &rows[i].play);
		assert_int_equal(str_ends(buf_as_str(&s.out), STR(" sec\ntext\n\n")),
			rows[i].is_shown);
		close_shown(&s);
	}
}

static void
test_repeat(void **state)
{
	static const struct {
		enum repeat_mode mode;
		unsigned run, left;
		const char *text;
	} rows[] = {
		{REPEAT_UNTIL_FAIL, 1, 2, "    Test #1: t "},
		{REPEAT_UNTIL_FAIL, 2, 1, "1/1 Test #1: t "},
		{REPEAT_UNTIL_PASS, 1, 2, "1/1 Test #1: t "},
		{REPEAT_UNTIL_PASS, 2, 1, "    Test #1: t "},
		{REPEAT_AFTER_TIMEOUT, 1, 2, "1/1 Test #1: t "},
		{REPEAT_AFTER_TIMEOUT, 2, 1, "    Test #1: t "},
		{REPEAT_NEVER, 1, 1, "1/1 Test #1: t "},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct shown s = open_shown(OLD);

		fixture_add(s.f, "t");
		s.f->o.run.repeat = (struct repeat){rows[i].mode, 2};
		start(&s);
		play(&s, &(struct play){.run = rows[i].run,
				 .runs_left = rows[i].left,
				 .again = rows[i].left > 1});
		assert_true(str_has(buf_as_str(&s.out),
			str_fmt(s.f->a, "Start 1: t\n%s", rows[i].text)));
		close_shown(&s);
	}
}

static void
test_progress_lines(void **state)
{
	struct shown s = open_shown(OLD);
	struct attempt a = {.number = 4};
	struct event e = {.attempt = &a, .text = STR("det ails"), .seconds = 0.3};

	(void)state;
	fixture_add(s.f, "t");
	s.f->o.console.verbose = true;
	start(&s);
	e.kind = EVENT_DETAILS;
	fixture_tell(s.r, &e);
	e.kind = EVENT_LABEL;
	fixture_tell(s.r, &e);
	e.kind = EVENT_TIMEOUT;
	fixture_tell(s.r, &e);
	assert_string_equal(s.out.p, "");
	fixture_tell(s.r, &(struct event){.kind = EVENT_IDLE});
	assert_string_equal(s.out.p,
		"4: Test Details changed to 'det ails'\n"
		"4: Test Label added: 'det ails'\n4: Test timeout changed to 0\n");
	close_shown(&s);
}

/* --progress, byte by byte; the erase sequence moved in front of the text in 4.4. */
static void
test_progress(void **state)
{
	static const struct {
		unsigned version;
		const char *text;
	} rows[] = {
		{OLD, "0/3 Test #1: a\033[K\r1/3 Test #2: b\033[K\r\033[K"
		      "2/3 Test #2: b.................................***Failed    0.00 "
		      "sec\n\r2/3 Test #3: c\033[K\r\033[K\r3/3 Test #3: c\033[K"
		      "3/3 Test #3: c.................................***Failed    0.00 "
		      "sec\n"},
		{NEW, "\033[K0/3 Test #1: a\r\033[K1/3 Test #2: b\r\033[K"
		      "2/3 Test #2: b.................................***Failed    0.00 "
		      "sec\n\r\033[K2/3 Test #3: c\r\033[K\r\033[K3/3 Test #3: c"
		      "3/3 Test #3: c.................................***Failed    0.00 "
		      "sec\n"},
	};
	static const char *const names[] = {"a", "b", "c"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct shown s = open_shown(rows[i].version);

		for (size_t k = 0; k < 3; k++)
			fixture_add(s.f, names[k]);
		start_on(&s, &(struct console_capture){&s.out, &s.err, false, true});
		play(&s, &(struct play){.test = 0});
		play(&s, &(struct play){.test = 1, .verdict = {.kind = VERDICT_FAILED}});
		play(&s, &(struct play){.test = 2, .verdict = {.kind = VERDICT_FAILED}});
		assert_string_equal(s.out.p, rows[i].text);
		close_shown(&s);
	}
}

/* ---- the summary ----------------------------------------------------------------- */

static struct shown
summary_of(unsigned version, const enum verdict_kind *kinds, size_t n)
{
	struct shown s = open_shown(version);

	for (size_t i = 0; i < n; i++)
		fixture_add(s.f, str_fmt(s.f->a, "t%zu", i + 1).p);
	for (size_t i = n; i-- > 0;) {
		struct attempt a = {.node = (node_id)i,
			.selected = &s.f->selected[i],
			.test = &s.f->tests[i],
			.number = (unsigned)i + 1};
		struct outcome o = {.signal = SIGABRT, .duration_ns = 250000000};

		fixture_record(s.f, &a, &o, (struct verdict){.kind = kinds[i]});
	}
	return s;
}

static void
test_summary(void **state)
{
	static const enum verdict_kind kinds[] = {VERDICT_PASSED, VERDICT_FAILED,
		VERDICT_SKIPPED, VERDICT_DISABLED, VERDICT_NOT_RUN, VERDICT_SEGFAULT,
		VERDICT_OTHER_FAULT, VERDICT_TIMEOUT, VERDICT_BAD_COMMAND};
	static const struct {
		unsigned version;
		const char *labels;
	} rows[] = {{OLD, ""}, {NEW, "                                       a zz"}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct shown s = summary_of(rows[i].version, kinds, 9);

		fixture_labels(s.f, 1, "a;zz");
		fixture_labels(s.f, 3, "a");
		s.f->properties[1].processors = 2;
		start(&s);
		fixture_finish(s.f, s.r, 1.5);
		assert_string_equal(s.out.p,
			str_fmt(s.f->a,
				"\n25%% tests passed, 6 tests failed out of 8\n"
				"\nLabel Time Summary:\n"
				"a     =   0.75 sec*proc (2 tests)\n"
				"zz    =   0.50 sec*proc (1 test)\n"
				"\nTotal Test time (real) =   1.50 sec\n"
				"\nThe following tests did not run:\n"
				"\t  3 - t3 (Skipped)\n\t  4 - t4 (Disabled)\n"
				"\nThe following tests FAILED:\n"
				"\t  2 - t2 (Failed)%s\n\t  5 - t5 (Not Run)\n"
				"\t  6 - t6 (SEGFAULT)\n\t  7 - t7 (Subprocess aborted)\n"
				"\t  8 - t8 (Timeout)\n\t  9 - t9 (BAD_COMMAND)\n",
				rows[i].labels)
				.p);
		close_shown(&s);
	}
}

static void
test_totals(void **state)
{
	static const struct {
		unsigned version;
		size_t passed, failed;
		const char *line;
	} rows[] = {
		{OLD, 3, 0, "\n100% tests passed, 0 tests failed out of 3\n"},
		{NEW, 3, 0, "\n100% tests passed out of 3\n"},
		{NEW, 2, 1, "\n67% tests passed, 1 tests failed out of 3\n"},
		{OLD, 0, 2, "\n0% tests passed, 2 tests failed out of 2\n"},
		{OLD, 999, 1, "\n99% tests passed, 1 tests failed out of 1000\n"},
		{OLD, 197, 3, "\n99% tests passed, 3 tests failed out of 200\n"},
		{OLD, 196, 4, "\n98% tests passed, 4 tests failed out of 200\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct shown s = open_shown(rows[i].version);

		s.f->tally.passed = rows[i].passed;
		s.f->tally.failed = rows[i].failed;
		start(&s);
		fixture_finish(s.f, s.r, 0);
		assert_true(str_begins(buf_as_str(&s.out), str_of(rows[i].line)));
		close_shown(&s);
	}
}

/* Nothing counted: the caller says that there were no tests. */
static void
test_nothing_counted(void **state)
{
	static const enum verdict_kind kinds[] = {VERDICT_DISABLED};
	struct shown s = summary_of(OLD, kinds, 1);

	(void)state;
	start(&s);
	fixture_finish(s.f, s.r, 0);
	assert_string_equal(s.out.p, "");
	close_shown(&s);
}

/* -V with -R: names of the passed tests in the order in which they ended. */
static void
test_passed_list(void **state)
{
	static const enum verdict_kind kinds[] = {
		VERDICT_PASSED, VERDICT_FAILED, VERDICT_SKIPPED};
	static const struct {
		bool verbose, include, exclude, is_shown;
	} rows[] = {{true, true, false, true}, {true, false, true, true},
		{true, false, false, false}, {false, true, true, false}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct shown s = summary_of(OLD, kinds, 3);

		s.f->o.console.verbose = rows[i].verbose;
		s.f->o.selection.has_include_name = rows[i].include;
		s.f->o.selection.has_exclude_name = rows[i].exclude;
		start(&s);
		fixture_finish(s.f, s.r, 0);
		assert_int_equal(
			str_begins(buf_as_str(&s.out),
				STR("\nThe following tests passed:\n\tt3\n\tt1\n\n67")),
			rows[i].is_shown);
		close_shown(&s);
	}
}

static void
test_colours(void **state)
{
	static const enum verdict_kind kinds[] = {VERDICT_PASSED, VERDICT_FAILED,
		VERDICT_SKIPPED, VERDICT_DISABLED, VERDICT_NOT_RUN};
	struct shown s = summary_of(OLD, kinds, 5);

	(void)state;
	start_on(&s, &(struct console_capture){&s.out, &s.err, true, false});
	fixture_finish(s.f, s.r, 0);
	assert_string_equal(s.out.p,
		"\n50% tests passed\033[0;0m, \033[0;31m2 tests failed\033[0;0m out of "
		"4\n"
		"\nTotal Test time (real) =   0.00 sec\n"
		"\nThe following tests did not run:\n"
		"\033[0;34m\t  3 - t3 (Skipped)\n\t  4 - t4 (Disabled)\n\033[0;0m"
		"\nThe following tests FAILED:\n"
		"\t\033[0;31m  2 - t2 (Failed)\033[0;0m\n"
		"\t\033[0;33m  5 - t5 (Not Run)\033[0;0m\n");
	close_shown(&s);
	s = summary_of(OLD, kinds, 1);
	start_on(&s, &(struct console_capture){&s.out, &s.err, true, false});
	fixture_finish(s.f, s.r, 0);
	assert_true(str_begins(
		buf_as_str(&s.out), STR("\n\033[0;32m100% tests passed\033[0;0m, 0 tests "
					"failed\033[0;0m out of "
					"1\n")));
	close_shown(&s);
}

/* ---- listings -------------------------------------------------------------------- */

static void
test_list(void **state)
{
	static const char *const texts[] = {"  Test  #1: ok\n",
		"\n1: Test command: /bin/sh \"-c\" \"true\"\n1: Working Directory: "
		"/build\n"
		"Labels: a b\n  Test  #1: ok\n"};

	(void)state;
	for (size_t verbose = 0; verbose < 2; verbose++) {
		struct shown s = open_shown(OLD);
		struct executable_finder *finder = executable_finder_new(
			s.f->a, &s.f->dialect, STR(""), path_here(s.f->a));

		fixture_add(s.f, "ok");
		fixture_labels(s.f, 0, "a;b");
		fixture_add(s.f, "dis");
		s.f->properties[1].disabled = true;
		s.f->tests[0].command.v =
			(struct str[]){STR("/bin/sh"), STR("-c"), STR("true")};
		s.f->selection.largest_number = 12;
		s.f->o.console.verbose = verbose;
		start(&s);
		report_console_list(s.f->a, &(struct console_listing){.console = s.c,
						    .words = run_words(false),
						    .selection = &s.f->selection,
						    .finder = finder});
		assert_true(str_begins(buf_as_str(&s.out), str_of(texts[verbose])));
		assert_true(str_ends(buf_as_str(&s.out),
			STR("  Test  #2: dis (Disabled)\n\nTotal Tests: 2\n")));
		close_shown(&s);
	}
}

static void
test_labels(void **state)
{
	struct shown s = open_shown(OLD);

	(void)state;
	fixture_add(s.f, "a");
	fixture_add(s.f, "b");
	start(&s);
	report_console_labels(s.f->a, s.c, &s.f->selection);
	assert_string_equal(s.out.p, "No Labels Exist\n");
	s.out.n = 0;
	fixture_labels(s.f, 0, "z;y");
	fixture_labels(s.f, 1, "y");
	report_console_labels(s.f->a, s.c, &s.f->selection);
	assert_string_equal(s.out.p, "All Labels:\n  y\n  z\n");
	close_shown(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_output_on_failure),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_progress_lines),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_nothing_counted),
		cmocka_unit_test(test_passed_list),
		cmocka_unit_test(test_colours),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_labels),
	};

	return run_unit_tests("report_console", tests, NULL, NULL);
}
