/* Writes to a reader that does not read, reads late, or has gone. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "runner/base/outlet.h"
#include "tests/unit/unit.h"

enum { PIECE = 10000, PIECES = 200 };
enum console { PIPE, SOCKET, TERMINAL, PIPE_OF_OTHERS, CONSOLES };

/* Of each console its two ends and an outlet of the writing one. */
struct fixture {
	int reader, writer;
	struct outlet outlet;
	char *sent, *got;
	size_t got_n;
};

static void
open_raw_terminal(int ends[2])
{
	struct termios mode;

	assert_int_equal(openpty(&ends[0], &ends[1], NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(ends[1], &mode), 0);
	cfmakeraw(&mode);
	assert_int_equal(tcsetattr(ends[1], TCSANOW, &mode), 0);
}

static struct fixture
open_fixture(enum console console)
{
	struct fixture f = {0};
	int ends[2];

	if (console == SOCKET)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	else if (console == TERMINAL)
		open_raw_terminal(ends);
	else
		assert_int_equal(pipe(ends), 0);
	f.reader = ends[0];
	f.writer = ends[1];
	assert_int_equal(fcntl(f.reader, F_SETFL, O_NONBLOCK), 0);
	f.outlet = outlet_open(f.writer, "/tmp");
	if (console == PIPE_OF_OTHERS) {
		outlet_close(&f.outlet);
		f.outlet.kind = OUTLET_SHARED;
		f.outlet.fd = f.writer;
	}
	f.sent = malloc((size_t)PIECE * PIECES);
	f.got = malloc((size_t)PIECE * PIECES + 1);
	assert_non_null(f.sent);
	assert_non_null(f.got);
	for (size_t i = 0; i < (size_t)PIECE * PIECES; i++)
		f.sent[i] = (char)('a' + (i / 7 + i / PIECE) % 26);
	return f;
}

static void
close_fixture(struct fixture *f)
{
	outlet_close(&f->outlet);
	if (f->reader >= 0)
		close(f->reader);
	close(f->writer);
	free(f->sent);
	free(f->got);
}

static void
read_what_is_there(struct fixture *f)
{
	size_t room = (size_t)PIECE * PIECES + 1;
	ssize_t n;

	while ((n = read(f->reader, f->got + f->got_n, room - f->got_n)) > 0)
		f->got_n += (size_t)n;
}

static void
put_all(struct fixture *f)
{
	for (size_t i = 0; i < PIECES; i++)
		outlet_put(&f->outlet, str_cut(f->sent + i * PIECE, PIECE));
}

static void
test_kinds(void **state)
{
	static const enum outlet_kind kinds[CONSOLES] = {[PIPE] = OUTLET_OWN,
		[SOCKET] = OUTLET_SOCKET,
		[TERMINAL] = OUTLET_OWN,
		[PIPE_OF_OTHERS] = OUTLET_SHARED};

	(void)state;
	for (enum console c = 0; c < CONSOLES; c++) {
		struct fixture f = open_fixture(c);

		assert_int_equal(f.outlet.kind, kinds[c]);
		assert_int_equal(fcntl(f.writer, F_GETFL) & O_NONBLOCK, 0);
		close_fixture(&f);
	}
}

/* A reader that reads has the text at once. */
static void
test_reader_that_reads(void **state)
{
	(void)state;
	for (enum console c = 0; c < CONSOLES; c++) {
		struct fixture f = open_fixture(c);

		outlet_put(&f.outlet, STR("said"));
		read_what_is_there(&f);
		assert_int_equal(f.got_n, 4);
		assert_memory_equal(f.got, "said", 4);
		assert_false(f.outlet.is_pending);
		close_fixture(&f);
	}
}

/* One that does not read holds nothing up, and loses nothing. */
static void
test_reader_that_waits(void **state)
{
	(void)state;
	for (enum console c = 0; c < CONSOLES; c++) {
		struct fixture f = open_fixture(c);

		put_all(&f);
		assert_true(f.outlet.is_pending);
		outlet_push(&f.outlet);
		assert_true(f.outlet.is_pending);
		while (f.outlet.is_pending) {
			read_what_is_there(&f);
			outlet_push(&f.outlet);
		}
		read_what_is_there(&f);
		assert_int_equal(f.got_n, PIECE * PIECES);
		assert_memory_equal(f.got, f.sent, f.got_n);
		assert_int_equal(f.outlet.error, 0);
		close_fixture(&f);
	}
}

/* Text is dropped, which is no error; a terminal knows no broken pipe. */
static void
test_reader_that_leaves(void **state)
{
	(void)state;
	for (enum console c = 0; c < CONSOLES; c++) {
		struct fixture f = open_fixture(c);

		put_all(&f);
		close(f.reader);
		f.reader = -1;
		outlet_push(&f.outlet);
		assert_false(f.outlet.is_pending);
		assert_true(f.outlet.is_left);
		assert_int_equal(f.outlet.had_broken_pipe, c != TERMINAL);
		assert_int_equal(f.outlet.error, 0);
		outlet_put(&f.outlet, STR("more"));
		assert_false(f.outlet.is_pending);
		close_fixture(&f);
	}
}

static void
test_full_device(void **state)
{
	int full = open("/dev/full", O_WRONLY);
	struct outlet o = outlet_open(full, "/tmp");

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(o.kind, OUTLET_PLAIN);
	outlet_put(&o, STR("said"));
	assert_int_equal(o.error, ENOSPC);
	assert_false(o.is_left);
	outlet_close(&o);
	close(full);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_reader_that_reads),
		cmocka_unit_test(test_reader_that_waits),
		cmocka_unit_test(test_reader_that_leaves),
		cmocka_unit_test(test_full_device),
	};

	signal(SIGPIPE, SIG_IGN);
	return run_unit_tests("outlet", tests, NULL, NULL);
}
