/* streams: the area below the text of a terminal, byte for byte. */
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "runner/base/streams.h"
#include "tests/unit/unit.h"

#define AWAY "\r\033[J"

struct fixture {
	int reader, kept; /* kept: standard output as it was */
	char got[1 << 20];
};

static int
open_fixture(void **state)
{
	static struct fixture f;
	struct termios mode;
	struct winsize size = {.ws_row = 10, .ws_col = 33};
	int writer;

	*state = &f;
	assert_int_equal(openpty(&f.reader, &writer, NULL, NULL, &size), 0);
	assert_int_equal(tcgetattr(writer, &mode), 0);
	cfmakeraw(&mode);
	assert_int_equal(tcsetattr(writer, TCSANOW, &mode), 0);
	assert_int_equal(fcntl(f.reader, F_SETFL, O_NONBLOCK), 0);
	f.kept = dup(STDOUT_FILENO);
	assert_true(f.kept >= 0);
	assert_true(dup2(writer, STDOUT_FILENO) >= 0);
	close(writer);
	return 0;
}

static int
close_fixture(void **state)
{
	struct fixture *f = *state;

	streams_close();
	assert_true(dup2(f->kept, STDOUT_FILENO) >= 0);
	close(f->kept);
	close(f->reader);
	return 0;
}

/* What has come to the terminal since the last call. */
static const char *
take(struct fixture *f)
{
	size_t n = 0;
	ssize_t got;

	while ((got = read(f->reader, f->got + n, sizeof f->got - 1 - n)) > 0)
		n += (size_t)got;
	f->got[n] = '\0';
	return f->got;
}

static void
put(const char *text)
{
	streams_put(STREAM_OUTPUT, str_of(text));
}

static void
text_waits_for_the_next_frame(void **state)
{
	struct fixture *f = *state;

	put("first\n");
	assert_string_equal(take(f), "first\n");
	assert_true(streams_open_area());
	put("a\n");
	put("b\n");
	assert_true(streams_hold_text());
	assert_string_equal(take(f), "");
	assert_true(streams_draw_area(STR("x\ny\nz")));
	assert_false(streams_hold_text());
	assert_string_equal(take(f), "a\nb\nx\r\ny\r\nz\r\033[2A");
	put("c\n");
	assert_true(streams_draw_area(STR("x")));
	assert_string_equal(take(f), AWAY "c\nx\r");
	assert_true(streams_draw_area(STR("y")));
	assert_string_equal(take(f), AWAY "y\r");
	put("d\n");
	streams_close_area();
	assert_string_equal(take(f), AWAY "d\n");
	put("last\n");
	assert_string_equal(take(f), "last\n");
	streams_close_area();
	assert_string_equal(take(f), "");
}

static void
area_stands_only_below_whole_lines(void **state)
{
	struct fixture *f = *state;

	assert_true(streams_open_area());
	assert_true(streams_draw_area(STR("x")));
	put("half");
	assert_false(streams_draw_area(STR("x")));
	assert_string_equal(take(f), "x\r" AWAY "half");
	assert_false(streams_draw_area(STR("x")));
	assert_string_equal(take(f), "");
	put(" done\n");
	assert_true(streams_draw_area(STR("x")));
	assert_string_equal(take(f), " done\nx\r");
	assert_false(streams_draw_area(STR("")));
	assert_string_equal(take(f), AWAY);
	streams_close_area();
	assert_string_equal(take(f), "");
}

/* A reader that does not read gets the text later, and no frames in between. */
static void
frames_do_not_pile_up(void **state)
{
	struct fixture *f = *state;
	static char lines[200001];
	size_t n;

	memset(lines, 'l', sizeof lines - 2);
	lines[sizeof lines - 2] = '\n';
	assert_true(streams_open_area());
	assert_true(streams_draw_area(STR("x")));
	put(lines);
	assert_true(streams_are_pending());
	for (int i = 0; i < 1000; i++)
		assert_false(streams_draw_area(STR("x")));
	put("end\n");
	streams_close_area();
	n = strlen(take(f));
	while (streams_are_pending()) {
		streams_push();
		n += strlen(take(f));
	}
	assert_int_equal(n, strlen("x\r" AWAY) + sizeof lines - 1 + strlen("end\n"));
}

static void
size_is_that_of_the_terminal(void **state)
{
	struct streams_size s = streams_size();
	struct winsize none = {0};

	(void)state;
	assert_int_equal(s.columns, 33);
	assert_int_equal(s.rows, 10);
	assert_int_equal(ioctl(STDOUT_FILENO, TIOCSWINSZ, &none), 0);
	s = streams_size();
	assert_int_equal(s.columns, 80);
	assert_int_equal(s.rows, 24);
}

static void
no_area_without_a_terminal(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(dup2(ends[1], STDOUT_FILENO) >= 0);
	assert_false(streams_open_area());
	assert_false(streams_draw_area(STR("x")));
	assert_false(streams_hold_text());
	assert_int_equal(streams_size().columns, 80);
	close(ends[0]);
	close(ends[1]);
}

int
main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_fixture, close_fixture)
	const struct CMUnitTest tests[] = {
		TEST(text_waits_for_the_next_frame),
		TEST(area_stands_only_below_whole_lines),
		TEST(frames_do_not_pile_up),
		TEST(size_is_that_of_the_terminal),
		TEST(no_area_without_a_terminal),
	};

	return run_unit_tests("streams", tests, NULL, NULL);
}
