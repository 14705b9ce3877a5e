/* The record of how long tests took: what runs make of it, and what is damaged. */
#include "runner/run/timings.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

static struct result
result_of(const struct test *t, enum verdict_kind kind, double seconds)
{
	return (struct result){.test = t,
		.verdict = {.kind = kind},
		.outcome = {
			.ending = kind == VERDICT_NOT_RUN ? END_NOT_STARTED : END_EXITED,
			.duration_ns = (uint64_t)(seconds * 1e9)}};
}

/* The record after a run, from what it was. *line: the wrong line of the old one, or 0.
 */
static struct str
update_record(struct arena *a, struct str text, const struct selection *s,
	const struct tally *tally, unsigned *line)
{
	struct diag d = diag_in(a);
	struct str path = text_file(a, "cctr-timings.txt", text);

	timings_save(a, text_folder(), s, tally, &d);
	*line = d.entries.n ? d.entries.v[0].at.line : 0;
	assert_true(file_read(a, path.p, &text));
	return text;
}

/* One result after the other is added to the record. */
static void
results(void **state)
{
	static const struct {
		enum verdict_kind kind;
		double seconds;
		const char *text;
	} rows[] = {
		{VERDICT_NOT_RUN, 0, "cctr-timings 1\n"},
		{VERDICT_FAILED, 1, "cctr-timings 1\n1000000 0 a\n"},
		{VERDICT_TIMEOUT, 60, "cctr-timings 1\n60000000 0 a\n"},
		{VERDICT_PASSED, 2, "cctr-timings 1\n2000000 1 a\n"},
		{VERDICT_FAILED, 9, "cctr-timings 1\n2000000 1 a\n"},
		{VERDICT_PASSED, 4, "cctr-timings 1\n3000000 2 a\n"},
		{VERDICT_SKIPPED, 0, "cctr-timings 1\n3000000 2 a\n"},
		{VERDICT_PASSED, 3, "cctr-timings 1\n3000000 3 a\n"},
		{VERDICT_PASSED, 3, "cctr-timings 1\n3000000 4 a\n"},
		{VERDICT_PASSED, 3, "cctr-timings 1\n3000000 5 a\n"},
		{VERDICT_PASSED, 3, "cctr-timings 1\n3000000 6 a\n"},
		{VERDICT_PASSED, 3, "cctr-timings 1\n3000000 7 a\n"},
		{VERDICT_PASSED, 3, "cctr-timings 1\n3000000 8 a\n"},
		{VERDICT_PASSED, 11, "cctr-timings 1\n4000000 8 a\n"},
		{VERDICT_PASSED, 1e10, "cctr-timings 1\n125000003500000 8 a\n"},
	};
	struct arena *a = arena_open();
	struct test test = {.name = STR("a")};
	struct suite suite = {.n = 1};
	struct selection s = {.suite = &suite};
	struct str text = STR("cctr-timings 1\n");

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct tally tally = {0};
		unsigned line;

		VEC_PUSH(a, &tally.results,
			result_of(&test, rows[i].kind, rows[i].seconds));
		text = update_record(a, text, &s, &tally, &line);
		assert_int_equal(line, 0);
		if (!str_is(text, rows[i].text))
			fail_msg("row %zu: got %s", i, text.p);
	}
	arena_close(a);
}

static void
damaged(void **state)
{
	static const struct {
		const char *text;
		unsigned line; /* 0: a record */
	} rows[] = {
		{"cctr-timings 1\n", 0},
		{"cctr-timings 1\n1 1 a\n1 8 a b\n", 0},
		{"", 1},
		{"cctr-timings 2\n", 1},
		{"garbage", 1},
		{"cctr-timings 1\n1 9 a\n", 2},
		{"cctr-timings 1\n1 1 a\n\n", 3},
		{"cctr-timings 1\n-1 1 a\n", 2},
		{"cctr-timings 1\n1.5 1 a\n", 2},
		{"cctr-timings 1\n1000000000000001 1 a\n", 2},
		{"cctr-timings 1\n1 1", 2},
	};
	struct arena *a = arena_open();
	struct suite suite = {.n = 1};
	struct selection s = {.suite = &suite};
	struct test test = {.name = STR("a")};
	struct tally none = {0};

	(void)state;
	VEC_PUSH(a, &none.results, result_of(&test, VERDICT_NOT_RUN, 0));
	for (size_t i = 0; i < ROWS(rows); i++) {
		unsigned line = 99;
		struct str text =
			update_record(a, str_of(rows[i].text), &s, &none, &line);

		if (line != rows[i].line)
			fail_msg("row %zu", i);
		assert_true(str_is(text, line ? "cctr-timings 1\n" : rows[i].text));
	}
	arena_close(a);
}

/* Tests of the run come first; of the others as many stay as there is room for. */
static void
bounded(void **state)
{
	struct arena *a = arena_open();
	struct test test = {.name = STR("new")};
	struct suite suite = {.n = 1};
	struct selection s = {.suite = &suite};
	struct tally tally = {0};
	struct str text;
	unsigned line;

	(void)state;
	VEC_PUSH(a, &tally.results, result_of(&test, VERDICT_PASSED, 1));
	text = update_record(
		a, STR("cctr-timings 1\n1 1 x\n2 1 y\n3 1 z\n"), &s, &tally, &line);
	assert_true(str_is(text, "cctr-timings 1\n1000000 1 new\n1 1 x\n"));
	arena_close(a);
}

/* The file: kept by tests that did not run, read back, ignored when damaged. */
static void
the_file(void **state)
{
	struct arena *a = arena_open();
	struct str folder = str_dup(a, STR("/tmp/cctr-timings.XXXXXX"));
	struct diag d = diag_in(a);
	struct suite *suite = suite_of(a, "a; b; c");
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(a, suite, &everything);
	struct recorded *recorded = NEW_ARRAY(a, struct recorded, s.n);
	struct tally tally = {0};
	struct timings t;
	struct str text, path;

	(void)state;
	assert_non_null(mkdtemp((char *)folder.p));
	path = path_join(a, folder, STR("cctr-timings.txt"));
	t = timings_load(a, folder, &d);
	assert_int_equal(t.v.n, 0);
	timings_save(a, folder, &s, &tally, &d);
	assert_false(path_exists(path.p));
	VEC_PUSH(a, &tally.results, result_of(&suite->tests[0], VERDICT_PASSED, 2));
	timings_save(a, folder, &s, &tally, &d);
	tally.results.v[0] = result_of(&suite->tests[2], VERDICT_FAILED, 0.5);
	timings_save(a, folder, &s, &tally, &d);
	assert_true(file_read(a, path.p, &text));
	assert_true(str_is(text, "cctr-timings 1\n500000 0 c\n2000000 1 a\n"));
	t = timings_load(a, folder, &d);
	timings_fill(&t, &s, recorded);
	assert_true(recorded[0].seconds == 2 && recorded[1].seconds == 0 &&
		    recorded[2].seconds == 0.5);
	assert_int_equal(d.entries.n, 0);

	assert_true(file_write(a, path.p, ".tmp", STR("cctr-timings 1\nx\n")));
	t = timings_load(a, folder, &d);
	assert_int_equal(t.v.n, 0);
	assert_int_equal(d.entries.n, 1);
	assert_int_equal(d.errors, 0);
	assert_int_equal(d.entries.v[0].at.line, 2);
	timings_save(a, folder, &s, &tally, &d);
	assert_int_equal(d.entries.n, 2);
	assert_true(file_read(a, path.p, &text));
	assert_true(str_is(text, "cctr-timings 1\n500000 0 c\n"));

	assert_int_equal(unlink(path.p), 0);
	assert_int_equal(rmdir(folder.p), 0);
	timings_save(a, folder, &s, &tally, &d);
	assert_int_equal(d.entries.n, 3);
	assert_int_equal(d.errors, 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(damaged),
		cmocka_unit_test(bounded),
		cmocka_unit_test(the_file),
	};

	return run_unit_tests("timings", tests, NULL, NULL);
}
