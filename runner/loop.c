/*
 * The event loop on libuv. See loop.h.
 *
 * Signals come through a pipe of our own, one record each, written by the handler with
 * the time and the child: libuv's signal handles would tell neither. A full pipe loses
 * records but not the wake-up; a child without a record is found by reaping, with the
 * time of now.
 */
#include "runner/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "runner/streams.h"

#define LOOK_AGAIN_NS 10000000u

enum { WATCHED_SIGNALS = 5, NOTICES = 256 };

static const int watched[WATCHED_SIGNALS] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

struct notice {
	int signal, pid;
	bool by_kernel;
	uint64_t at_ns;
};
struct loop_timer {
	uv_timer_t handle;
	loop_call *fn;
	void *context;
};
struct loop_reader {
	uv_poll_t handle;
	struct loop *loop;
	loop_call *fn;
	void *context;
	struct loop_reader *next_free;
};
struct loop {
	struct arena *arena;
	uv_loop_t uv;
	struct loop_listener listener;
	struct loop_timer *wake;
	struct loop_reader *signals, *free_readers;
	struct loop_reader *room; /* while text waits to be written, or NULL */
	bool told_of_reader; /* that it went away */
	int signal_end; /* read end of the signal pipe */
	bool took_over[WATCHED_SIGNALS];
	struct sigaction before[WATCHED_SIGNALS];
	bool has_told; /* the listener of a signal that ends us */
	struct notice notices[NOTICES]; /* the batch being handled */
	size_t notices_n;
};

/* Write end of the signal pipe: all that a handler can know. */
static int signal_pipe = -1;

uint64_t
loop_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int64_t
loop_wall_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

const char *
loop_error_text(int error)
{
	/* libuv makes a text of its own for what is no error. */
	return error ? uv_strerror(-error) : "";
}

/* ---- signals ----------------------------------------------------------------------- */

static void
on_signal(int number, siginfo_t *info, void *context)
{
	int kept = errno;
	struct notice n = {0};

	(void)context;
	n.signal = number;
	n.pid = info->si_pid;
	n.by_kernel = info->si_code == SI_KERNEL;
	n.at_ns = loop_now_ns();
	if (write(signal_pipe, &n, sizeof n) != (ssize_t)sizeof n)
		n.signal = 0; /* full: the loop is awake already */
	errno = kept;
}

static void
take_signals(struct loop *l)
{
	struct sigaction sa = {.sa_sigaction = on_signal};

	sa.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
	sigfillset(&sa.sa_mask);
	for (size_t i = 0; i < WATCHED_SIGNALS; i++) {
		sigaction(watched[i], NULL, &l->before[i]);
		l->took_over[i] = watched[i] == SIGCHLD ||
				  (l->before[i].sa_flags & SA_SIGINFO) ||
				  l->before[i].sa_handler != SIG_IGN;
		if (l->took_over[i])
			sigaction(watched[i], &sa, NULL);
	}
}

static void
return_signals(struct loop *l)
{
	for (size_t i = 0; i < WATCHED_SIGNALS; i++)
		if (l->took_over[i])
			sigaction(watched[i], &l->before[i], NULL);
}

/* One batch; false when there was none. */
static bool
read_notices(struct loop *l)
{
	ssize_t got = read(l->signal_end, l->notices, sizeof l->notices);
	bool children = false;

	l->notices_n = got > 0 ? (size_t)got / sizeof *l->notices : 0;
	for (size_t i = 0; i < l->notices_n; i++)
		children = children || l->notices[i].signal == SIGCHLD;
	if (children)
		l->listener.children(l->listener.context);
	for (size_t i = 0; i < l->notices_n; i++)
		if (l->notices[i].signal != SIGCHLD) {
			l->has_told = true;
			l->listener.signal(l->listener.context, l->notices[i].signal,
				l->notices[i].by_kernel);
		}
	return l->notices_n == NOTICES;
}

/* One that came behind the last turn, and is nobody's yet; 0: none. */
static int
untold_signal(const struct loop *l)
{
	struct notice n;

	while (!l->has_told && read(l->signal_end, &n, sizeof n) == (ssize_t)sizeof n)
		if (n.signal != SIGCHLD)
			return n.signal;
	return 0;
}

void
loop_look(struct loop *l)
{
	while (read_notices(l))
		continue;
}

static void
on_notices(void *context)
{
	loop_look(context);
}

uint64_t
loop_exit_time(const struct loop *l, int pid)
{
	for (size_t i = 0; i < l->notices_n; i++)
		if (l->notices[i].signal == SIGCHLD && l->notices[i].pid == pid)
			return l->notices[i].at_ns;
	return loop_now_ns();
}

/* ---- open, turn, close ---------------------------------------------------------------
 */

static void
do_nothing(void *context)
{
	(void)context;
}

struct loop *
loop_open(struct arena *a, const struct loop_listener *listener, struct diag *d)
{
	struct loop *l = NEW(a, struct loop);
	int ends[2], error;

	INVARIANT(signal_pipe == -1);
	*l = (struct loop){.arena = a, .listener = *listener};
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
		diag_error(
			d, NO_PLACE, "cannot make the signal pipe: %s", strerror(errno));
		return NULL;
	}
	error = uv_loop_init(&l->uv);
	if (error) {
		close(ends[0]);
		close(ends[1]);
		diag_error(d, NO_PLACE, "cannot open the event loop: %s",
			uv_strerror(error));
		return NULL;
	}
	l->signal_end = ends[0];
	signal_pipe = ends[1];
	l->wake = loop_timer_new(l, do_nothing, NULL);
	l->signals = loop_watch(l, l->signal_end, on_notices, l);
	take_signals(l);
	return l;
}

/* ---- text that waits for its reader --------------------------------------------------
 */

static void
write_waiting(void *context)
{
	(void)context;
	streams_push();
}

/* false: text waits, and only time tells when there is room for it. */
static bool
watch_room(struct loop *l)
{
	int room = streams_are_pending() ? streams_room() : -1;

	if (l->room && room < 0) {
		loop_unwatch(l->room);
		l->room = NULL;
	} else if (!l->room && room >= 0) {
		l->room = loop_watch(l, room, write_waiting, NULL);
	}
	return l->room || !streams_are_pending();
}

/* A reader that went away counts as SIGPIPE, once. */
static bool
tell_of_reader(struct loop *l)
{
	if (l->told_of_reader || !streams_have_lost_reader())
		return false;
	l->told_of_reader = true;
	l->listener.signal(l->listener.context, SIGPIPE, false);
	return true;
}

int
loop_passed_on(int signal)
{
	return signal == SIGPIPE ? SIGTERM : signal;
}

/* Until when a turn may sleep. */
static uint64_t
serve_streams(struct loop *l, uint64_t until_ns)
{
	uint64_t soon_ns;

	if (tell_of_reader(l))
		return 0;
	if (watch_room(l))
		return until_ns;
	streams_push();
	soon_ns = loop_now_ns() + LOOK_AGAIN_NS;
	return until_ns < soon_ns ? until_ns : soon_ns;
}

void
loop_turn(struct loop *l, uint64_t until_ns)
{
	uint64_t now;

	until_ns = serve_streams(l, until_ns);
	now = until_ns == 0 || until_ns == LOOP_FOREVER ? 0 : loop_now_ns();
	if (until_ns <= now) {
		uv_run(&l->uv, UV_RUN_NOWAIT);
		return;
	}
	loop_timer_start(l->wake, until_ns);
	uv_run(&l->uv, UV_RUN_ONCE);
	loop_timer_stop(l->wake);
}

static void
close_one(uv_handle_t *h, void *context)
{
	(void)context;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

/* An untold signal meets what stood before the loop, as if it had come a little later. */
void
loop_close(struct loop *l)
{
	int untold;

	return_signals(l);
	untold = untold_signal(l);
	uv_walk(&l->uv, close_one, NULL);
	while (uv_run(&l->uv, UV_RUN_DEFAULT) != 0)
		continue;
	INVARIANT(uv_loop_close(&l->uv) == 0);
	close(l->signal_end);
	close(signal_pipe);
	signal_pipe = -1;
	if (untold)
		raise(untold);
}

/* ---- timers --------------------------------------------------------------------------
 */

/* libuv may call timers that are due before it polls; the turn must not sleep then. */
static void
on_timer(uv_timer_t *h)
{
	struct loop_timer *t = h->data;

	uv_stop(h->loop);
	t->fn(t->context);
}

struct loop_timer *
loop_timer_new(struct loop *l, loop_call *fn, void *context)
{
	struct loop_timer *t = NEW(l->arena, struct loop_timer);

	t->fn = fn;
	t->context = context;
	uv_timer_init(&l->uv, &t->handle);
	t->handle.data = t;
	return t;
}

/* libuv counts milliseconds from the time at which it last looked. */
void
loop_timer_start(struct loop_timer *t, uint64_t at_ns)
{
	uint64_t at_ms = at_ns / 1000000u + (at_ns % 1000000u != 0);
	uint64_t now_ms = uv_now(t->handle.loop);

	if (at_ns == LOOP_FOREVER)
		uv_timer_stop(&t->handle);
	else
		uv_timer_start(
			&t->handle, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

void
loop_timer_stop(struct loop_timer *t)
{
	uv_timer_stop(&t->handle);
}

/* ---- descriptors ---------------------------------------------------------------------
 */

static void
on_readable(uv_poll_t *h, int status, int events)
{
	struct loop_reader *r = h->data;

	(void)status;
	(void)events;
	r->fn(r->context);
}

struct loop_reader *
loop_watch(struct loop *l, int fd, loop_call *fn, void *context)
{
	struct loop_reader *r = l->free_readers;
	int error;

	if (r)
		l->free_readers = r->next_free;
	else
		r = NEW(l->arena, struct loop_reader);
	*r = (struct loop_reader){.loop = l, .fn = fn, .context = context};
	error = uv_poll_init(&l->uv, &r->handle, fd);
	INVARIANT(error == 0);
	r->handle.data = r;
	uv_poll_start(&r->handle, UV_READABLE, on_readable);
	return r;
}

static void
on_closed(uv_handle_t *h)
{
	struct loop_reader *r = h->data;

	r->next_free = r->loop->free_readers;
	r->loop->free_readers = r;
}

void
loop_unwatch(struct loop_reader *r)
{
	uv_close((uv_handle_t *)&r->handle, on_closed);
}
