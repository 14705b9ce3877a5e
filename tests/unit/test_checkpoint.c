/* CTestCheckpoint.txt: what is taken of it, and what is added. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "compat/checkpoint.h"
#include "runner/files.h"
#include "tests/unit/report_fixture.h"

static const struct {
	const char *text; /* NULL: no file */
	bool finished[3];
	size_t n;
} rows[] = {
	{NULL, {false, false, false}, 0},
	{"", {false, false, false}, 0},
	{"2\n", {false, true, false}, 1},
	{"3\n1\n", {true, false, true}, 2},
	{"3", {false, false, true}, 1},
	{" 3 \n\n1\r\n", {true, false, true}, 2},
	{"2\n2\n2\n", {false, true, false}, 1},
	{"0\n4\n-1\n99999999999999999999\nx\n2x\n", {false, false, false}, 0},
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
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture *f = three_tests();
		const char *text = rows[i].text;
		struct str name = text ? str_of(path) : STR("/nonexistent/x");
		struct checkpoint c;

		if (text)
			assert_true(file_write(f->a, path, ".tmp", str_of(text)));
		c = checkpoint_read(f->a, name, &f->selection);
		assert_int_equal(c.was_there, text != NULL);
		assert_int_equal(c.finished_n, rows[i].n);
		for (size_t k = 0; c.finished && k < 3; k++)
			assert_int_equal(c.finished[k], rows[i].finished[k]);
		fixture_close(f);
	}
	unlink(path);
}

static void
end(struct fixture *f, struct report *r, size_t test, bool is_last)
{
	struct attempt a = {.node = (node_id)test,
		.selected = &f->selected[test],
		.test = &f->tests[test],
		.number = f->selected[test].number};

	fixture_tell(
		r, &(struct event){.kind = EVENT_END, .attempt = &a, .is_last = is_last});
}

/* Only last attempts count; each is in the file at once, behind what was there. */
static void
what_is_added(void **state)
{
	struct fixture *f = three_tests();
	char path[] = "/tmp/cctr-checkpoint-XXXXXX";
	int fd = mkstemp(path);
	struct report *r;
	struct str text;

	(void)state;
	assert_int_equal(write(fd, "1\n", 2), 2);
	close(fd);
	r = checkpoint_open(f->a, str_of(path));
	fixture_begin(r);
	end(f, r, 2, false);
	assert_true(file_read(f->a, path, &text));
	assert_true(str_is(text, "1\n"));
	end(f, r, 2, true);
	assert_true(file_read(f->a, path, &text));
	assert_true(str_is(text, "1\n3\n"));
	end(f, r, 1, true);
	assert_true(r->type->close(r, &f->diag));
	assert_true(file_read(f->a, path, &text));
	assert_true(str_is(text, "1\n3\n2\n"));
	unlink(path);
	fixture_close(f);
}

static void
not_to_be_written(void **state)
{
	struct fixture *f = three_tests();
	struct report *r = checkpoint_open(f->a, STR("/proc/no/such/file"));

	(void)state;
	end(f, r, 0, true);
	assert_true(r->type->close(r, &f->diag));
	assert_int_equal(f->diag.entries.n, 0);
	fixture_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken),
		cmocka_unit_test(what_is_added),
		cmocka_unit_test(not_to_be_written),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
