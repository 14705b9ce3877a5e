/* The event loop: what is due ends a turn, whenever it becomes so. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/loop.h"
#include "tests/unit/unit.h"

#define SECOND 1000000000u

struct seen {
	int timers, reads, children, signals, resizes;
};

static void
on_timer(void *context)
{
	struct seen *s = context;

	s->timers++;
}

static void
on_readable(void *context)
{
	struct seen *s = context;

	s->reads++;
}

static void
on_children(void *context)
{
	struct seen *s = context;

	s->children++;
}

static void
on_signal(void *context, int signal, bool by_terminal)
{
	struct seen *s = context;

	assert_int_equal(signal, SIGTERM);
	assert_false(by_terminal);
	s->signals++;
}

struct fixture {
	struct arena *arena;
	struct loop *loop;
	struct seen seen;
	struct loop_timer *timer;
};

static int
open_fixture(void **state)
{
	static struct fixture f;
	struct loop_listener listener = {&f.seen, on_children, on_signal};
	struct diag d = {0};

	f = (struct fixture){.arena = arena_open()};
	f.loop = loop_open(f.arena, &listener, &d);
	f.timer = f.loop ? loop_timer_new(f.loop, on_timer, &f.seen) : NULL;
	*state = &f;
	return f.loop ? 0 : -1;
}

static int
close_fixture(void **state)
{
	struct fixture *f = *state;

	loop_close(f->loop);
	arena_close(f->arena);
	return 0;
}

static void
on_resize(void *context)
{
	struct seen *s = context;

	s->resizes++;
}

/* Also for the clock of milliseconds that the loop looks at. */
static void
let_pass(uint64_t at_ns)
{
	while (loop_now_ns() < at_ns + SECOND / 100)
		continue;
}

/* Seconds that one turn takes, which may last a minute. */
static uint64_t
turn_s(struct fixture *f)
{
	uint64_t from = loop_now_ns();

	loop_turn(f->loop, from + 60 * (uint64_t)SECOND);
	return (loop_now_ns() - from) / SECOND;
}

/* It may become due between the turns: then nothing else would wake the next one. */
static void
test_timer_due_before(void **state)
{
	struct fixture *f = *state;
	uint64_t at = loop_now_ns();

	loop_timer_start(f->timer, at);
	let_pass(at);
	assert_true(turn_s(f) < 30);
	assert_int_equal(f->seen.timers, 1);
}

static void
test_timer_due_within(void **state)
{
	struct fixture *f = *state;
	uint64_t at = loop_now_ns() + SECOND / 20;

	loop_timer_start(f->timer, at);
	assert_true(turn_s(f) < 30);
	assert_int_equal(f->seen.timers, 1);
	assert_true(loop_now_ns() >= at);
}

/* A turn that a timer cut short is no reason for the next one not to wait. */
static void
test_turn_after_timer_waits(void **state)
{
	struct fixture *f = *state;
	uint64_t until = loop_now_ns();

	loop_timer_start(f->timer, until);
	let_pass(until);
	(void)turn_s(f);
	until = loop_now_ns() + SECOND / 20;
	loop_turn(f->loop, until);
	assert_true(loop_now_ns() >= until);
	assert_int_equal(f->seen.timers, 1);
}

static void
test_time_in_the_past(void **state)
{
	struct fixture *f = *state;

	loop_turn(f->loop, 0);
	loop_turn(f->loop, loop_now_ns() - 1);
	assert_int_equal(f->seen.timers, 0);
}

static void
test_stopped_timer(void **state)
{
	struct fixture *f = *state;

	loop_timer_start(f->timer, loop_now_ns());
	loop_timer_stop(f->timer);
	loop_turn(f->loop, loop_now_ns() + SECOND / 20);
	assert_int_equal(f->seen.timers, 0);
}

static void
test_reader(void **state)
{
	struct fixture *f = *state;
	struct loop_reader *r;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	r = loop_watch(f->loop, ends[0], on_readable, &f->seen);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(turn_s(f) < 30);
	assert_int_equal(f->seen.reads, 1);
	loop_unwatch(r);
	close(ends[0]);
	close(ends[1]);
}

/* ---- signals --------------------------------------------------------------------- */

/* Of the handler that stood before the loop. */
static volatile sig_atomic_t handled;

static void
handle(int signal)
{
	(void)signal;
	handled++;
}

/* A loop opened under that handler, closed after the signals. */
static struct seen
close_behind(int before_look, int behind_look)
{
	struct sigaction sa = {.sa_handler = handle}, standard;
	struct fixture *f;

	handled = 0;
	sigaction(SIGTERM, &sa, &standard);
	assert_int_equal(open_fixture((void **)&f), 0);
	for (int i = 0; i < before_look; i++)
		raise(SIGTERM);
	loop_look(f->loop);
	for (int i = 0; i < behind_look; i++)
		raise(SIGTERM);
	assert_int_equal(handled, 0);
	close_fixture((void **)&f);
	sigaction(SIGTERM, &standard, NULL);
	return f->seen;
}

static void
test_held_reader(void **state)
{
	struct fixture *f = *state;
	struct loop_reader *r;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	r = loop_watch(f->loop, ends[0], on_readable, &f->seen);
	assert_int_equal(write(ends[1], "x", 1), 1);
	loop_hold(r, true);
	loop_turn(f->loop, 0);
	assert_int_equal(f->seen.reads, 0);
	loop_hold(r, false);
	loop_turn(f->loop, 0);
	assert_int_equal(f->seen.reads, 1);
	loop_unwatch(r);
	close(ends[0]);
	close(ends[1]);
}

static void
test_room(void **state)
{
	struct fixture *f = *state;
	struct loop_reader *r;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	r = loop_watch(f->loop, ends[0], on_readable, &f->seen);
	loop_turn(f->loop, 0);
	assert_int_equal(f->seen.reads, 0);
	loop_want_room(r, true);
	loop_turn(f->loop, 0);
	assert_int_equal(f->seen.reads, 1);
	loop_want_room(r, false);
	loop_turn(f->loop, 0);
	assert_int_equal(f->seen.reads, 1);
	loop_unwatch(r);
	close(ends[0]);
	close(ends[1]);
}

/* ---- many readers: with epoll, and after it has refused something ---------------- */

enum { MANY = 300 };

struct crowd;
struct member {
	struct crowd *crowd;
	int ends[2], calls;
	struct loop_reader *reader;
};
struct crowd {
	struct member v[MANY];
	int order[MANY], n; /* which were called in the last turn */
};

static void
on_member(void *context)
{
	struct member *m = context;

	m->calls++;
	m->crowd->order[m->crowd->n++] = (int)(m - m->crowd->v);
}

static void
open_crowd(struct fixture *f, struct crowd *c)
{
	for (int i = 0; i < MANY; i++) {
		c->v[i] = (struct member){.crowd = c};
		assert_int_equal(pipe(c->v[i].ends), 0);
		c->v[i].reader =
			loop_watch(f->loop, c->v[i].ends[0], on_member, &c->v[i]);
		assert_non_null(c->v[i].reader);
	}
}

/* The members that one turn calls, in their order. */
static const char *
called(struct fixture *f, struct crowd *c)
{
	struct buf b = {.arena = f->arena};

	c->n = 0;
	loop_turn(f->loop, 0);
	for (int i = 0; i < c->n; i++)
		buf_fmt(&b, "%s%d", i ? " " : "", c->order[i]);
	return b.n ? b.p : "";
}

static void
fill(struct crowd *c, int i)
{
	assert_int_equal(write(c->v[i].ends[1], "x", 1), 1);
}

static void
use_crowd(struct fixture *f, struct crowd *c)
{
	char byte;

	assert_string_equal(called(f, c), "");
	fill(c, 299);
	fill(c, 7);
	fill(c, 150);
	assert_string_equal(called(f, c), "7 150 299");
	loop_hold(c->v[150].reader, true);
	close(c->v[150].ends[1]);
	assert_string_equal(called(f, c), "7 299");
	loop_hold(c->v[150].reader, false);
	assert_string_equal(called(f, c), "7 150 299");
	/* A child that has a copy of the descriptor keeps nothing registered. */
	c->v[7].ends[1] = dup(c->v[7].ends[0]);
	loop_unwatch(c->v[7].reader);
	close(c->v[7].ends[0]);
	assert_string_equal(called(f, c), "150 299");
	assert_int_equal(pipe(c->v[7].ends), 0);
	c->v[7].reader = loop_watch(f->loop, c->v[7].ends[0], on_member, &c->v[7]);
	fill(c, 7);
	assert_string_equal(called(f, c), "150 299 7");
	assert_int_equal(read(c->v[299].ends[0], &byte, 1), 1);
	loop_want_room(c->v[299].reader, true);
	assert_string_equal(called(f, c), "150 7");
	loop_want_room(c->v[299].reader, false);
}

static void
close_crowd(struct crowd *c)
{
	for (int i = 0; i < MANY; i++) {
		loop_unwatch(c->v[i].reader);
		close(c->v[i].ends[0]);
		close(c->v[i].ends[1]);
	}
}

static void
test_many_readers(void **state)
{
	struct fixture *f = *state;
	struct crowd *c = NEW(f->arena, struct crowd);

	open_crowd(f, c);
	use_crowd(f, c);
	close_crowd(c);
}

/* epoll knows a descriptor once only. is_late: it knows all others by then. */
static void
refuse_one(struct fixture *f, bool is_late)
{
	struct crowd *c = NEW(f->arena, struct crowd);
	struct loop_reader *twice;

	open_crowd(f, c);
	if (is_late)
		assert_string_equal(called(f, c), "");
	twice = loop_watch(f->loop, c->v[3].ends[0], on_readable, &f->seen);
	use_crowd(f, c);
	fill(c, 3);
	loop_turn(f->loop, 0);
	assert_int_equal(f->seen.reads, 1);
	loop_unwatch(twice);
	close_crowd(c);
}

static void
test_many_readers_one_refused(void **state)
{
	refuse_one(*state, false);
}

static void
test_many_readers_one_refused_late(void **state)
{
	refuse_one(*state, true);
}

/* Nobody would end on it: it came behind the last turn. */
static void
test_unreported_signal_is_not_lost(void **state)
{
	struct seen seen = close_behind(0, 2);

	(void)state;
	assert_int_equal(seen.signals, 0);
	assert_int_equal(handled, 1);
}

/* The listener that got one is ending in its own way. */
static void
test_second_signal_ends_nothing(void **state)
{
	struct seen seen = close_behind(1, 1);

	(void)state;
	assert_int_equal(seen.signals, 1);
	assert_int_equal(handled, 0);
}

static void
test_error_texts(void **state)
{
	static const struct {
		int error;
		const char *text;
	} rows[] = {
		{0, ""},
		{ENOENT, "no such file or directory"},
		{EAGAIN, "resource temporarily unavailable"},
		{ENOEXEC, "Unknown system error -8"},
		{4000, "Unknown system error -4000"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_string_equal(
			str_z(a, loop_error_text(a, rows[i].error)), rows[i].text);
	arena_close(a);
}

/* Another size of the terminal ends a turn, and nothing else. */
static void
test_resize_ends_a_turn(void **state)
{
	struct fixture *f = *state;

	raise(SIGWINCH);
	assert_true(turn_s(f) < 30);
	loop_on_resize(f->loop, on_resize, &f->seen);
	raise(SIGWINCH);
	raise(SIGWINCH);
	assert_true(turn_s(f) < 30);
	assert_int_equal(f->seen.resizes, 1);
	assert_int_equal(f->seen.signals, 0);
	loop_on_resize(f->loop, NULL, NULL);
	raise(SIGWINCH);
	loop_look(f->loop);
	assert_int_equal(f->seen.resizes, 1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_fixture, close_fixture)

static void
do_nothing(int signal)
{
	(void)signal;
}

/* The signal may come before the loop is open: it comes again. */
static void
test_pause(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	uint64_t until_ns = loop_now_ns() + SECOND / 100;
	int got = 0, parent = getpid(), child;

	(void)state;
	assert_true(loop_pause(until_ns, &got, &d));
	assert_int_equal(got, 0);
	assert_true(loop_now_ns() >= until_ns);
	signal(SIGTERM, do_nothing);
	child = fork();
	while (child == 0 && getppid() == parent && kill(parent, SIGTERM) == 0)
		usleep(1000);
	if (child == 0)
		_exit(0);
	assert_true(loop_pause(LOOP_FOREVER, &got, &d));
	assert_int_equal(got, SIGTERM);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	signal(SIGTERM, SIG_DFL);
	assert_true(loop_pause(LOOP_FOREVER, &got, &d));
	assert_int_equal(d.entries.n, 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timer_due_before),
		TEST(test_timer_due_within),
		TEST(test_turn_after_timer_waits),
		TEST(test_time_in_the_past),
		TEST(test_stopped_timer),
		TEST(test_reader),
		TEST(test_held_reader),
		TEST(test_room),
		TEST(test_many_readers),
		TEST(test_many_readers_one_refused),
		TEST(test_many_readers_one_refused_late),
		TEST(test_resize_ends_a_turn),
		cmocka_unit_test(test_unreported_signal_is_not_lost),
		cmocka_unit_test(test_second_signal_ends_nothing),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_error_texts),
	};

	return run_unit_tests("loop", tests, NULL, NULL);
}
