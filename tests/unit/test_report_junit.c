/* JUnit files: those of ctest 3.25 for the same tests, and of 4.4 as its releases say. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/report/report_junit.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004 };

struct written {
	struct fixture *f;
	char directory[40];
	struct str path;
	struct report *r;
};

static struct written
open_written(unsigned version)
{
	struct written w = {.f = fixture_open(version)};

	strcpy(w.directory, "/tmp/cctr-junit-XXXXXX");
	assert_non_null(mkdtemp(w.directory));
	w.path = str_fmt(w.f->a, "%s/sub/j.xml", w.directory);
	return w;
}

static void
start(struct written *w, const char *build_name)
{
	struct junit_options o = {.path = w->path,
		.build_name = str_of(build_name),
		.site = STR("a&b"),
		.output = &w->f->o.report.output,
		.dialect = &w->f->dialect,
		.selection = &w->f->selection};

	w->r = report_junit_open(w->f->a, &o);
}

/* Closes the report; the file from the line that begins with the text. */
static const char *
text_from(struct written *w, const char *text)
{
	struct str all;
	const char *at;

	assert_true(w->r->type->close(w->r, &w->f->diag));
	assert_true(file_read(w->f->a, w->path.p, &all));
	at = strstr(all.p, text);
	assert_non_null(at);
	return at;
}

static void
close_written(struct written *w)
{
	unlink(w->path.p);
	assert_int_equal(rmdir(str_fmt(w->f->a, "%s/sub", w->directory).p), 0);
	assert_int_equal(rmdir(w->directory), 0);
	fixture_close(w->f);
}

static void
test_cases(void **state)
{
	static const struct {
		unsigned version;
		struct play play;
		const char *text;
	} rows[] = {
		{OLD, {.seconds = 0.0268109, .output = "hi <x>\n"},
			"time=\"0.0268109\" status=\"run\">\n"
			"\t\t<system-out>hi &lt;x&gt;\n</system-out>\n"},
		{NEW, {.seconds = 1.5, .output = ""},
			"time=\"1.5\" status=\"run\">\n"
			"\t\t<properties>\n"
			"\t\t\t<property name=\"cmake_labels\" value=\"l;m\"/>\n"
			"\t\t</properties>\n\t\t<system-out></system-out>\n"},
		{OLD, {.verdict = {.kind = VERDICT_FAILED}, .output = "no\n"},
			"time=\"0\" status=\"fail\">\n\t\t<failure message=\"\"/>\n"
			"\t\t<system-out>no\n</system-out>\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_FAILED,
				 .reason = REASON_ERROR_FOUND,
				 .pattern = {"x\"", 2}}},
			"time=\"0\" status=\"fail\">\n"
			"\t\t<failure message=\"Error regular expression found in "
			"output. "
			"Regex=[x&quot;]\"/>\n\t\t<system-out></system-out>\n"},
		{NEW,
			{.verdict = {.kind = VERDICT_OTHER_FAULT},
				.ending = END_SIGNALLED,
				.signal = SIGABRT},
			"time=\"0\" status=\"fail\">\n"
			"\t\t<failure message=\"Subprocess "
			"aborted\"/>\n\t\t<properties>\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_SKIPPED,
				 .reason = REASON_SKIP_FOUND,
				 .pattern = {"x", 1}}},
			"time=\"0\" status=\"notrun\">\n"
			"\t\t<skipped message=\"SKIP_REGULAR_EXPRESSION_MATCHED\"/>\n"
			"\t\t<system-out></system-out>\n"},
		{OLD, {.verdict = {.kind = VERDICT_SKIPPED}, .output = "sk\n"},
			"time=\"0\" status=\"notrun\">\n"
			"\t\t<skipped message=\"SKIP_RETURN_CODE=77\"/>\n"
			"\t\t<system-out>sk\n</system-out>\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_NOT_RUN},
				.refusal = REFUSED_EXECUTABLE,
				.log = "Unable to find executable: sh\n"},
			"time=\"0\" status=\"notrun\">\n"
			"\t\t<skipped message=\"Unable to find executable\"/>\n"
			"\t\t<system-out>Unable to find executable: sh</system-out>\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_DISABLED},
				.refusal = REFUSED_DISABLED},
			"time=\"0\" status=\"disabled\">\n"
			"\t\t<system-out>Disabled</system-out>\n"},
		{OLD,
			{.verdict = {.kind = VERDICT_BAD_COMMAND},
				.refusal = REFUSED_START},
			"time=\"0\" status=\"fail\">\n\t\t<failure message=\"\"/>\n"
			"\t\t<system-out></system-out>\n"},
		{OLD, {.output = "a<CTestMeasurement>1</CTestMeasurement>b 0123456789"},
			"time=\"0\" status=\"run\">\n\t\t<system-out>ab 01234...\n"
			"[This part of the test output was removed since it exceeds the "
			"threshold of 8 bytes.]\n</system-out>\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct written w = open_written(rows[i].version);
		struct str head =
			STR("<testcase name=\"n&apos;\" classname=\"n&apos;\" ");
		const char *at;

		fixture_add(w.f, "n'");
		fixture_labels(w.f, 0, "l;m");
		w.f->properties[0].skip_return_code = 77;
		w.f->o.report.output.passed = 8;
		start(&w, "");
		fixture_begin(w.r);
		fixture_play(w.f, w.r, &rows[i].play);
		fixture_finish(w.f, w.r, 2.9);
		at = text_from(&w, head.p);
		assert_true(str_begins(str_of(at + head.n), str_of(rows[i].text)));
		assert_true(str_ends(str_of(at), STR("\t</testcase>\n</testsuite>\n")));
		close_written(&w);
	}
}

/* By number whatever the order of the ends; only the last attempt counts. */
static void
test_suite(void **state)
{
	static const struct play plays[] = {
		{.test = 3,
			.verdict = {.kind = VERDICT_NOT_RUN},
			.refusal = REFUSED_FIXTURE},
		{.test = 1, .verdict = {.kind = VERDICT_FAILED}, .again = true},
		{.test = 1, .verdict = {.kind = VERDICT_TIMEOUT}},
		{.test = 2,
			.verdict = {.kind = VERDICT_DISABLED},
			.refusal = REFUSED_DISABLED},
		{.test = 0},
	};
	static const char *const names[] = {"a", "b", "c", "d"};
	struct written w = open_written(OLD);
	const char *at, *last;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		fixture_add(w.f, names[i]);
	start(&w, " a/b:c ");
	fixture_begin(w.r);
	for (size_t i = 0; i < 5; i++)
		fixture_play(w.f, w.r, &plays[i]);
	fixture_finish(w.f, w.r, 2.9);
	at = text_from(&w, "<?xml");
	assert_true(str_begins(str_of(at),
		STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<testsuite name=\" a/bc \"\n\ttests=\"4\"\n\tfailures=\"1\"\n"
		    "\tdisabled=\"1\"\n\tskipped=\"1\"\n\thostname=\"a&amp;b\"\n"
		    "\ttime=\"2\"\n\ttimestamp=\"")));
	assert_non_null(strstr(at, "\"\n\t>\n\t<testcase name=\"a\""));
	last = at;
	for (size_t i = 0; i < 4; i++) {
		const char *next = strstr(
			at, str_fmt(w.f->a, "\t<testcase name=\"%s\"", names[i]).p);

		assert_non_null(next);
		assert_true(next > last);
		last = next;
	}
	close_written(&w);
}

/* A listing: no test, no events. */
static void
test_no_tests(void **state)
{
	struct written w = open_written(OLD);
	const char *at;

	(void)state;
	start(&w, "");
	at = text_from(&w, "<testsuite");
	assert_true(str_begins(
		str_of(at), STR("<testsuite name=\"(empty)\"\n\ttests=\"0\"\n")));
	assert_true(str_ends(str_of(at), STR("\"/>\n")));
	close_written(&w);
}

static void
test_not_writable(void **state)
{
	static const unsigned versions[] = {OLD, NEW};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture *f = fixture_open(versions[i]);
		struct junit_options o = {.path = STR("/dev/null/x/j.xml"),
			.output = &f->o.report.output,
			.dialect = &f->dialect,
			.selection = &f->selection};
		struct report *r = report_junit_open(f->a, &o);

		assert_false(r->type->close(r, &f->diag));
		assert_int_equal(f->diag.entries.n, 2);
		assert_string_equal(str_z(f->a, f->diag.entries.v[0].text),
			"CMake Error: Cannot open file for write: /dev/null/x/j.xml.tmp\n"
			"CMake Error: : System Error: Not a directory\n");
		assert_string_equal(str_z(f->a, f->diag.entries.v[1].text),
			"Problem opening file: /dev/null/x/j.xml");
		fixture_close(f);
	}
}

/* Others may write to the folder: no name in it can be known before. */
static void
test_planted(void **state)
{
	struct fixture *f = fixture_open(OLD);
	char folder[] = "/tmp/cctr-test-XXXXXX";
	struct str victim, path, planted, text;
	struct junit_options o = {.output = &f->o.report.output,
		.dialect = &f->dialect,
		.selection = &f->selection};
	struct report *r;

	(void)state;
	assert_non_null(mkdtemp(folder));
	victim = str_fmt(f->a, "%s/victim", folder);
	path = str_fmt(f->a, "%s/j.xml", folder);
	planted = str_fmt(f->a, "%s.%d.cases", path.p, (int)getpid());
	assert_true(file_write(f->a, victim.p, ".tmp", STR("kept")));
	assert_int_equal(symlink(victim.p, planted.p), 0);
	o.path = path;
	r = report_junit_open(f->a, &o);
	assert_true(r->type->close(r, &f->diag));
	assert_true(file_read(f->a, victim.p, &text));
	assert_true(str_is(text, "kept"));
	assert_int_equal(unlink(planted.p) | unlink(victim.p) | unlink(path.p), 0);
	assert_int_equal(rmdir(folder), 0);
	fixture_close(f);
}

static void
test_build_name(void **state)
{
	static const struct {
		unsigned version;
		const char *configured, *shown;
	} rows[] = {
		{OLD, "", "(empty)"},
		{OLD, ":", "(empty)"},
		{OLD, " : ", "  "},
		{OLD, "a\\b/c:d*e?f\"g<h>i|j k(l)", "ab/cdefghij k(l)"},
		{NEW, "a\\b/c:d", "a\\b/c:d"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct dialect d = dialect_of(rows[i].version);

		assert_string_equal(
			str_z(a, report_build_name(a, &d, str_of(rows[i].configured))),
			rows[i].shown);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_suite),
		cmocka_unit_test(test_no_tests),
		cmocka_unit_test(test_not_writable),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_build_name),
	};

	return run_unit_tests("report_junit", tests, NULL, NULL);
}
