/* compat/submit_parts: which files, in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/dashboard/submit/submit_parts.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

static void
put(struct arena *a, const char *folder, const char *name)
{
	struct str path = str_fmt(a, "%s/Testing/T/%s", folder, name);

	assert_true(file_write(a, path.p, ".tmp", STR("<x/>")));
}

/* The chosen files, each with a blank behind it. */
static struct str
chosen(const struct step_input *in, struct step_result *r)
{
	struct str_list files = submit_parts(in, r);
	struct buf all = {.arena = in->arena};

	for (size_t i = 0; i < files.n; i++)
		buf_fmt(&all, "%.*s ", STR_ARG(files.v[i]));
	return buf_as_str(&all);
}

static void
test_coverage_logs(void **state)
{
	static const char *const names[] = {"CoverageLog-10.xml", "CoverageLog-9.xml",
		"CoverageLog-1.xml", "Coverage.xml", "Test.xml", "Other.xml"};
	char folder[] = "/tmp/cctr-parts-XXXXXX";
	struct arena *a = arena_open();
	step_files files = {0};
	struct step_input in = {.arena = a, .stamp.tag = STR("T"), .files = &files};
	struct step_result r = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_true(directory_make(a, str_fmt(a, "%s/Testing/T", folder).p));
	for (size_t i = 0; i < ROWS(names); i++)
		put(a, folder, names[i]);
	in.binary = str_of(folder);
	assert_true(str_is(chosen(&in, &r),
		"Test.xml Coverage.xml CoverageLog-1.xml CoverageLog-10.xml "
		"CoverageLog-9.xml Done.xml "));

	/* What steps wrote comes first in its part, and once. */
	VEC_PUSH(a, &files, (struct step_file){PART_TEST, STR("Test_2.xml")});
	VEC_PUSH(a, &files, (struct step_file){PART_COVERAGE, STR("CoverageLog-9.xml")});
	VEC_PUSH(a, &files, (struct step_file){PART_EXTRA_FILES, STR("/x")});
	assert_true(str_is(chosen(&in, &r),
		"Test_2.xml Test.xml CoverageLog-9.xml Coverage.xml CoverageLog-1.xml "
		"CoverageLog-10.xml /x Done.xml "));
	assert_int_equal(r.errors.n, 0);
	assert_int_equal(system(str_fmt(a, "rm -r %s", folder).p), 0);
	arena_close(a);
}

static void
test_arguments(void **state)
{
	static const struct str parts[] = {STR("upload"), STR("Foo"), STR("DONE")};
	static const struct str files[] = {STR("/nowhere/b"), STR("/")};
	static const struct step_argument arguments[] = {
		{STR("PARTS"), parts, 3}, {STR("FILES"), files, 2}};
	struct arena *a = arena_open();
	step_files none = {0};
	struct step_input in = {.arena = a,
		.stamp.tag = STR("T"),
		.binary = STR("/nowhere"),
		.files = &none,
		.call = {.arguments = arguments, .n = 2}};
	struct step_result r = {0};

	(void)state;
	assert_true(str_is(chosen(&in, &r), "/ Done.xml "));
	assert_int_equal(r.errors.n, 2);
	assert_string_equal(r.errors.v[0].p, "Part name \"Foo\" is invalid.");
	assert_string_equal(r.errors.v[1].p, "File \"/nowhere/b\" does not exist.  "
					     "Cannot submit a non-existent file.");
	in.call.arguments = arguments + 1;
	in.call.n = 1;
	assert_true(str_is(chosen(&in, &r), "/ "));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coverage_logs),
		cmocka_unit_test(test_arguments),
	};

	return run_unit_tests("submit_parts", tests, NULL, NULL);
}
