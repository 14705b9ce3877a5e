/* The life of a process as a table, and finding what a test started. */
#include <errno.h>
#include <sys/wait.h>

#include "runner/base/files.h"
#include "runner/process/process.h"
#include "tests/helpers/helper.h"
#include "tests/unit/unit.h"

/* In place of the C library's: it has no memory left. Nothing else here uses it. */
DIR *
fdopendir(int fd)
{
	(void)fd;
	errno = ENOMEM;
	return NULL;
}

/* ---- life ------------------------------------------------------------------------ */

static void
lives(void **state)
{
	enum { X = PROCESS_EXITS, E = PROCESS_OUTPUT_ENDS, L = PROCESS_LIMIT };
	enum { S = PROCESS_SOFT_LIMIT, END = -1 };
	static const struct {
		int events[6];
		enum process_state last;
	} rows[] = {
		{{END}, PROCESS_RUNS},
		{{X, END}, PROCESS_LEFT},
		{{X, E, END}, PROCESS_DONE},
		{{E, END}, PROCESS_SILENT},
		{{E, X, END}, PROCESS_DONE},
		{{L, END}, PROCESS_KILLED},
		{{L, X, END}, PROCESS_DONE},
		{{E, L, X, END}, PROCESS_DONE},
		{{X, L, END}, PROCESS_DONE},
		{{S, END}, PROCESS_WARNED},
		{{S, X, END}, PROCESS_WARNED_LEFT},
		{{S, X, E, END}, PROCESS_DONE},
		{{S, X, L, END}, PROCESS_DONE},
		{{S, E, END}, PROCESS_WARNED_SILENT},
		{{S, E, X, END}, PROCESS_DONE},
		{{S, E, L, X, END}, PROCESS_DONE},
		{{S, L, END}, PROCESS_KILLED},
		{{E, S, X, END}, PROCESS_DONE},
		{{X, S, END}, PROCESS_DONE},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		enum process_state s = PROCESS_RUNS;

		for (const int *e = rows[i].events; *e != END; e++)
			s = process_next(s, (enum process_event) * e);
		assert_int_equal(s, rows[i].last);
	}
}

/* Until it exits, whatever happens: a process can be killed, and is reaped once. */
static void
alive_until_it_exits(void **state)
{
	static const bool alive[PROCESS_STATES] = {
		[PROCESS_RUNS] = true,
		[PROCESS_SILENT] = true,
		[PROCESS_WARNED] = true,
		[PROCESS_WARNED_SILENT] = true,
		[PROCESS_KILLED] = true,
	};

	(void)state;
	for (int s = 0; s < PROCESS_STATES; s++)
		assert_int_equal(process_is_alive((enum process_state)s), alive[s]);
	for (int s = 0; s < PROCESS_STATES; s++)
		if (alive[s])
			assert_false(process_is_alive(
				process_next((enum process_state)s, PROCESS_EXITS)));
}

/* ---- trees ----------------------------------------------------------------------- */

struct fixture {
	struct arena *arena;
	struct process_starter *starter;
	struct process_scope scope;
	char directory[64];
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = arena_open();
	f->starter = process_starter_open(f->arena, true);
	strcpy(f->directory, "/tmp/cctr-process-XXXXXX");
	*state = f;
	return mkdtemp(f->directory) ? 0 : -1;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", f->directory);
	arena_close(f->arena);
	process_scope_close(&f->scope);
	free(f);
	return system(command) == 0 ? 0 : -1;
}

static const char *
in_directory(struct fixture *f, const char *name)
{
	return str_fmt(f->arena, "%s/%s", f->directory, name).p;
}

/* One child that pauses, and pauses itself; both say their numbers. */
static struct process_root
start_pair(struct fixture *f, const char *name)
{
	static const char *const environment[] = {HELPER_ENVIRONMENT, NULL};
	const char *kid = str_fmt(f->arena, "%s.kid", name).p;
	const char *argv[] = {helper_path(), "child", "pid", in_directory(f, kid),
		"pause", ";", "pid", in_directory(f, name), "pause", NULL};
	struct launch l = {.path = argv[0],
		.argv = argv,
		.environment = environment,
		.directory = "/"};
	struct process_root root = {.is_alive = true};
	struct process_begun begun;

	root.has_group = process_starter_groups(f->starter);
	assert_int_equal(process_start(f->starter, &l, &begun), 0);
	assert_int_equal(begun.outputs[1], -1);
	root.pid = begun.pid;
	root.brand = begun.brand;
	root.output_id = process_output_id(begun.outputs[0]);
	close(begun.outputs[0]);
	return root;
}

static int
pid_in(struct fixture *f, const char *name)
{
	struct str text;

	while (!file_read(f->arena, in_directory(f, name), &text))
		usleep(500);
	return str_int(text);
}

static int
signal_that_ended(int pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
only_the_wanted_one(void **state)
{
	struct fixture *f = *state;
	struct process_root roots[2];
	struct process_kill k = {.scope = &f->scope, .roots = roots, .roots_n = 2};
	int kid_a, kid_b;

	process_scope_open(&f->scope, f->arena, true);
	roots[0] = start_pair(f, "a");
	roots[1] = start_pair(f, "b");
	kid_a = pid_in(f, "a.kid");
	kid_b = pid_in(f, "b.kid");
	assert_int_equal(pid_in(f, "a"), roots[0].pid);
	pid_in(f, "b");
	roots[0].wanted = true;
	process_signal_all(f->arena, &k, SIGKILL);
	assert_int_equal(signal_that_ended(roots[0].pid), SIGKILL);
	assert_int_equal(signal_that_ended(kid_a), SIGKILL);
	assert_int_equal(kill(kid_b, 0), 0);

	/* Its leader is reaped; the child is found by its group. */
	kill(roots[1].pid, SIGTERM);
	assert_int_equal(signal_that_ended(roots[1].pid), SIGTERM);
	roots[1].is_alive = false;
	roots[1].wanted = true;
	roots[0].wanted = false;
	process_signal_all(f->arena, &k, SIGTERM);
	assert_int_equal(signal_that_ended(kid_b), SIGTERM);
}

static void
everything_but_the_excluded(void **state)
{
	struct fixture *f = *state;
	struct process_root ours, old = start_pair(f, "b");
	struct process_kill k = {
		.scope = &f->scope, .roots = &ours, .roots_n = 1, .everything = true};
	int kid_b = pid_in(f, "b.kid");

	pid_in(f, "b");
	process_scope_open(&f->scope, f->arena, true);
	ours = start_pair(f, "a");
	pid_in(f, "a");
	pid_in(f, "a.kid");
	process_signal_all(f->arena, &k, SIGKILL);
	assert_int_equal(signal_that_ended(ours.pid), SIGKILL);
	assert_int_equal(kill(old.pid, 0), 0);
	assert_int_equal(kill(kid_b, 0), 0);
	kill(kid_b, SIGKILL);
	kill(old.pid, SIGKILL);
	assert_int_equal(signal_that_ended(old.pid), SIGKILL);
}

static void
children_are_excluded(void **state)
{
	struct fixture *f = *state;
	struct process_root r;

	process_scope_open(&f->scope, f->arena, false);
	assert_false(f->scope.adopts);
	process_scope_close(&f->scope);
	process_scope_open(&f->scope, f->arena, true);
	assert_int_equal(f->scope.excluded_n, 0);
	assert_true(f->scope.adopts);
	process_scope_close(&f->scope);
	r = start_pair(f, "a");
	pid_in(f, "a.kid");
	pid_in(f, "a");
	process_scope_open(&f->scope, f->arena, true);
	assert_int_equal(f->scope.excluded_n, 1);
	assert_int_equal(f->scope.excluded[0], r.pid);
	assert_false(f->scope.adopts);
	kill(pid_in(f, "a.kid"), SIGKILL);
	kill(r.pid, SIGKILL);
	assert_int_equal(signal_that_ended(r.pid), SIGKILL);
}

/* A child without a brand is looked for by its pipe. */
static void
unreadable_files_leave_nothing_open(void **state)
{
	struct fixture *f = *state;
	struct process_root none = {.output_id = 1, .wanted = true};
	struct process_kill k = {.scope = &f->scope, .roots = &none, .roots_n = 1};
	int before, after;
	pid_t child;

	process_scope_open(&f->scope, f->arena, true);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	before = dup(STDERR_FILENO);
	close(before);
	process_signal_all(f->arena, &k, SIGTERM);
	after = dup(STDERR_FILENO);
	close(after);
	kill(child, SIGKILL);
	assert_int_equal(signal_that_ended(child), SIGKILL);
	assert_int_equal(after, before);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives),
		cmocka_unit_test(alive_until_it_exits),
		cmocka_unit_test_setup_teardown(children_are_excluded, setup, teardown),
		cmocka_unit_test_setup_teardown(only_the_wanted_one, setup, teardown),
		cmocka_unit_test_setup_teardown(
			everything_but_the_excluded, setup, teardown),
		cmocka_unit_test_setup_teardown(
			unreadable_files_leave_nothing_open, setup, teardown),
	};

	if (helper_is_wanted())
		return helper_main(argc, argv);
	return run_unit_tests("process", tests, NULL, NULL);
}
