/* LastTest.log, as ctest 3.25 writes it for the same tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat/report/report_log.h"
#include "runner/base/files.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/unit.h"

#define RULE "----------------------------------------------------------\n"

struct logged {
	struct fixture *f;
	char directory[40];
	struct str path;
	struct report *r;
};

static struct logged
open_logged(unsigned version)
{
	struct logged l = {.f = fixture_open(version)};

	strcpy(l.directory, "/tmp/cctr-log-XXXXXX");
	assert_non_null(mkdtemp(l.directory));
	l.path = str_fmt(l.f->a, "%s/LastTest.log", l.directory);
	return l;
}

static void
start(struct logged *l)
{
	l->r = report_log_open(l->f->a,
		&(struct log_options){
			l->path, &l->f->o.report, &l->f->o.schedule, &l->f->dialect},
		&l->f->selection, &l->f->diag);
	assert_non_null(l->r);
	fixture_begin(l->r);
}

/* Where the first "Nov 22 " or the like stands. */
static size_t
find_date(struct str text)
{
	static const char months[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
	size_t first = text.n;

	for (size_t m = 0; m < 12; m++) {
		size_t at = str_search(text, str_cut(months + 4 * m, 4));

		first = at < first ? at : first;
	}
	return first;
}

/* When every test of the fixture started. */
static struct str
date_of_start(struct arena *a)
{
	const time_t at = 1000000000;
	char text[64];
	struct tm broken;

	strftime(text, sizeof text, "%b %d %H:%M %Z", localtime_r(&at, &broken));
	return str_dup(a, str_of(text));
}

/* The file, with DATE for every other date: those of now. */
static const char *
text_of(struct logged *l)
{
	struct buf out = {.arena = l->f->a};
	struct str text, started = date_of_start(l->f->a);

	assert_true(file_read(l->f->a, l->path.p, &text));
	buf_z(&out, "");
	while (text.n) {
		size_t at = find_date(text);

		buf_str(&out, str_cut(text.p, at));
		text = str_from(text, at);
		if (text.n == 0)
			break;
		buf_str(&out, str_begins(text, started) ? started : STR("DATE"));
		text = str_from(text, str_find(text, '\n'));
	}
	return out.p;
}

static void
close_logged(struct logged *l)
{
	unlink(l->path.p);
	assert_int_equal(rmdir(l->directory), 0);
	fixture_close(l->f);
}

static void
test_frame(void **state)
{
	static const struct {
		unsigned version;
		bool random;
		const char *seed;
	} rows[] = {{3025, false, ""}, {3025, true, ""}, {4004, false, ""},
		{4004, true, "Test order random seed: 7\n"}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct logged l = open_logged(rows[i].version);

		l.f->o.schedule.random = rows[i].random;
		l.f->o.schedule.seed = 7;
		start(&l);
		assert_false(path_exists(l.path.p));
		assert_true(l.r->type->close(l.r, &l.f->diag));
		assert_string_equal(text_of(&l),
			str_fmt(l.f->a,
				"Start testing: DATE\n" RULE "%sEnd testing: DATE\n",
				rows[i].seed)
				.p);
		close_logged(&l);
	}
}

static void
test_empty(void **state)
{
	struct logged l = open_logged(3025);

	(void)state;
	start(&l);
	assert_true(report_log_close_empty(l.r, &l.f->diag));
	assert_string_equal(text_of(&l), "");
	close_logged(&l);
}

#define HEAD(n, name, command)                                                           \
	n "/4 Testing: " name "\n" n "/4 Test: " name "\nCommand: " command              \
	  "\nDirectory: /build\n\"" name "\" start time: "
#define TAIL(name, seconds, verdict, elapsed)                                            \
	"<end of output>\nTest time = " seconds " sec\n" RULE verdict "\"" name          \
	"\" end time: DATE\n\"" name "\" time elapsed: " elapsed "\n" RULE "\n"

static void
check_entry(const struct play *p, const char *entry)
{
	struct logged l = open_logged(3025);
	static const char *const names[] = {"a", "b c", "d", "e"};
	const char *text;

	for (size_t i = 0; i < 4; i++)
		fixture_add(l.f, names[i]);
	start(&l);
	fixture_play(l.f, l.r, p);
	assert_true(l.r->type->close(l.r, &l.f->diag));
	text = text_of(&l);
	assert_true(str_begins(str_of(text), STR("Start testing: DATE\n" RULE)));
	assert_string_equal(text + strlen("Start testing: DATE\n" RULE),
		str_fmt(l.f->a, "%sEnd testing: DATE\n", entry).p);
	close_logged(&l);
}

static void
test_entries(void **state)
{
	struct arena *a = arena_open();
	const char *started = date_of_start(a).p;

	(void)state;
	check_entry(&(struct play){.test = 1, .output = "hi\nthere\n", .seconds = 3725.5},
		str_fmt(a,
			HEAD("2", "b c",
				"\"/bin/sh\" \"-c\" \"true\"") "%s\nOutput:\n" RULE
							       "hi\nthere\n" TAIL("b c",
								       "3725.50",
								       "Test Passed.\n",
								       "01:02:05"),
			started)
			.p);
	check_entry(&(struct play){.test = 2,
			    .verdict = {.kind = VERDICT_FAILED,
				    .reason = REASON_ERROR_FOUND,
				    .pattern = {"xy", 2}}},
		str_fmt(a,
			HEAD("3", "d", "\"/bin/sh\" \"-c\" \"true\"") "%s\nOutput:\n" RULE
				TAIL("d", "  0.00",
					"Test Fail Reason:\nError regular expression "
					"found in "
					"output. Regex=[xy]\n",
					"00:00:00"),
			started)
			.p);
	check_entry(&(struct play){.test = 0,
			    .verdict = {.kind = VERDICT_BAD_COMMAND},
			    .refusal = REFUSED_START},
		str_fmt(a,
			HEAD("1", "a", "\"/bin/sh\" \"-c\" \"true\"") "%s\nOutput:\n" RULE
				TAIL("a", "  0.00", "Test Failed.\n", "00:00:00"),
			started)
			.p);
	arena_close(a);
}

static void
test_refused(void **state)
{
	(void)state;
	check_entry(&(struct play){.test = 0,
			    .verdict = {.kind = VERDICT_DISABLED},
			    .refusal = REFUSED_DISABLED,
			    .log = "Disabled"},
		HEAD("1", "a", "\"\"") "\nOutput:\n" RULE TAIL(
			"a", "  0.00", "Test Passed.\n", "00:00:00"));
	check_entry(&(struct play){.test = 0,
			    .verdict = {.kind = VERDICT_NOT_RUN},
			    .refusal = REFUSED_EXECUTABLE,
			    .log = "Unable to find executable: sh"},
		"Unable to find executable: sh\n" HEAD(
			"1", "a", "\"\" \"-c\" \"true\"") "\nOutput:\n" RULE TAIL("a",
			"  0.00", "Test Passed.\n", "00:00:00"));
	check_entry(&(struct play){.test = 0,
			    .verdict = {.kind = VERDICT_NOT_RUN,
				    .reason = REASON_ERROR_FOUND,
				    .pattern = {"z", 1}},
			    .refusal = REFUSED_FIXTURE,
			    .log = "Failed test dependencies: x\n"},
		"Failed test dependencies: x\n" HEAD(
			"1", "a", "\"\"") "\nOutput:\n" RULE TAIL("a", "  0.00",
			"Test Pass Reason:\nError regular expression found in output. "
			"Regex=[z]\n",
			"00:00:00"));
}

static void
test_labels(void **state)
{
	static const struct {
		bool no_summary;
		enum verdict_kind kind;
		const char *end;
	} rows[] = {
		{false, VERDICT_PASSED,
			"DATE\n\na =   0.50 sec*proc\n\nb =   0.50 sec*proc\n\n"},
		{true, VERDICT_PASSED, "\nEnd testing: DATE\n"},
		{false, VERDICT_DISABLED, "\nEnd testing: DATE\n"},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct logged l = open_logged(3025);

		fixture_add(l.f, "t");
		fixture_labels(l.f, 0, "a");
		l.f->o.report.no_label_summary = rows[i].no_summary;
		start(&l);
		fixture_play(l.f, l.r,
			&(struct play){.seconds = 0.5,
				.verdict = {.kind = rows[i].kind},
				.label = "b"});
		fixture_finish(l.f, l.r, 1);
		assert_true(l.r->type->close(l.r, &l.f->diag));
		assert_true(str_ends(str_of(text_of(&l)), str_of(rows[i].end)));
		close_logged(&l);
	}
}

static void
test_not_writable(void **state)
{
	struct fixture *f = fixture_open(3025);

	(void)state;
	assert_null(report_log_open(f->a,
		&(struct log_options){STR("/nowhere/LastTest.log"), &f->o.report,
			&f->o.schedule, &f->dialect},
		&f->selection, &f->diag));
	assert_int_equal(f->diag.errors, 1);
	fixture_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_not_writable),
	};

	return run_unit_tests("report_log", tests, NULL, NULL);
}
