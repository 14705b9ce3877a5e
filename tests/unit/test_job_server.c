/* MAKEFLAGS, and tokens: taken, returned, never lost. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/process/job_server.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *arena;
	int ends[2]; /* of a pipe with tokens "abc" */
	char directory[32];
	char *fifo; /* the same */
	int held; /* keeps it alive */
};

static int
set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = arena_open();
	strcpy(f->directory, "/tmp/cctr-jobs-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	f->fifo = (char *)str_fmt(f->arena, "%s/fifo", f->directory).p;
	assert_int_equal(mkfifo(f->fifo, 0600), 0);
	f->held = open(f->fifo, O_RDWR | O_CLOEXEC);
	assert_int_equal(pipe(f->ends), 0);
	assert_int_equal(write(f->ends[1], "abc", 3), 3);
	assert_int_equal(write(f->held, "abc", 3), 3);
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	close(f->held);
	close(f->ends[0]);
	close(f->ends[1]);
	unlink(f->fifo);
	rmdir(f->directory);
	arena_close(f->arena);
	free(f);
	return 0;
}

static int
tokens_in(int fd)
{
	int n = -1;

	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

/* %P is the pipe, %F the FIFO, %D the directory. */
static struct str
flags_of(const struct fixture *f, const char *text)
{
	struct buf out = {.arena = f->arena};

	buf_z(&out, "");
	for (; *text; text++) {
		if (*text != '%')
			buf_char(&out, *text);
		else if (*++text == 'P')
			buf_fmt(&out, "%d,%d", f->ends[0], f->ends[1]);
		else
			buf_z(&out, *text == 'F' ? f->fifo : f->directory);
	}
	return buf_as_str(&out);
}

static void
which_job_server(void **state)
{
	static const struct {
		const char *flags;
		bool is_there;
	} rows[] = {
		{"", false},
		{"-j", false},
		{"--jobserver-auth=%P", true},
		{" -j4 --jobserver-auth=%P", true},
		{"w -j4 --jobserver-fds=%P --other=1", true},
		{"-J%P", true},
		{"-J %P", false},
		{"--jobserver-auth=fifo:%F", true},
		{"--jobserver-auth=9999,9998 --jobserver-auth=%P", true},
		{"--jobserver-auth=%P --jobserver-auth=9999,9998", false},
		{"--jobserver-auth=%P --jobserver-fds=", false},
		{"--jobserver-auth=", false},
		{"--jobserver-auth=3", false},
		{"--jobserver-auth=,", false},
		{"--jobserver-auth=x,y", false},
		{"--jobserver-auth=-2,-2", false},
		{"--jobserver-auth=%P,1", false},
		{"--jobserver-auth=fifo:", false},
		{"--jobserver-auth=fifo:/no/such/fifo", false},
		{"--jobserver-auth=fifo:%D", false},
		{"--jobserver-auth=99999999999999999999,3", false},
		{"x--jobserver-auth=%P", false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct job_server *s =
			job_server_connect(f->arena, flags_of(f, rows[i].flags));

		if (rows[i].is_there != (s != NULL))
			fail_msg("%s", rows[i].flags);
		if (s)
			job_server_close(s);
	}
	assert_null(job_server_connect(f->arena, STR_NONE));
	assert_int_equal(tokens_in(f->ends[0]), 3);
}

/* A file, even an empty one, is no job server: it would never end. */
static void
not_a_pipe(void **state)
{
	struct fixture *f = *state;
	FILE *file = tmpfile();
	struct str flags = str_fmt(f->arena, "-J%d,%d", fileno(file), fileno(file));

	assert_null(job_server_connect(f->arena, flags));
	fclose(file);
}

static void
first_job_needs_no_token(void **state)
{
	static const char *const kinds[] = {"-J%P", "-Jfifo:%F"};
	struct fixture *f = *state;

	for (size_t i = 0; i < 2; i++) {
		struct job_server *s =
			job_server_connect(f->arena, flags_of(f, kinds[i]));
		int fd = i ? f->held : f->ends[0];

		assert_non_null(s);
		for (int job = 0; job < 4; job++) {
			assert_true(job_server_take(s));
			assert_int_equal(tokens_in(fd), 3 - job);
		}
		assert_false(job_server_take(s));
		job_server_return(s);
		assert_int_equal(tokens_in(fd), 1);
		assert_true(job_server_take(s));
		for (int job = 0; job < 4; job++)
			job_server_return(s);
		assert_int_equal(tokens_in(fd), 3);
		job_server_close(s);
	}
}

/* Others may still wait in a read of theirs. */
static void
flags_of_others_stay(void **state)
{
	struct fixture *f = *state;
	struct job_server *s = job_server_connect(f->arena, flags_of(f, "-J%P"));

	assert_int_equal(fcntl(f->ends[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(f->ends[1], F_GETFL) & O_NONBLOCK, 0);
	assert_true(fcntl(job_server_descriptor(s), F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(job_server_descriptor(s), F_GETFD) & FD_CLOEXEC);
	job_server_close(s);
}

/* Whatever their order: they are the same bytes. */
static void
closing_returns_all(void **state)
{
	struct fixture *f = *state;
	struct job_server *s = job_server_connect(f->arena, flags_of(f, "-J%P"));
	char back[4] = "";
	int sum = 0;

	for (int job = 0; job < 4; job++)
		assert_true(job_server_take(s));
	job_server_close(s);
	assert_int_equal(tokens_in(f->ends[0]), 3);
	assert_int_equal(read(f->ends[0], back, 3), 3);
	for (int i = 0; i < 3; i++)
		sum += back[i];
	assert_int_equal(sum, 'a' + 'b' + 'c');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(which_job_server, set_up, tear_down),
		cmocka_unit_test_setup_teardown(not_a_pipe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			first_job_needs_no_token, set_up, tear_down),
		cmocka_unit_test_setup_teardown(flags_of_others_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(closing_returns_all, set_up, tear_down),
	};

	return run_unit_tests("job_server", tests, NULL, NULL);
}
