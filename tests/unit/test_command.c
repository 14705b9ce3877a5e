/* Programs that cctr runs itself: how they end, what they write, who is killed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/process/command.h"
#include "tests/unit/unit.h"

#define SECOND_NS 1000000000u
#define HOUR_NS (3600 * (uint64_t)SECOND_NS)

/* The file whose access fails with this error; 0: none. */
static struct {
	const char *path;
	int error;
} broken;

/* What the runner calls. */
int
access(const char *path, int mode)
{
	if (!broken.error || strcmp(path, broken.path) != 0)
		return faccessat(AT_FDCWD, path, mode, 0);
	errno = broken.error;
	return -1;
}

struct heard {
	struct buf out, err;
};

static void
hear(void *context, bool is_error, struct str bytes)
{
	struct heard *h = context;

	buf_str(is_error ? &h->err : &h->out, bytes);
}

static struct command_end
shell(struct heard *h, const char *script, enum launch_streams streams,
	uint64_t timeout_ns)
{
	struct str words[] = {STR("sh"), STR("-c"), str_of(script)};
	struct command c = {.words = {words, 3},
		.timeout_ns = timeout_ns,
		.grace_ns = HOUR_NS,
		.streams = streams,
		.output = hear,
		.context = h};

	return command_run(&c);
}

static void
test_endings(void **state)
{
	static const struct {
		const char *script, *out, *err;
		enum command_ending ending;
		int value; /* exit code or signal */
	} rows[] = {
		{"", "", "", COMMAND_EXITED, 0},
		{"printf 'a\\r\\n'; printf b; exit 3", "a\r\nb", "", COMMAND_EXITED, 3},
		{"printf a >&2; printf b", "b", "a", COMMAND_EXITED, 0},
		{"printf a; kill -SEGV $$", "a", "", COMMAND_SIGNALLED, SIGSEGV},
		{"printf a; (printf later) & exit 0", "alater", "", COMMAND_EXITED, 0},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct heard apart = {{.arena = a}, {.arena = a}}, both = apart;
		struct command_end end =
			shell(&apart, rows[i].script, STREAMS_APART, NO_TIMEOUT);

		assert_int_equal(end.ending, rows[i].ending);
		assert_int_equal(
			end.ending == COMMAND_EXITED ? end.exit_code : end.signal,
			rows[i].value);
		assert_true(str_eq(buf_as_str(&apart.out), str_of(rows[i].out)));
		assert_true(str_eq(buf_as_str(&apart.err), str_of(rows[i].err)));
		shell(&both, rows[i].script, STREAMS_TOGETHER, NO_TIMEOUT);
		assert_int_equal(both.err.n, 0);
		assert_int_equal(both.out.n, apart.out.n + apart.err.n);
	}
	arena_close(a);
}

/* Whoever holds the output after it belongs to it, and is killed with it. A limit in
 * which a slow machine did not get as far as to the output is doubled. */
static void
test_timeout(void **state)
{
	static const char *const scripts[] = {
		"echo in; exec sleep 99", "echo in; sleep 99 & exit 0"};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(scripts); i++) {
		struct heard h = {{.arena = a}, {.arena = a}};

		for (uint64_t limit = SECOND_NS / 5;
			h.out.n == 0 && limit < (uint64_t)60 * SECOND_NS; limit *= 2) {
			struct command_end end =
				shell(&h, scripts[i], STREAMS_TOGETHER, limit);

			assert_int_equal(end.ending, COMMAND_TIMED_OUT);
		}
		assert_true(str_is(buf_as_str(&h.out), "in\n"));
		while (waitpid(-1, NULL, 0) > 0)
			continue;
		assert_int_equal(errno, ECHILD);
	}
	arena_close(a);
}

/* What it leaves behind is a child of ours, unless it is let go. */
static void
test_orphans(void **state)
{
	struct arena *a = arena_open();
	struct str words[] = {STR("sh"), STR("-c"),
		STR("sh -c 'echo $$; exec sleep 99 >/dev/null 2>&1' & exit 0")};

	(void)state;
	for (int lets_go = 0; lets_go < 2; lets_go++) {
		struct heard h = {{.arena = a}, {.arena = a}};
		struct command c = {.words = {words, 3},
			.timeout_ns = NO_TIMEOUT,
			.lets_orphans_go = lets_go,
			.output = hear,
			.context = &h};

		assert_int_equal(command_run(&c).ending, COMMAND_EXITED);
		assert_int_equal(kill(atoi(h.out.p), SIGKILL), 0);
		assert_int_equal(waitpid(-1, NULL, 0) > 0, !lets_go);
	}
	arena_close(a);
}

static void
test_not_started(void **state)
{
	static const struct {
		const char *word;
		int error;
	} rows[] = {{"", ENOENT}, {"no-such-program", ENOENT}, {"/etc/passwd", EACCES},
		{"/no/such", ENOENT}, {"passwd", EACCES}, {"usr", EACCES}};
	struct arena *a = arena_open();
	struct str saved = str_dup(a, str_of(getenv("PATH")));

	(void)state;
	setenv("PATH", "/nonexistent:/etc:/", 1);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str word = str_of(rows[i].word);
		struct command c = {.words = {&word, 1}, .timeout_ns = NO_TIMEOUT};
		struct command_end end = command_run(&c);

		assert_int_equal(end.ending, COMMAND_NOT_STARTED);
		assert_int_equal(end.error, rows[i].error);
	}
	setenv("PATH", saved.p, 1);
	arena_close(a);
}

/* It kills its parent, which passes the signal on, and waits as long as it has to. */
static void
test_interrupted(void **state)
{
	struct arena *a = arena_open();
	struct heard h = {{.arena = a}, {.arena = a}};
	struct command_end end = shell(&h,
		"trap 'echo got it; exit 0' TERM; kill -TERM $PPID; "
		"while :; do :; done",
		STREAMS_TOGETHER, NO_TIMEOUT);

	(void)state;
	assert_int_equal(end.ending, COMMAND_INTERRUPTED);
	assert_int_equal(end.signal, SIGTERM);
	assert_true(str_is(buf_as_str(&h.out), "got it\n"));
	arena_close(a);
}

static void
test_directory(void **state)
{
	static const struct {
		const char *directory, *out;
		enum command_ending ending;
	} rows[] = {
		{"/", "/\n", COMMAND_EXITED},
		{"/usr/..", "/\n", COMMAND_EXITED},
		{"/nope/nowhere", "", COMMAND_NOT_STARTED},
	};
	struct arena *a = arena_open();
	struct str words[] = {STR("pwd"), STR("-P")};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct heard h = {{.arena = a}, {.arena = a}};
		struct command c = {.words = {words, 2},
			.directory = rows[i].directory,
			.timeout_ns = NO_TIMEOUT,
			.output = hear,
			.context = &h};
		struct command_end end = command_run(&c);

		assert_int_equal(end.ending, rows[i].ending);
		assert_true(str_is(buf_as_str(&h.out), rows[i].out));
		assert_int_equal(
			end.error, end.ending == COMMAND_NOT_STARTED ? ENOENT : 0);
	}
	arena_close(a);
}

static void
test_find(void **state)
{
	struct arena *a = arena_open();
	struct str saved = str_dup(a, str_of(getenv("PATH")));

	(void)state;
	setenv("PATH", "/nonexistent:/:/usr/bin:/bin", 1);
	assert_true(str_ends(command_find(a, STR("sh")), STR("bin/sh")));
	assert_true(str_is(command_find(a, STR("./x")), "./x"));
	assert_int_equal(command_find(a, STR("no-such-program")).n, 0);
	assert_int_equal(command_find(a, STR("etc")).n, 0);
	setenv("PATH", saved.p, 1);
	arena_close(a);
}

/* A relative folder of PATH is one of the directory where the program will run. */
static void
test_locate(void **state)
{
	static const struct {
		const char *path, *directory, *found;
		int error;
	} rows[] = {
		{"bin", "/usr", "bin/env", 0},
		{"bin", "/usr/.", "bin/env", 0},
		{"bin", "/var", "", ENOENT},
		{"no:/usr/bin", "/var", "/usr/bin/env", 0},
		{"/usr/bin", NULL, "/usr/bin/env", 0},
	};
	struct arena *a = arena_open();
	struct str saved = str_dup(a, str_of(getenv("PATH")));

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str path;

		setenv("PATH", rows[i].path, 1);
		assert_int_equal(command_locate(a, STR("env"), rows[i].directory, &path),
			rows[i].error);
		assert_true(str_is(path, rows[i].found));
	}
	setenv("PATH", saved.p, 1);
	arena_close(a);
}

/* The next file of that name counts only if the first is known to be no program. */
static void
test_unknown(void **state)
{
	static const struct {
		int error;
		bool ends;
	} rows[] = {
		{EIO, true},
		{ENOMEM, true},
		{ESTALE, true},
		{EACCES, false},
		{ENOENT, false},
		{ENOTDIR, false},
		{ELOOP, false},
		{ENAMETOOLONG, false},
	};
	struct arena *a = arena_open();
	struct str saved = str_dup(a, str_of(getenv("PATH")));

	(void)state;
	setenv("PATH", "/no:/broken:/usr/bin", 1);
	broken.path = "/broken/env";
	for (size_t i = 0; i < ROWS(rows); i++) {
		const char *found = rows[i].ends ? "/broken/env" : "/usr/bin/env";
		struct str words[] = {STR("env"), STR("true")};
		struct command c = {.words = {words, 2}, .timeout_ns = HOUR_NS};
		struct command_end end;
		struct str path;

		broken.error = rows[i].error;
		end = command_run(&c);
		assert_int_equal(
			end.ending, rows[i].ends ? COMMAND_NOT_STARTED : COMMAND_EXITED);
		assert_int_equal(end.error, rows[i].ends ? rows[i].error : 0);
		assert_int_equal(command_locate(a, STR("env"), NULL, &path),
			rows[i].ends ? rows[i].error : 0);
		assert_true(str_is(path, found));
		assert_true(str_is(command_find(a, STR("env")), found));
	}
	broken.error = 0;
	setenv("PATH", saved.p, 1);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endings),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_orphans),
		cmocka_unit_test(test_not_started),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_locate),
		cmocka_unit_test(test_unknown),
	};

	return run_unit_tests("command", tests, NULL, NULL);
}
