/* What every engine does, with real processes (tests/helpers/helper.h). */
#ifndef CCTR_TESTS_UNIT_ENGINE_ROWS_H
#define CCTR_TESTS_UNIT_ENGINE_ROWS_H

#include <errno.h>
#include <sys/stat.h>

#include "runner/base/atomic_file.h"
#include "tests/unit/engine_fixture.h"
#include "tests/unit/unit.h"

/* ---- endings --------------------------------------------------------------------- */

static void
endings(void **state)
{
	static const struct {
		const char *words;
		enum ending ending;
		int code;
		const char *output;
	} rows[] = {
		{"", END_EXITED, 0, ""},
		{"exit 3", END_EXITED, 3, ""},
		{"exit 255", END_EXITED, 255, ""},
		{"raise 15", END_SIGNALLED, 15, ""},
		{"raise 9", END_SIGNALLED, 9, ""},
		{"raise 11", END_SIGNALLED, 11, ""},
		{"print a\\n complain b print c\\n exit 1", END_EXITED, 1, "a\nbc\n"},
		{"print unfinished raise 6", END_SIGNALLED, 6, "unfinished\n"},
		{"print a\\0b\\n", END_EXITED, 0, "a\nb\n"},
		{"print before close exit 4", END_EXITED, 4, "before\n"},
		{"child print kid\\n ; exit 0", END_EXITED, 0, "kid\n"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct outcome *o = execute(f, rows[i].words);

		assert_int_equal(o->ending, rows[i].ending);
		assert_int_equal(o->ending == END_SIGNALLED ? o->signal : o->exit_code,
			rows[i].code);
		assert_string_equal(o->output.p, rows[i].output);
	}
}

static void
usage_is_reported(void **state)
{
	const struct outcome *o = execute(*state, "fill 100000");

	assert_true(o->started_us > (int64_t)1000000000 * 1000000);
	assert_true(o->duration_ns > 0 && o->duration_ns < 60000u * (uint64_t)MS);
	assert_true(o->peak_rss_bytes > 100000);
	assert_int_equal(o->output.n, 100000);
}

static void
what_a_test_inherits(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		execute(f, "environment descriptors signals directory")->output.p,
		str_fmt(f->arena,
			HELPER_ENVIRONMENT
			"\nTWO=2\n0\n1\n2\nSigBlk:\t%016d\nSigIgn:\t%016d\n%s\n",
			0, 0, f->directory)
			.p);
}

static void
script_without_interpreter(void **state)
{
	struct fixture *f = *state;
	const char *path = str_fmt(f->arena, "%s/script", f->directory).p;
	const char *const argv[] = {path, "a b", "c", NULL};
	struct launch l = launch_of(f, "");

	assert_true(
		file_write(f->arena, path, ".tmp", STR("echo \"$1|$2|$#\"\nexit 5\n")));
	assert_int_equal(chmod(path, 0700), 0);
	l.path = path;
	l.argv = argv;
	begin(f, 0, &l);
	assert_int_equal(await(f, 0)->exit_code, 5);
	assert_string_equal(f->ended[0].o.output.p, "a b|c|2\n");
}

/* ---- output ---------------------------------------------------------------------- */

static void
much_output(void **state)
{
	struct fixture *f = *state;
	const struct outcome *o = execute(f, "fill 5000000 exit 2");

	assert_int_equal(o->exit_code, 2);
	assert_int_equal(o->output.n, 5000000 - 5000000 % 64 + 64 - (64 - 5000000 % 64));
}

static void
lines_as_they_come(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "print one\\ndrop\\0two\\nlast");

	l.wants_lines = true;
	begin(f, 0, &l);
	assert_string_equal(await(f, 0)->output.p, "one\ntwo\nlast\n");
	assert_string_equal(f->lines.p, "[one][drop][two][last]");
}

static void
only_lines_with_tags(void **state)
{
	struct fixture *f = *state;

	execute(f, "print one\\ndrop<CTestX\\ntwo<CTestY\\nlast");
	assert_string_equal(f->ended[0].o.output.p, "one\ntwo<CTestY\nlast\n");
	assert_string_equal(f->lines.p, "[drop<CTestX][two<CTestY]");
}

/* ---- limits ---------------------------------------------------------------------- */

static void
timeout_kills_all(void **state)
{
	struct fixture *f = *state;
	const struct outcome *o = execute_limited_by_print(f,
		"ignore 15 child pid @/kid pause ; child daemon pid @/far pause ; "
		"pid @/top await @/kid await @/far print said\\n pause",
		100u * MS);

	assert_int_equal(o->ending, END_TIMED_OUT);
	assert_string_equal(o->output.p, "said\n");
	assert_true(o->duration_ns >= 100u * MS);
	assert_gone(f, pid_in(f, "top"));
	assert_gone(f, pid_in(f, "kid"));
	assert_gone(f, pid_in(f, "far"));
}

/* The process is gone, its output is held open by one that left it. A line that has not
 * ended then never will. */
static void
output_held_open(void **state)
{
	struct fixture *f = *state;
	const struct outcome *o = execute_limited_by_print(f,
		"child daemon pid @/far pause ; await @/far print x\\ny exit 0",
		100u * MS);

	assert_int_equal(o->ending, END_TIMED_OUT);
	assert_string_equal(o->output.p, "x\n");
	assert_gone(f, pid_in(f, "far"));
}

/* One that closed its output is none of the test's business, as in ctest. */
static void
daemon_may_stay(void **state)
{
	struct fixture *f = *state;
	const struct outcome *o =
		execute(f, "child daemon close pid @/far pause ; exit 0");
	int pid = pid_in(f, "far");

	assert_int_equal(o->ending, END_EXITED);
	assert_false(is_gone(pid));
	kill(pid, SIGKILL);
	assert_gone(f, pid);
}

static void
closed_output_is_no_end(void **state)
{
	const struct outcome *o = execute_limited(*state, "close pause", 200u * MS);

	assert_int_equal(o->ending, END_TIMED_OUT);
}

static void
each_has_its_own_limit(void **state)
{
	struct fixture *f = *state;
	struct launch slow = launch_of(f, "pause"), quick = launch_of(f, "exit 6");
	struct launch blocked = launch_of(f, "block @/fifo exit 8");
	const char *fifo = str_fmt(f->arena, "%s/fifo", f->directory).p;
	int fd;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	slow.timeout_ns = 100u * MS;
	begin(f, 0, &slow);
	begin(f, 1, &quick);
	begin(f, 2, &blocked);
	assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
	assert_int_equal(await(f, 1)->exit_code, 6);
	assert_int_equal(f->ended[2].count, 0);
	fd = open(fifo, O_WRONLY | O_CLOEXEC);
	assert_int_equal(await(f, 2)->exit_code, 8);
	close(fd);
}

static void
timeout_signal(void **state)
{
	static const struct {
		const char *words;
		bool sufficed;
		uint64_t grace_ns;
	} rows[] = {{"print x\\n pause", true, 60000u * (uint64_t)MS},
		{"ignore 10 print x\\n pause", false, 100u * MS}};
	struct fixture *f = *state;

	for (size_t i = 0; i < 2; i++) {
		struct launch l = launch_of(f, rows[i].words);

		l.wants_lines = true;
		f->restart_ns = 100u * MS;
		l.timeout_signal = SIGUSR1;
		l.timeout_grace_ns = rows[i].grace_ns;
		f->ended[0].count = 0;
		begin(f, 0, &l);
		assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
		assert_int_equal(f->ended[0].o.timeout_signal, SIGUSR1);
		assert_int_equal(f->ended[0].o.signal_sufficed, rows[i].sufficed);
		assert_true(f->ended[0].o.duration_ns >=
			    (rows[i].sufficed ? 100u : 200u) * MS);
	}
}

static void
timer_restarts(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "print go\\n pause");

	l.wants_lines = true;
	f->restart_ns = 100u * MS;
	begin(f, 0, &l); /* without a limit, until it speaks */
	assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
	assert_int_equal(f->restarts, 1);
	assert_true(f->ended[0].o.duration_ns >= 100u * MS);
}

/* What a test prints after its limit does not move the end of its grace period. */
static void
grace_period_stays(void **state)
{
	static const char script[] =
		"trap 'echo late' USR1; sleep 20 & echo x; wait; wait; exit 0";
	static const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	struct fixture *f = *state;
	struct launch l = launch_of(f, "");

	l.path = argv[0];
	l.argv = argv;
	l.wants_lines = true;
	l.timeout_signal = SIGUSR1;
	l.timeout_grace_ns = 1000u * MS;
	f->restart_ns = 100u * MS;
	begin(f, 0, &l);
	while (!f->restarts)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	f->restart_ns = NO_TIMEOUT;
	assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
	assert_false(f->ended[0].o.signal_sufficed);
	assert_true(f->ended[0].o.duration_ns >= 1100u * MS);
}

/* The limit moves, and the duration counts from the start all the same. */
static void
limit_moves(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "print go\\n pause");
	struct str tail;

	l.wants_lines = true;
	begin(f, 0, &l); /* without a limit */
	while (!f->lines.n)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	tail = f->engine->type->tail(f->engine, f->arena, 0, 2);
	assert_true(str_is(tail, "o\n"));
	assert_null(f->engine->type->tail(f->engine, f->arena, 1, 2).p);
	f->engine->type->set_limit(f->engine, 0, 100u * MS, false);
	f->engine->type->set_limit(f->engine, 1, 0, false);
	assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
	assert_true(f->ended[0].o.duration_ns >= 100u * MS);
}

/* ---- the search of an output ----------------------------------------------------- */

static void
search_takes_slices(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "print a\n");

	f->slices = 5;
	begin(f, 0, &l);
	assert_true(str_is(await(f, 0)->output, "a\n"));
	assert_int_equal(f->ended[0].count, 1);
	assert_int_equal(f->searched, 5);
}

/* ---- many, signals, interruption ------------------------------------------------- */

static void
many_one_after_the_other(void **state)
{
	struct fixture *f = *state;
	size_t bytes = 0;

	for (int i = 0; i < 200; i++) {
		assert_int_equal(execute(f, "print x exit 9")->exit_code, 9);
		if (i == 20)
			bytes = arena_bytes(f->arena);
	}
	assert_true(arena_bytes(f->arena) < bytes + 400000);
}

static void
signal_reaches_descendants(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "child pid @/kid pause ; pid @/top pause");

	begin(f, 3, &l);
	pid_in(f, "kid");
	pid_in(f, "top");
	f->engine->type->signal(f->engine, 3, SIGTERM);
	assert_int_equal(await(f, 3)->signal, SIGTERM);
	assert_gone(f, pid_in(f, "kid"));
}

/* What ignores the signal or left with a session of its own is killed all the same. */
static void
interruption_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	struct launch one = launch_of(f, "ignore 15 pid @/deaf pause");
	struct launch two = launch_of(
		f, "child daemon close ignore 15 pid @/far pause ; pid @/top pause");
	int deaf, far, top;

	begin(f, 0, &one);
	begin(f, 1, &two);
	deaf = pid_in(f, "deaf");
	far = pid_in(f, "far");
	top = pid_in(f, "top");
	raise(SIGTERM);
	await(f, 0);
	await(f, 1);
	assert_int_equal(f->interrupted, SIGTERM);
	f->engine->type->close(f->engine);
	f->engine = NULL;
	assert_true(is_gone(deaf));
	assert_true(is_gone(top));
	for (int i = 0; i < 60000 && !is_gone(far); i++)
		usleep(1000);
	assert_true(is_gone(far));
}

/* Only wait() kills: without the second interruption the process would live for ever. */
static void
second_interruption_kills_at_once(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "ignore 15 pid @/deaf pause");
	int deaf;

	begin(f, 0, &l);
	deaf = pid_in(f, "deaf");
	f->engine->type->interrupt(f->engine, SIGTERM);
	f->engine->type->interrupt(f->engine, SIGTERM);
	f->engine->type->wait(f->engine, 0);
	for (int i = 0; i < 60000 && !is_gone(deaf); i++)
		usleep(1000);
	assert_true(is_gone(deaf));
	assert_int_equal(await(f, 0)->signal, SIGKILL);
}

/* With closed streams, in a session of its own, and its parent is gone. */
static void
daemon_dies_at_the_limit(void **state)
{
	struct fixture *f = *state;
	const char *file = str_fmt(f->arena, "%s/daemon", f->directory).p;
	struct str words = str_fmt(f->arena,
		"child daemon close pid %s pause ; await %s print up\n pause", file,
		file);
	const struct outcome *o = execute_limited_by_print(f, words.p, 50u * MS);

	assert_int_equal(o->ending, END_TIMED_OUT);
	assert_gone(f, pid_in(f, "daemon"));
}

static void
held_ends_are_reported_later(void **state)
{
	struct fixture *f = *state;
	struct launch first = launch_of(f, "pid @/first exit 1");
	struct launch second = launch_of(f, "pid @/second exit 2");
	char path[2][64];

	f->engine->holds_ends = true;
	begin(f, 0, &first);
	snprintf(path[0], sizeof *path, "/proc/%d", pid_in(f, "first"));
	begin(f, 1, &second);
	snprintf(path[1], sizeof *path, "/proc/%d", pid_in(f, "second"));
	/* The engine has reaped both. */
	while (path_exists(path[0]) || path_exists(path[1]))
		f->engine->type->wait(f->engine, loop_now_ns() + MS);
	f->engine->type->wait(f->engine, 0);
	assert_int_equal(f->ended[0].count + f->ended[1].count, 0);
	f->engine->holds_ends = false;
	assert_int_equal(await(f, 0)->exit_code, 1);
	assert_int_equal(await(f, 1)->exit_code, 2);
}

#define ENGINE_ROW(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
#define ENGINE_ROWS                                                                      \
	ENGINE_ROW(endings), ENGINE_ROW(held_ends_are_reported_later),                   \
		ENGINE_ROW(usage_is_reported), ENGINE_ROW(what_a_test_inherits),         \
		ENGINE_ROW(script_without_interpreter), ENGINE_ROW(much_output),         \
		ENGINE_ROW(lines_as_they_come), ENGINE_ROW(only_lines_with_tags),        \
		ENGINE_ROW(timeout_kills_all), ENGINE_ROW(output_held_open),             \
		ENGINE_ROW(daemon_may_stay), ENGINE_ROW(closed_output_is_no_end),        \
		ENGINE_ROW(each_has_its_own_limit), ENGINE_ROW(timeout_signal),          \
		ENGINE_ROW(timer_restarts), ENGINE_ROW(grace_period_stays),              \
		ENGINE_ROW(limit_moves), ENGINE_ROW(search_takes_slices),                \
		ENGINE_ROW(many_one_after_the_other),                                    \
		ENGINE_ROW(signal_reaches_descendants),                                  \
		ENGINE_ROW(interruption_leaves_nothing),                                 \
		ENGINE_ROW(second_interruption_kills_at_once),                           \
		ENGINE_ROW(daemon_dies_at_the_limit)

#endif
