/* The engine of this machine, with real processes (tests/helpers/helper.h). */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "runner/base/atomic_file.h"
#include "tests/unit/engine_rows.h"

/* Why it was not started. */
static int
error_of(struct fixture *f, const struct launch *l)
{
	f->ended[0] = (struct ended){0};
	begin(f, 0, l);
	await(f, 0);
	assert_int_equal(f->ended[0].count, 1);
	return f->ended[0].error;
}

static void
cannot_start(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "");

	l.path = "/nonexistent/program";
	assert_int_equal(error_of(f, &l), ENOENT);
	l.path = f->directory;
	assert_int_equal(error_of(f, &l), EACCES);
	l = launch_of(f, "");
	l.directory = str_fmt(f->arena, "%s/gone", f->directory).p;
	assert_int_equal(error_of(f, &l), ENOENT);
	assert_int_equal(execute(f, "exit 7")->exit_code, 7);
}

/* It does not run again, and counts as one that the end of the run has forgotten. */
static void
cannot_start_when_interrupted(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "");

	l.path = "/nonexistent/program";
	begin(f, 0, &l);
	f->engine->type->interrupt(f->engine, SIGTERM);
	await(f, 0);
	assert_int_equal(f->ended[0].o.ending, END_NOT_STARTED);
}

/* A signal that comes before the program is executed ends it. */
static void
ended_just_after_the_start(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "child pause ; pause");

	for (node_id node = 0; node < 8; node++)
		begin(f, node, &l);
	f->engine->type->interrupt(f->engine, SIGTERM);
	for (node_id node = 0; node < 8; node++) {
		await(f, node);
		assert_int_equal(f->ended[node].o.signal, SIGTERM);
	}
}

/* Without a look of the engine. */
static bool
has_gone(struct fixture *f, const char *name)
{
	const char *path = str_fmt(f->arena, "%s/%s", f->directory, name).p;
	struct str text;

	return file_read(f->arena, path, &text) && text.n && is_gone(str_int(text));
}

/* The loop does not look for longer than the limit, while the test ends in time. With a
 * longer limit where the machine was too slow for that. */
static void
late_loop_does_not_fail_a_test(void **state)
{
	struct fixture *f = *state;
	const char *path = str_fmt(f->arena, "%s/pid", f->directory).p;
	struct launch l = launch_of(f, "pid @/pid exit 0");
	bool in_time = false;

	for (l.timeout_ns = 200u * MS; !in_time; l.timeout_ns *= 2) {
		uint64_t began = loop_now_ns(), started;

		f->ended[0].count = 0;
		begin(f, 0, &l);
		started = loop_now_ns();
		while (!has_gone(f, "pid"))
			continue;
		in_time = loop_now_ns() < began + l.timeout_ns / 2;
		while (loop_now_ns() <= started + l.timeout_ns)
			continue;
		await(f, 0);
		unlink(path);
	}
	assert_int_equal(f->ended[0].o.ending, END_EXITED);
	assert_true(f->ended[0].o.duration_ns < l.timeout_ns / 2);
}

/* Both end while nobody looks, the first behind its limit; then what follows the second
 * takes the place of the first, and is late in the same turn. */
static void
late_twice_in_one_turn(void **state)
{
	struct fixture *f = *state;
	struct launch one = launch_of(f, "pid @/one exit 0");
	struct launch two = launch_of(f, "pid @/two exit 0");
	struct launch follower = launch_of(f, "pause");
	uint64_t until;

	one.timeout_ns = MS;
	follower.timeout_ns = MS;
	f->follower = &follower;
	begin(f, 0, &one);
	begin(f, 1, &two);
	until = loop_now_ns() + 20u * MS;
	while (!has_gone(f, "one") || !has_gone(f, "two") || loop_now_ns() < until)
		continue;
	assert_int_equal(await(f, 1)->ending, END_EXITED);
	assert_int_equal(await(f, 2)->ending, END_TIMED_OUT);
	assert_int_equal(f->ended[0].count, 1);
}

/* It ends while nobody looks, but after its limit. */
static void
late_loop_does_not_pass_a_test(void **state)
{
	struct fixture *f = *state;
	const char *fifo = str_fmt(f->arena, "%s/fifo", f->directory).p;
	struct launch l = launch_of(f, "block @/fifo exit 0");
	uint64_t until;
	int fd;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	l.timeout_ns = 100u * MS;
	begin(f, 0, &l);
	until = loop_now_ns() + 200u * MS;
	while (loop_now_ns() < until)
		continue;
	fd = open(fifo, O_WRONLY | O_CLOEXEC);
	until = loop_now_ns() + 300u * MS;
	while (loop_now_ns() < until)
		continue;
	close(fd);
	assert_int_equal(await(f, 0)->ending, END_TIMED_OUT);
}

/* What gives it another limit was written while nobody looked, and so is read when this
 * one is over. */
static void
late_loop_does_not_miss_a_restart(void **state)
{
	struct fixture *f = *state;
	const char *said = str_fmt(f->arena, "%s/said", f->directory).p;
	struct launch l = launch_of(f, "print go\\n pid @/said pause");
	uint64_t until = loop_now_ns() + 20u * MS;

	l.wants_lines = true;
	l.timeout_ns = MS;
	f->restart_ns = 3600 * 1000 * (uint64_t)MS;
	begin(f, 0, &l);
	while (!path_exists(said) || loop_now_ns() < until)
		continue;
	f->engine->type->wait(f->engine, 0);
	f->engine->type->signal(f->engine, 0, SIGTERM);
	assert_int_equal(await(f, 0)->ending, END_SIGNALLED);
	assert_int_equal(f->restarts, 1);
}

/* A search that would never end: the limit of another test holds. */
static void
search_holds_up_no_limit(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "print a\n");
	struct launch limited = launch_of(f, "pause");

	f->goes_on = true;
	begin(f, 0, &l);
	while (!f->searched)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	limited.timeout_ns = 50u * MS;
	begin(f, 1, &limited);
	assert_int_equal(await(f, 1)->ending, END_TIMED_OUT);
	assert_int_equal(await(f, 0)->ending, END_EXITED);
	assert_true(f->searched > 1);
}

/* A test whose end is not reported yet holds the file of its output. */
static void
start_waits_for_a_report(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "");
	struct rlimit before, none;

	f->engine->holds_ends = true;
	begin(f, 0, &l);
	while (f->engine->type->tail(f->engine, f->arena, 0, 1).p)
		f->engine->type->wait(f->engine, NO_TIMEOUT);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 3, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	begin(f, 1, &l);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	f->engine->holds_ends = false;
	assert_int_equal(await(f, 1)->ending, END_EXITED);
	assert_int_equal(f->ended[0].count, 1);
}

/* It is not reported that a child has exited. */
static void
lost_signal_of_a_child(void **state)
{
	sigset_t children, before;
	const struct outcome *o;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, &before);
	o = execute(*state, "print a\n exit 3");
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(o->exit_code, 3);
	assert_string_equal(o->output.p, "a\n");
}

/* ---- a listener that wants bytes ------------------------------------------------- */

struct hearer {
	struct fixture *fixture;
	size_t bytes;
	bool has_no_room;
};
static struct hearer hearer;

static void
on_bytes(void *context, node_id node, struct str bytes)
{
	(void)context;
	(void)node;
	assert_false(hearer.has_no_room);
	hearer.bytes += bytes.n;
}

static bool
has_room(void *context)
{
	(void)context;
	return !hearer.has_no_room;
}

static void
hear_bytes(struct fixture *f)
{
	hearer = (struct hearer){.fixture = f};
	f->engine->listener.bytes = on_bytes;
	f->engine->listener.has_room = has_room;
}

static void
bytes_as_they_come(void **state)
{
	struct fixture *f = *state;
	const struct outcome *o;

	hear_bytes(f);
	o = execute(f, "print a\\0b\\r\\n<CTest exit 3");
	assert_int_equal(o->exit_code, 3);
	assert_int_equal(o->output.n, 0);
	assert_int_equal(hearer.bytes, strlen("a_b\\r\n<CTest"));
	assert_int_equal(f->lines.n, 0);
}

/* The test has more to write than its pipe takes, so that it cannot end. */
static void
no_room_for_bytes(void **state)
{
	struct fixture *f = *state;
	struct launch l = launch_of(f, "pid @/pid fill 1000000");

	hear_bytes(f);
	hearer.has_no_room = true;
	f->ended[0].count = 0;
	begin(f, 0, &l);
	pid_in(f, "pid");
	for (int i = 0; i < 3; i++)
		f->engine->type->wait(f->engine, loop_now_ns() + MS);
	assert_int_equal(hearer.bytes, 0);
	assert_int_equal(f->ended[0].count, 0);
	hearer.has_no_room = false;
	assert_int_equal(await(f, 0)->exit_code, 0);
	assert_int_equal(hearer.bytes, 1000000);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ENGINE_ROWS,
		ENGINE_ROW(cannot_start),
		ENGINE_ROW(cannot_start_when_interrupted),
		ENGINE_ROW(ended_just_after_the_start),
		ENGINE_ROW(late_loop_does_not_fail_a_test),
		ENGINE_ROW(late_loop_does_not_pass_a_test),
		ENGINE_ROW(late_twice_in_one_turn),
		ENGINE_ROW(late_loop_does_not_miss_a_restart),
		ENGINE_ROW(search_holds_up_no_limit),
		ENGINE_ROW(start_waits_for_a_report),
		ENGINE_ROW(lost_signal_of_a_child),
		ENGINE_ROW(bytes_as_they_come),
		ENGINE_ROW(no_room_for_bytes),
	};

	if (helper_is_wanted())
		return helper_main(argc, argv);
	/* What the caller left open is not to be seen in "descriptors". */
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return run_unit_tests("engine_local", tests, NULL, NULL);
}
