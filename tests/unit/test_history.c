/* history: what is written is found again, within bounds; damaged, foreign and busy
 * files. */
#include "runner/history/history.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What the removal of a journal does, by which SQLite ends a transaction. */
enum unlinking { WORKS, FAILS, FAILS_AFTER_ALL };
static enum unlinking next_unlinking;
static unsigned unlinkings_before_it;

/* In place of the C library's, also for SQLite. */
int
unlink(const char *path)
{
	enum unlinking how = next_unlinking;

	if (how == WORKS || !str_ends(str_of(path), STR("-journal")) ||
		unlinkings_before_it-- > 0)
		return unlinkat(AT_FDCWD, path, 0);
	next_unlinking = WORKS;
	if (how == FAILS_AFTER_ALL)
		(void)unlinkat(AT_FDCWD, path, 0);
	errno = how == FAILS ? EBUSY : ENOENT;
	return -1;
}

static struct str
path_of(struct arena *a)
{
	return path_join(a, text_folder(), STR("history.sqlite"));
}

static void
remove_all(struct arena *a)
{
	static const char *const endings[] = {"", "-journal", ".damaged"};

	for (size_t i = 0; i < ROWS(endings); i++)
		unlink(str_fmt(a, "%s%s", path_of(a).p, endings[i]).p);
}

static struct history *
open_one(struct arena *a, const char *configuration, size_t keep)
{
	return history_open(a, &(struct history_options){.path = path_of(a),
				       .keep = keep,
				       .configuration = str_of(configuration),
				       .slots = 2});
}

static enum history_end
add(struct history *h, const char *test, const char *verdict, double seconds,
	struct diag *d)
{
	struct history_attempt one = {.test = str_of(test),
		.verdict = str_of(verdict),
		.wall_us = (uint64_t)(seconds * 1e6),
		.number = 1,
		.slots = 1,
		.is_last = true};

	return history_add(h, &one, 1, 0, d);
}

static double
estimate(struct arena *a, const char *configuration, const char *test, struct diag *d)
{
	struct str name = str_of(test);
	double seconds = 0;

	history_estimate(a, path_of(a), str_of(configuration), &name, 1, &seconds, d);
	return seconds;
}

static bool
is_left_out(void)
{
	if (!history_is_available())
		print_message("# skipped: there is no SQLite\n");
	return !history_is_available();
}

static void
estimates(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct history *h;

	if (is_left_out())
		return;
	remove_all(a);
	assert_true(estimate(a, "", "a", &d) == 0);
	assert_false(path_exists(path_of(a).p));
	h = open_one(a, "", 50);
	assert_int_equal(add(h, "a", "failed", 9, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "a", &d) == 9);
	assert_int_equal(add(h, "a", "passed", 2, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "a", "passed", 3, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "a", "passed", 100, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "a", "timeout", 1500, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "b", "not run", 0, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "a", &d) == 3);
	assert_true(estimate(a, "", "b", &d) == 0);
	assert_true(estimate(a, "Debug", "a", &d) == 0);
	history_close(h);
	h = open_one(a, "Debug", 50);
	assert_int_equal(add(h, "a", "passed", 7, &d), HISTORY_WRITTEN);
	history_close(h);
	assert_true(estimate(a, "Debug", "a", &d) == 7);
	assert_true(estimate(a, "", "a", &d) == 3);
	assert_int_equal(d.entries.n, 0);
}

/* How many attempts the history has of the tests together. */
static size_t
attempts_of(struct arena *a, struct str *names, size_t n, struct diag *d)
{
	struct history_content c;
	size_t attempts = 0;

	assert_int_equal(
		history_read(a, path_of(a), STR(""), names, n, 99, &c, d), HISTORY_FOUND);
	for (size_t i = 0; i < n; i++)
		attempts += c.tests[i].n;
	return attempts;
}

/* Many attempts at once, also beside another program that adds and drops tests. */
static void
many_at_once(void **state)
{
	enum { TESTS = 100, KEPT = 2 };
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct history_attempt v[TESTS] = {{.test = STR_NONE}};
	struct str names[TESTS];
	struct history *h, *other;

	if (is_left_out())
		return;
	remove_all(a);
	for (size_t i = 0; i < TESTS; i++) {
		names[i] = str_fmt(a, "test %zu", i);
		v[i] = (struct history_attempt){.test = names[i],
			.verdict = STR("passed"),
			.wall_us = 1000,
			.number = 1};
	}
	other = open_one(a, "", KEPT);
	assert_int_equal(add(other, "test 7", "passed", 1, &d), HISTORY_WRITTEN);
	h = open_one(a, "", KEPT);
	for (size_t run = 1; run <= 4; run++) {
		assert_int_equal(history_add(h, v, TESTS, 0, &d), HISTORY_WRITTEN);
		assert_int_equal(attempts_of(a, names, TESTS, &d),
			run == 1 ? TESTS + 1 : KEPT * TESTS);
	}
	assert_int_equal(history_drop_tests(other, 10), HISTORY_WRITTEN);
	assert_int_equal(attempts_of(a, names, TESTS, &d), KEPT * 10);
	assert_int_equal(history_add(h, v, TESTS, 0, &d), HISTORY_WRITTEN);
	assert_int_equal(attempts_of(a, names, TESTS, &d), KEPT * 10 + TESTS - 10);
	assert_int_equal(add(other, "test 7", "passed", 1, &d), HISTORY_WRITTEN);
	assert_int_equal(history_add(h, v, TESTS, 0, &d), HISTORY_WRITTEN);
	assert_int_equal(attempts_of(a, names, TESTS, &d), KEPT * TESTS);
	history_close(other);
	history_close(h);
	assert_int_equal(d.entries.n, 0);
}

static void
reads(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct str names[] = {STR("b"), STR("new"), STR("a")};
	struct history_content c;
	struct history *h;

	if (is_left_out())
		return;
	remove_all(a);
	assert_int_equal(history_read(a, path_of(a), STR(""), names, 3, 9, &c, &d),
		HISTORY_ABSENT);
	assert_false(path_exists(path_of(a).p));
	h = open_one(a, "", 50);
	assert_int_equal(add(h, "a", "failed", 9, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "a", "passed", 2, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "a", "timeout", 3, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "b", "passed", 4, &d), HISTORY_WRITTEN);
	history_close(h);
	h = open_one(a, "Debug", 50);
	assert_int_equal(add(h, "a", "passed", 5, &d), HISTORY_WRITTEN);
	history_close(h);
	assert_int_equal(
		history_read(a, path_of(a), STR(""), names, 3, 2, &c, &d), HISTORY_FOUND);
	assert_int_equal(c.runs_n, 2);
	assert_int_equal(c.runs[1].id, 2);
	assert_int_equal(c.runs[1].slots, 2);
	assert_int_equal(c.configurations.n, 2);
	assert_true(str_is(c.configurations.v[1], "Debug"));
	assert_int_equal(c.tests[0].n, 1);
	assert_int_equal(c.tests[1].n, 0);
	assert_int_equal(c.tests[2].n, 2);
	assert_true(str_is(c.tests[2].v[0].attempt.verdict, "timeout"));
	assert_int_equal(c.tests[2].v[0].attempt.wall_us, 3000000);
	assert_true(str_is(c.tests[2].v[1].attempt.verdict, "passed"));
	assert_int_equal(c.tests[2].v[1].run, 1);
	assert_int_equal(d.errors, 0);
}

/* The latest two attempts; the latest two tests of each configuration. */
static void
bounds(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct history *h, *other;

	if (is_left_out())
		return;
	remove_all(a);
	other = open_one(a, "Debug", 2);
	assert_int_equal(add(other, "a", "passed", 7, &d), HISTORY_WRITTEN);
	history_close(other);
	h = open_one(a, "", 2);
	assert_int_equal(add(h, "a", "passed", 1, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "b", "passed", 5, &d), HISTORY_WRITTEN);
	assert_int_equal(add(h, "a", "failed", 2, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "a", &d) == 1);
	assert_int_equal(add(h, "a", "failed", 3, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "a", &d) == 3);
	assert_int_equal(add(h, "c", "passed", 4, &d), HISTORY_WRITTEN);
	assert_int_equal(history_drop_tests(h, 2), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "b", &d) == 0);
	assert_true(estimate(a, "", "a", &d) == 3);
	assert_true(estimate(a, "Debug", "a", &d) == 7);
	/* a test that was dropped is new */
	assert_int_equal(add(h, "b", "passed", 6, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "b", &d) == 6);
	history_close(h);
	assert_int_equal(d.entries.n, 0);
}

/* Two runs add in turns, and one of them drops what the other knows. */
static void
two_writers(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct history *one, *two;

	if (is_left_out())
		return;
	remove_all(a);
	one = open_one(a, "", 9);
	two = open_one(a, "", 9);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(add(one, "a", "passed", 1, &d), HISTORY_WRITTEN);
		assert_int_equal(add(two, "b", "passed", 2, &d), HISTORY_WRITTEN);
		assert_int_equal(history_drop_tests(two, 1), HISTORY_WRITTEN);
		assert_true(estimate(a, "", "a", &d) == 0);
	}
	assert_int_equal(add(one, "a", "passed", 1, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "a", &d) == 1);
	/* the file is removed: it is made again */
	remove_all(a);
	assert_int_equal(add(one, "c", "passed", 4, &d), HISTORY_WRITTEN);
	assert_true(estimate(a, "", "c", &d) == 4);
	history_close(one);
	history_close(two);
	assert_int_equal(d.entries.n, 0);
}

/* The end of one transaction fails, whether it is written or rolled back: the run stays
 * one, and has each attempt once. The first transaction makes the tables. */
static void
check_failed_end(struct arena *a, enum unlinking how, unsigned transaction)
{
	struct diag d = diag_in(a);
	struct str name = STR("a");
	struct history_content c;
	struct history *h;

	remove_all(a);
	h = open_one(a, "", 9);
	next_unlinking = how;
	unlinkings_before_it = transaction - 1;
	for (int i = 1; i <= 3; i++)
		assert_int_equal(add(h, "a", "passed", i, &d), HISTORY_WRITTEN);
	history_close(h);
	assert_int_equal(next_unlinking, WORKS);
	assert_int_equal(
		history_read(a, path_of(a), STR(""), &name, 1, 9, &c, &d), HISTORY_FOUND);
	assert_int_equal(c.runs_n, 1);
	assert_int_equal(c.tests[0].n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(c.tests[0].v[i].run, c.runs[0].id);
		assert_int_equal(c.tests[0].v[i].attempt.wall_us, (3 - i) * 1000000);
	}
	assert_int_equal(d.entries.n, 0);
}

static void
failed_ends(void **state)
{
	struct arena *a = *state;

	if (is_left_out())
		return;
	for (unsigned transaction = 1; transaction <= 4; transaction++) {
		check_failed_end(a, FAILS, transaction);
		check_failed_end(a, FAILS_AFTER_ALL, transaction);
	}
}

/* In a file that took the place of the run's own, the run has a row beside that of
 * another run, which has the same id as its first one. */
static void
replaced_file(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct str name = STR("a");
	struct history *one, *two;
	struct history_content c;

	if (is_left_out())
		return;
	remove_all(a);
	one = open_one(a, "", 9);
	two = history_open(a,
		&(struct history_options){.path = path_of(a), .keep = 9, .began_us = 7});
	assert_int_equal(add(one, "a", "passed", 1, &d), HISTORY_WRITTEN);
	remove_all(a);
	assert_int_equal(add(two, "a", "passed", 2, &d), HISTORY_WRITTEN);
	assert_int_equal(add(one, "a", "passed", 3, &d), HISTORY_WRITTEN);
	history_close(one);
	history_close(two);
	assert_int_equal(
		history_read(a, path_of(a), STR(""), &name, 1, 9, &c, &d), HISTORY_FOUND);
	assert_int_equal(c.runs_n, 2);
	assert_int_equal(c.tests[0].n, 2);
	assert_int_equal(c.tests[0].v[0].run, c.runs[1].id);
	assert_int_equal(c.tests[0].v[1].run, c.runs[0].id);
	assert_int_equal(c.runs[0].began_us, 7);
	assert_int_equal(d.entries.n, 0);
}

/* Whatever the file is, reading ends; the next run has a history, and what was there has
 * another name if it was replaced. false: the new attempt is not found, since changed
 * bytes can look like a whole index. */
static bool
check_begun_again(struct arena *a, bool must_be_replaced)
{
	struct diag d = diag_in(a);
	struct history *h;

	(void)estimate(a, "", "a", &d);
	if (must_be_replaced && d.entries.n != 1)
		fail_msg("%zu warnings of the reader", d.entries.n);
	d = diag_in(a);
	h = open_one(a, "", 9);
	assert_int_equal(add(h, "new", "passed", 5, &d), HISTORY_WRITTEN);
	history_close(h);
	assert_int_equal(d.errors, 0);
	assert_true(d.entries.n ==
		    (path_exists(str_fmt(a, "%s.damaged", path_of(a).p).p) ? 1 : 0));
	assert_true(!must_be_replaced || d.entries.n == 1);
	return estimate(a, "", "new", &d) == 5;
}

static void
foreign_files(void **state)
{
	struct arena *a = *state;
	struct buf noise = {.arena = a};

	if (is_left_out())
		return;
	remove_all(a);
	text_file(a, "history.sqlite",
		STR("this is no database, but a text of some "
		    "length, so that it is no empty file\n"));
	assert_true(check_begun_again(a, true));
	remove_all(a);
	buf_z(&noise, "SQLite format 3");
	for (unsigned i = 0; i < 5000; i++)
		buf_char(&noise, (char)(i * 2654435761u >> 11));
	text_file(a, "history.sqlite", buf_as_str(&noise));
	assert_true(check_begun_again(a, true));
	remove_all(a);
	text_file(a, "history.sqlite", STR(""));
	assert_true(check_begun_again(a, false));
}

/* A history in which bytes are changed, or which is cut. */
static void
damaged_files(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct history *h;
	struct str whole;
	unsigned seed = 16, found = 0;

	if (is_left_out())
		return;
	remove_all(a);
	h = open_one(a, "", 9);
	for (int i = 0; i < 60; i++)
		assert_int_equal(add(h, str_fmt(a, "test-%d", i % 20).p, "passed", i, &d),
			HISTORY_WRITTEN);
	history_close(h);
	assert_true(file_read(a, path_of(a).p, &whole));
	for (int i = 0; i < 300; i++) {
		struct arena_mark mark = arena_mark(a);
		struct str text = str_dup(a, whole);

		for (int k = 0; k <= i % 7; k++) {
			seed = seed * 1103515245 + 12345;
			str_own(text)[(seed >> 8) % text.n] = (char)(seed >> 4);
		}
		if (i % 5 == 0)
			text.n = (seed >> 8) % text.n;
		remove_all(a);
		text_file(a, "history.sqlite", text);
		found += check_begun_again(a, false);
		arena_rewind(a, mark);
	}
	assert_true(found > 200);
}

/* Nothing is lost that cannot be written now, and the reason is said. */
static void
failures(void **state)
{
	struct arena *a = *state;
	struct diag d = diag_in(a);
	struct history *h, *missing;

	if (is_left_out())
		return;
	remove_all(a);
	assert_true(directory_make(a, path_of(a).p));
	h = open_one(a, "", 9);
	assert_int_equal(add(h, "a", "passed", 1, &d), HISTORY_LOST);
	assert_true(history_why(h).n > 0);
	assert_int_equal(rmdir(path_of(a).p), 0);
	assert_int_equal(add(h, "a", "passed", 1, &d), HISTORY_WRITTEN);
	history_close(h);
	missing = history_open(
		a, &(struct history_options){.keep = 1, .path = STR("/nowhere/at/all")});
	assert_int_equal(add(missing, "a", "passed", 1, &d), HISTORY_LOST);
	history_close(missing);
	assert_int_equal(d.entries.n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(estimates, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(many_at_once, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(reads, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(bounds, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(two_writers, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(failed_ends, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(replaced_file, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(foreign_files, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(damaged_files, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(failures, open_arena, close_arena),
	};

	return run_unit_tests("history", tests, NULL, NULL);
}
