/* The report of processes that hang, from a folder like /proc. */
#include "tests/unit/fake_proc.h"
#include "tests/unit/unit.h"

/* Another process in each test. */
static int
setup(void **state)
{
	struct arena *a = arena_open();
	struct str process = path_join(a, text_folder(), str_fmt(a, "%d", FAKE_PID));

	*state = a;
	return path_may_exist(process.p) && !tree_remove(a, process.p) ? -1 : 0;
}

static void
whole(void **state)
{
	struct arena *a = *state;

	fake_file(a, "stat", STR("7 (a) b) S 3 7 7 0"));
	fake_file(a, "cmdline", STR("/bin/a\0two\nlines\0"));
	fake_file(a, "task/7/stat", STR("7 (a) b) S 3 7 7 0"));
	fake_file(a, "task/7/wchan", STR("futex_wait_queue"));
	fake_file(a, "task/7/stack", STR("[<0>] one\n[<0>] two\n"));
	fake_file(a, "task/12/stat", STR("12 (it\ner) R 3"));
	fake_file(a, "task/12/wchan", STR("0"));
	fake_link(a, "fd/3", "/tmp/a\nb");
	fake_link(a, "fd/0", "pipe:[17]");
	assert_string_equal(fake_report(a).p,
		"process 7, child of 3: /bin/a two lines\n"
		"  thread 7 (a) b): S, waits in futex_wait_queue\n"
		"    [<0>] one\n"
		"    [<0>] two\n"
		"  thread 12 (it er): R\n"
		"  file 0: pipe:[17]\n"
		"  file 3: /tmp/a b\n");
}

static void
gone(void **state)
{
	assert_string_equal(fake_report(*state).p, "process 7 is gone\n");
}

/* It ends after its parent was read. */
static void
ends_meanwhile(void **state)
{
	fake_file(*state, "stat", STR("7 (a) S 3"));
	assert_string_equal(fake_report(*state).p,
		"process 7, child of 3: \n"
		"  threads: cannot be read: No such file or directory\n"
		"  open files: cannot be read: No such file or directory\n");
}

static void
damaged(void **state)
{
	static const struct {
		const char *stat;
		const char *line;
	} rows[] = {
		{"", ""}, /* as if it could not be read */
		{"7", "  thread 7 \n"},
		{")(", "  thread 7 \n"},
		{"7 (a) ", "  thread 7 (a)\n"},
		{"7 (a)", "  thread 7 (a)\n"},
	};
	struct arena *a = *state;

	fake_file(a, "stat", STR("7 (a) S 3"));
	fake_file(a, "fd/x", STR(""));
	for (size_t i = 0; i < ROWS(rows); i++) {
		fake_file(a, "task/7/stat", str_of(rows[i].stat));
		assert_string_equal(fake_report(a).p,
			str_fmt(a, "process 7, child of 3: \n%s", rows[i].line).p);
	}
}

static void
bounded(void **state)
{
	struct arena *a = *state;
	struct str text;
	size_t lines = 0;

	fake_file(a, "stat", STR("7 (a) S 3"));
	for (int i = 0; i < REPORT_THREADS_MOST + 5; i++)
		fake_file(a, str_fmt(a, "task/%d/stat", i + 1).p, STR("1 (a) S 3"));
	for (int i = 0; i < REPORT_FILES_MOST + 3; i++)
		fake_link(a, str_fmt(a, "fd/%d", i).p, "x");
	text = fake_report(a);
	assert_true(str_has(text, STR("\n  and 5 more threads\n")));
	assert_true(str_has(text, STR("\n  and 3 more files\n")));
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	assert_int_equal(lines, 1 + REPORT_THREADS_MOST + 1 + REPORT_FILES_MOST + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole, setup, close_arena),
		cmocka_unit_test_setup_teardown(gone, setup, close_arena),
		cmocka_unit_test_setup_teardown(ends_meanwhile, setup, close_arena),
		cmocka_unit_test_setup_teardown(damaged, setup, close_arena),
		cmocka_unit_test_setup_teardown(bounded, setup, close_arena),
	};

	return run_unit_tests("process_report", tests, NULL, NULL);
}
