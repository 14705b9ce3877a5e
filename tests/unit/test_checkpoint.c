/* CTestCheckpoint.txt: what is taken of it, and what is added. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/records/checkpoint.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/unit.h"

static const struct {
	const char *text; /* NULL: no file */
	bool finished[3];
	size_t n;
} rows[] = {
	{NULL, {false, false, false}, 0},
	{"", {false, false, false}, 0},
	{"2 - b\n", {false, true, false}, 1},
	{"3 0.25 c\n1 - a\n", {true, false, true}, 2},
	{"\n3 1e-05 c\n\n1 - a\n", {true, false, true}, 2},
	{"2 - b\n2 - b\n2 7 b\n", {false, true, false}, 1},
	/* Not whole: the disk was full, or the machine went down. */
	{"1 - a\n3 - c", {true, false, false}, 1},
	{"1 - a\n3 - \n2 -\n3\n2 ", {true, false, false}, 1},
	{"1 - a2 - b\n3 - c\n", {false, false, true}, 1},
	/* The verdict is not known, or another test has the number. */
	{"1\n2\n3\n", {false, false, false}, 0},
	{"2 - a\n1 - b\n", {false, false, false}, 0},
	{"0 - a\n4 - a\n-1 - a\n99999999999999999999 - a\nx - a\n2x - b\n",
		{false, false, false}, 0},
};

static struct fixture *
three_tests(void)
{
	struct fixture *f = fixture_open(3025);

	fixture_add(f, "a");
	fixture_add(f, "b");
	fixture_add(f, "c");
	return f;
}

static void
what_is_taken(void **state)
{
	char path[] = "/tmp/cctr-checkpoint-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture *f = three_tests();
		const char *text = rows[i].text;
		struct str name = text ? str_of(path) : STR("/nonexistent/x");
		struct checkpoint c;

		if (text)
			assert_true(file_write(f->a, path, ".tmp", str_of(text)));
		assert_true(checkpoint_read(f->a, name, &f->selection, &c, &f->diag));
		assert_int_equal(c.was_there, text != NULL);
		assert_int_equal(c.finished_n, rows[i].n);
		for (size_t k = 0; c.finished && k < 3; k++)
			assert_int_equal(c.finished[k], rows[i].finished[k]);
		fixture_close(f);
	}
	unlink(path);
}

static void
what_is_not_read(void **state)
{
	struct fixture *f = three_tests();
	struct checkpoint c;

	(void)state;
	assert_true(checkpoint_read(f->a, STR("/"), &f->selection, &c, &f->diag));
	assert_false(c.was_there);
	/* It can be opened, and not read. */
	assert_false(checkpoint_read(
		f->a, STR("/proc/self/mem"), &f->selection, &c, &f->diag));
	assert_int_equal(f->diag.errors, 1);
	fixture_close(f);
}

/* c requires what a sets up and b cleans up. */
static void
fixtures_are_set_up_again(void **state)
{
	static const struct {
		const char *text;
		bool finished[3];
	} of_fixtures[] = {
		{"1 - a\n", {false, false, false}},
		{"1 - a\n3 - c\n", {false, false, true}},
		{"1 - a\n2 - b\n3 - c\n", {true, true, true}},
		{"1 - a\n2 - b\n", {false, false, false}},
	};
	char path[] = "/tmp/cctr-checkpoint-XXXXXX";
	struct str name = STR("f");
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	for (size_t i = 0; i < ROWS(of_fixtures); i++) {
		struct fixture *f = three_tests();
		struct properties *p = NEW_ARRAY(f->a, struct properties, 3);
		struct checkpoint c;

		for (size_t k = 0; k < 3; k++) {
			p[k] = *f->tests[k].properties;
			f->tests[k].properties = &p[k];
		}
		p[0].fixtures_setup = p[1].fixtures_cleanup = p[2].fixtures_required =
			(struct str_list){&name, 1};
		assert_true(file_write(f->a, path, ".tmp", str_of(of_fixtures[i].text)));
		assert_true(
			checkpoint_read(f->a, str_of(path), &f->selection, &c, &f->diag));
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(c.finished[k], of_fixtures[i].finished[k]);
		fixture_close(f);
	}
	unlink(path);
}

static void
end(struct fixture *f, struct report *r, size_t test, enum verdict_kind kind,
	bool is_last)
{
	struct attempt a = {.node = (node_id)test,
		.selected = &f->selected[test],
		.test = &f->tests[test],
		.number = f->selected[test].number};

	fixture_tell(r, &(struct event){.kind = EVENT_END,
				.attempt = &a,
				.outcome = &(struct outcome){.duration_ns = 250000000},
				.verdict = &(struct verdict){.kind = kind},
				.is_last = is_last});
}

static void
assert_text(struct fixture *f, const char *path, const char *expected)
{
	struct str text;

	assert_true(file_read(f->a, path, &text));
	assert_string_equal(text.p, expected);
}

/* Last attempts that ended well; each is in the file at once, behind what was there. */
static void
what_is_added(void **state)
{
	struct fixture *f = three_tests();
	char path[] = "/tmp/cctr-checkpoint-XXXXXX";
	int fd = mkstemp(path);
	struct report *r;

	(void)state;
	assert_int_equal(write(fd, "1 - ", 4), 4);
	close(fd);
	r = checkpoint_open(f->a, str_of(path));
	fixture_begin(r);
	end(f, r, 2, VERDICT_PASSED, false);
	end(f, r, 0, VERDICT_FAILED, true);
	end(f, r, 0, VERDICT_NOT_RUN, true);
	end(f, r, 0, VERDICT_TIMEOUT, true);
	assert_text(f, path, "1 - ");
	end(f, r, 2, VERDICT_PASSED, true);
	assert_text(f, path, "1 - \n3 0.250000000 c\n");
	end(f, r, 1, VERDICT_SKIPPED, true);
	end(f, r, 0, VERDICT_DISABLED, true);
	f->tests[0].name = STR("two\n3 - c");
	end(f, r, 0, VERDICT_PASSED, true);
	assert_true(r->type->close(r, &f->diag));
	assert_text(f, path, "1 - \n3 0.250000000 c\n2 - b\n1 - a\n");
	unlink(path);
	fixture_close(f);
}

/* A full disk in the middle of a line, by a limit of the file's size. */
static void
what_is_torn(void **state)
{
	struct fixture *f = three_tests();
	char path[] = "/tmp/cctr-checkpoint-XXXXXX";
	int fd = mkstemp(path);
	struct rlimit old, small;
	struct report *r;

	(void)state;
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){19, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	r = checkpoint_open(f->a, str_of(path));
	end(f, r, 0, VERDICT_PASSED, true);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	end(f, r, 1, VERDICT_PASSED, true);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_text(f, path, "1 0.250000000 a\n2 0");
	end(f, r, 2, VERDICT_PASSED, true);
	assert_text(f, path, "1 0.250000000 a\n2 0\n3 0.250000000 c\n");
	assert_false(r->type->stop(r, &f->diag));
	assert_int_equal(f->diag.errors, 1);
	unlink(path);
	fixture_close(f);
}

/* Nothing is written through a link, and a FIFO does not hang. */
static void
what_is_in_the_way(void **state)
{
	struct fixture *f = three_tests();
	char target[] = "/tmp/cctr-checkpoint-XXXXXX";
	const char *path = str_fmt(f->a, "%s.way", target).p;
	int fd = mkstemp(target);

	(void)state;
	close(fd);
	path = str_fmt(f->a, "%s.way", target).p;
	for (int i = 0; i < 3; i++) {
		struct report *r;

		assert_int_equal(i == 0   ? symlink(target, path)
				 : i == 1 ? link(target, path)
					  : mkfifo(path, 0600),
			0);
		r = checkpoint_open(f->a, str_of(path));
		end(f, r, 0, VERDICT_PASSED, true);
		assert_false(r->type->stop(r, &f->diag));
		assert_text(f, target, "");
		unlink(path);
	}
	unlink(target);
	fixture_close(f);
}

static void
not_to_be_written(void **state)
{
	struct fixture *f = three_tests();
	struct report *r = checkpoint_open(f->a, STR("/proc/no/such/file"));

	(void)state;
	end(f, r, 0, VERDICT_PASSED, true);
	assert_true(r->type->close(r, &f->diag));
	assert_int_equal(f->diag.entries.n, 0);
	assert_false(r->type->stop(r, &f->diag));
	assert_int_equal(f->diag.errors, 1);
	fixture_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken),
		cmocka_unit_test(what_is_not_read),
		cmocka_unit_test(fixtures_are_set_up_again),
		cmocka_unit_test(what_is_added),
		cmocka_unit_test(what_is_torn),
		cmocka_unit_test(what_is_in_the_way),
		cmocka_unit_test(not_to_be_written),
	};

	return run_unit_tests("checkpoint", tests, NULL, NULL);
}
