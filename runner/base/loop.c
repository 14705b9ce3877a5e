/*
 * The event loop. See loop.h.
 *
 * It uses poll(2) and a list of timers. libuv, whose header gives the texts of errors,
 * aborts where the system refuses to register a descriptor. poll registers none; when
 * poll itself fails, every reader is called. All are non-blocking, so that this is only
 * slow.
 *
 * poll looks at all descriptors in every turn. So many descriptors are registered with
 * epoll(7), where the system has it. Whatever it refuses, poll is used again.
 *
 * The signal handler writes one record per signal, with its time and the child, into a
 * pipe of our own; libuv's signal handles give neither. A full pipe loses records but not
 * the wake-up; a child without a record is found by reaping, with the current time.
 * Children are looked for every second in any case: a lost signal only delays.
 */
#include "runner/base/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif

#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/base/streams.h"

#define LOOK_AGAIN_NS 10000000u
#define LOOK_FOR_CHILDREN_NS 1000000000u

enum { WATCHED_SIGNALS = 6, NOTICES = 256 };
enum { MOST_POLLED = 128, EVENTS = 1024 }; /* readers, before epoll is used */

static const int watched[WATCHED_SIGNALS] = {
	SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};

struct notice {
	int signal, pid;
	bool by_kernel;
	uint64_t at_ns;
};
struct loop_timer {
	uint64_t at_ns; /* LOOP_FOREVER: stopped */
	loop_call *fn;
	void *context;
};
struct loop_reader {
	struct loop *loop;
	int fd; /* -1: not watched any more */
	bool is_held, wants_room;
	size_t at; /* place in the list of readers */
	loop_call *fn;
	void *context;
	struct loop_reader *next_free;
};
/* Descriptors that are registered with epoll. */
struct registry {
	int fd; /* -1: poll is used */
	bool is_refused; /* the system has refused something */
};
struct loop {
	struct arena *arena;
	struct loop_listener listener;
	VEC(struct loop_timer *) timers;
	VEC(struct loop_reader *) readers; /* in the order in which they are served */
	bool has_unwatched; /* some of the readers are not watched any more */
	VEC(struct pollfd) polled; /* with poll: one for each of the readers */
	VEC(size_t) ready; /* places of the readers that are called in this turn */
	struct registry registry;
	uint64_t looked_ns; /* when children were last looked for */
	struct loop_reader *signals, *free_readers;
	loop_call *resize; /* NULL: no one asks for the size of the terminal */
	void *resize_context;
	struct loop_reader *room; /* set while text waits to be written, else NULL */
	bool has_reported_reader; /* the listener got SIGPIPE for the lost reader */
	int signal_end; /* read end of the signal pipe */
	bool took_over[WATCHED_SIGNALS];
	struct sigaction before[WATCHED_SIGNALS];
	bool has_reported_signal; /* the listener got a signal that ends us */
	struct notice notices[NOTICES]; /* the batch being handled */
	size_t notices_n;
};

/* Write end of the signal pipe: the signal handler has no other state. */
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

struct str
loop_error_text(struct arena *a, int error)
{
	switch (-error) {
#define TEXT_OF(name, text)                                                              \
	case UV_##name:                                                                  \
		return STR(text);
		UV_ERRNO_MAP(TEXT_OF)
#undef TEXT_OF
	case 0:
		return STR("");
	default:
		return str_fmt(a, "Unknown system error %d", -error);
	}
}

/* ---- signals --------------------------------------------------------------------- */

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
		n.signal = 0; /* a full pipe: the loop wakes up in any case */
	errno = kept;
}

/* false leaves errno. Without handlers the end of a child or an interruption would be
 * missed. */
static bool
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
		if (l->took_over[i] && sigaction(watched[i], &sa, NULL) != 0) {
			l->took_over[i] = false;
			return false;
		}
	}
	return true;
}

static void
return_signals(struct loop *l)
{
	for (size_t i = 0; i < WATCHED_SIGNALS; i++)
		if (l->took_over[i])
			sigaction(watched[i], &l->before[i], NULL);
}

/* Whether the signal ends us. */
static bool
is_end(int signal)
{
	return signal != SIGCHLD && signal != SIGWINCH;
}

static bool
has_notice(const struct loop *l, int signal)
{
	for (size_t i = 0; i < l->notices_n; i++)
		if (l->notices[i].signal == signal)
			return true;
	return false;
}

/* Handles one batch; true: there may be more. */
static bool
read_notices(struct loop *l)
{
	ssize_t got = read(l->signal_end, l->notices, sizeof l->notices);

	l->notices_n = got > 0 ? (size_t)got / sizeof *l->notices : 0;
	if (l->listener.children && has_notice(l, SIGCHLD))
		l->listener.children(l->listener.context);
	if (l->resize && has_notice(l, SIGWINCH))
		l->resize(l->resize_context);
	for (size_t i = 0; i < l->notices_n; i++)
		if (is_end(l->notices[i].signal)) {
			l->has_reported_signal = true;
			l->listener.signal(l->listener.context, l->notices[i].signal,
				l->notices[i].by_kernel);
		}
	return l->notices_n == NOTICES;
}

/* A signal that arrived after the last turn and was not given to the listener; 0:
 * none. */
static int
unreported_signal(const struct loop *l)
{
	struct notice n;

	while (!l->has_reported_signal &&
		read(l->signal_end, &n, sizeof n) == (ssize_t)sizeof n)
		if (is_end(n.signal))
			return n.signal;
	return 0;
}

void
loop_on_resize(struct loop *l, loop_call *fn, void *context)
{
	l->resize = fn;
	l->resize_context = context;
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
	INVARIANT(pid > 0);
	for (size_t i = 0; i < l->notices_n; i++)
		if (l->notices[i].signal == SIGCHLD && l->notices[i].pid == pid)
			return l->notices[i].at_ns;
	return loop_now_ns();
}

/* ---- many descriptors ------------------------------------------------------------ */

/* poll is used from now on. */
static void
give_registry_up(struct loop *l)
{
	file_close(&l->registry.fd);
	l->registry.is_refused = true;
}

#ifdef __linux__

static void
change_registry(struct loop_reader *r, int change)
{
	struct loop *l = r->loop;
	struct epoll_event event = {.data = {.ptr = r}};

	if (l->registry.fd < 0)
		return;
	event.events = r->wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN;
	if (epoll_ctl(l->registry.fd, change, r->fd, &event) != 0)
		give_registry_up(l);
}

static void
register_reader(struct loop_reader *r)
{
	change_registry(r, EPOLL_CTL_ADD);
}

static void
change_events(struct loop_reader *r)
{
	change_registry(r, EPOLL_CTL_MOD);
}

/* The system would keep the descriptor registered while a child has a copy of it. */
static void
unregister_reader(struct loop_reader *r)
{
	change_registry(r, EPOLL_CTL_DEL);
}

static void
register_all(struct loop *l)
{
	l->registry.fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->registry.fd < 0)
		give_registry_up(l);
	for (size_t i = 0; i < l->readers.n; i++)
		if (!l->readers.v[i]->is_held)
			register_reader(l->readers.v[i]);
}

SORT_BY(sort_places, size_t, ITSELF)

/* false: poll must be used. */
static bool
await_registered(struct loop *l, int wait_ms)
{
	struct epoll_event events[EVENTS];
	int n;

	RETRY_EINTR(n, epoll_wait(l->registry.fd, events, EVENTS, wait_ms));
	if (n < 0) {
		give_registry_up(l);
		return false;
	}
	for (int i = 0; i < n; i++)
		VEC_PUSH(l->arena, &l->ready,
			((struct loop_reader *)events[i].data.ptr)->at);
	sort_places(l->ready.v, l->ready.n);
	return true;
}

#else

static void
register_reader(struct loop_reader *r)
{
	(void)r;
}

static void
change_events(struct loop_reader *r)
{
	(void)r;
}

static void
unregister_reader(struct loop_reader *r)
{
	(void)r;
}

static void
register_all(struct loop *l)
{
	l->registry.is_refused = true;
}

static bool
await_registered(struct loop *l, int wait_ms)
{
	(void)l;
	(void)wait_ms;
	return false;
}

#endif

static struct loop_reader *
add_reader(struct loop *l, int fd, loop_call *fn, void *context)
{
	struct loop_reader *r = l->free_readers;

	if (r)
		l->free_readers = r->next_free;
	else
		r = NEW(l->arena, struct loop_reader);
	*r = (struct loop_reader){
		.loop = l, .fd = fd, .at = l->readers.n, .fn = fn, .context = context};
	VEC_PUSH(l->arena, &l->readers, r);
	register_reader(r);
	return r;
}

/* ---- open, turn, close ----------------------------------------------------------- */

struct loop *
loop_open(struct arena *a, const struct loop_listener *listener, struct diag *d)
{
	struct loop *l = NEW(a, struct loop);
	int ends[2];

	INVARIANT(signal_pipe == -1);
	INVARIANT(listener->signal);
	*l = (struct loop){.arena = a, .listener = *listener, .registry = {.fd = -1}};
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
		diag_error(
			d, NO_PLACE, "cannot make the signal pipe: %s", strerror(errno));
		return NULL;
	}
	l->signal_end = ends[0];
	signal_pipe = ends[1];
	l->looked_ns = loop_now_ns();
	l->signals = add_reader(l, l->signal_end, on_notices, l);
	if (!take_signals(l)) {
		diag_error(d, NO_PLACE, "cannot take over signals: %s", strerror(errno));
		loop_close(l);
		return NULL;
	}
	return l;
}

/* ---- text that waits for its reader ---------------------------------------------- */

static void
write_waiting(void *context)
{
	(void)context;
	streams_push();
}

/* false: text waits, and no descriptor says when there is room for it. */
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

/* Reports a reader that went away to the listener as SIGPIPE, once. */
static bool
report_lost_reader(struct loop *l)
{
	if (l->has_reported_reader || !streams_have_lost_reader())
		return false;
	l->has_reported_reader = true;
	l->listener.signal(l->listener.context, SIGPIPE, false);
	return true;
}

int
loop_passed_on(int signal)
{
	INVARIANT(signal > 0);
	return signal == SIGPIPE ? SIGTERM : signal;
}

/* Returns the time until which the turn may sleep. */
static uint64_t
serve_streams(struct loop *l, uint64_t until_ns)
{
	uint64_t soon_ns;

	if (report_lost_reader(l))
		return 0;
	if (watch_room(l))
		return until_ns;
	streams_push();
	soon_ns = loop_now_ns() + LOOK_AGAIN_NS;
	return until_ns < soon_ns ? until_ns : soon_ns;
}

/* Calls the timers whose time has come. */
static void
call_timers(struct loop *l, uint64_t now_ns)
{
	for (size_t i = 0; i < l->timers.n; i++) {
		struct loop_timer *t = l->timers.v[i];

		if (t->at_ns > now_ns)
			continue;
		t->at_ns = LOOP_FOREVER;
		t->fn(t->context);
	}
}

/* poll ignores a negative descriptor. */
static struct pollfd
polled_of(const struct loop_reader *r)
{
	return (struct pollfd){.fd = r->is_held ? -1 : r->fd,
		.events = (short)(r->wants_room ? POLLIN | POLLOUT : POLLIN)};
}

/* Readers that are not watched any more become free ones. */
static void
drop_unwatched(struct loop *l)
{
	size_t n = 0;

	if (!l->has_unwatched)
		return;
	l->has_unwatched = false;
	for (size_t i = 0; i < l->readers.n; i++) {
		struct loop_reader *r = l->readers.v[i];

		if (r->fd < 0) {
			r->next_free = l->free_readers;
			l->free_readers = r;
			continue;
		}
		r->at = n;
		l->readers.v[n++] = r;
	}
	l->readers.n = n;
}

static uint64_t
next_time(const struct loop *l, uint64_t until_ns)
{
	uint64_t next_ns = l->looked_ns + LOOK_FOR_CHILDREN_NS;

	if (until_ns < next_ns)
		next_ns = until_ns;
	for (size_t i = 0; i < l->timers.n; i++)
		if (l->timers.v[i]->at_ns < next_ns)
			next_ns = l->timers.v[i]->at_ns;
	return next_ns;
}

/* Milliseconds, rounded up. */
static int
wait_until(uint64_t time_ns)
{
	uint64_t now_ns = time_ns ? loop_now_ns() : 0;

	return time_ns > now_ns ? (int)((time_ns - now_ns + 999999u) / 1000000u) : 0;
}

int
loop_await(int fd, short events, uint64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	RETRY_EINTR(n, poll(&p, 1, until_ns == LOOP_FOREVER ? -1 : wait_until(until_ns)));
	return n;
}

/* When poll fails for want of memory, all readers that are not held are called after a
 * while. */
static void
poll_readers(struct loop *l, int wait_ms)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int n;

	l->polled.n = 0;
	for (size_t i = 0; i < l->readers.n; i++)
		VEC_PUSH(l->arena, &l->polled, polled_of(l->readers.v[i]));
	RETRY_EINTR(n, poll(l->polled.v, (nfds_t)l->polled.n, wait_ms));
	if (n < 0)
		nanosleep(&pause, NULL);
	for (size_t i = 0; i < l->polled.n && n != 0; i++)
		if (n < 0 ? l->polled.v[i].fd >= 0 : l->polled.v[i].revents != 0)
			VEC_PUSH(l->arena, &l->ready, i);
}

static void
await_readers(struct loop *l, uint64_t until_ns)
{
	l->ready.n = 0;
	drop_unwatched(l);
	if (l->readers.n > MOST_POLLED && l->registry.fd < 0 && !l->registry.is_refused)
		register_all(l);
	if (l->registry.fd < 0 || !await_registered(l, wait_until(until_ns)))
		poll_readers(l, wait_until(until_ns));
}

/* A reader may be unwatched or held by one that is called before it. */
static void
call_readers(struct loop *l)
{
	for (size_t i = 0; i < l->ready.n; i++) {
		struct loop_reader *r = l->readers.v[l->ready.v[i]];

		if (r->fd >= 0 && !r->is_held && r->fn)
			r->fn(r->context);
	}
}

/* The signal of a child may be lost. */
static void
look_for_children(struct loop *l, uint64_t now_ns)
{
	if (now_ns < l->looked_ns + LOOK_FOR_CHILDREN_NS)
		return;
	l->looked_ns = now_ns;
	l->notices_n = 0;
	if (l->listener.children)
		l->listener.children(l->listener.context);
}

void
loop_turn(struct loop *l, uint64_t until_ns)
{
	uint64_t now_ns;

	until_ns = serve_streams(l, until_ns);
	await_readers(l, until_ns ? next_time(l, until_ns) : 0);
	call_readers(l);
	now_ns = loop_now_ns();
	call_timers(l, now_ns);
	look_for_children(l, now_ns);
}

/* A signal that the listener did not get is raised again, for the handler that was there
 * before the loop. */
void
loop_close(struct loop *l)
{
	int unreported;

	INVARIANT(signal_pipe >= 0);
	return_signals(l);
	unreported = unreported_signal(l);
	file_close(&l->registry.fd);
	close(l->signal_end);
	file_close(&signal_pipe);
	if (unreported)
		raise(unreported);
}

static void
note_signal(void *context, int signal, bool by_terminal)
{
	(void)by_terminal;
	*(int *)context = signal;
}

bool
loop_pause(uint64_t until_ns, int *signal, struct diag *d)
{
	struct arena *scratch = arena_open();
	struct loop_listener listener = {.context = signal, .signal = note_signal};
	struct loop *l = loop_open(scratch, &listener, d);
	bool is_open = l != NULL;

	while (is_open && !*signal && loop_now_ns() < until_ns)
		loop_turn(l, until_ns);
	if (is_open)
		loop_close(l);
	arena_close(scratch);
	return is_open;
}

/* ---- timers ---------------------------------------------------------------------- */

struct loop_timer *
loop_timer_new(struct loop *l, loop_call *fn, void *context)
{
	struct loop_timer *t = NEW(l->arena, struct loop_timer);

	INVARIANT(fn);
	*t = (struct loop_timer){.at_ns = LOOP_FOREVER, .fn = fn, .context = context};
	VEC_PUSH(l->arena, &l->timers, t);
	return t;
}

void
loop_timer_start(struct loop_timer *t, uint64_t at_ns)
{
	t->at_ns = at_ns;
}

void
loop_timer_stop(struct loop_timer *t)
{
	t->at_ns = LOOP_FOREVER;
}

/* ---- descriptors ----------------------------------------------------------------- */

struct loop_reader *
loop_watch(struct loop *l, int fd, loop_call *fn, void *context)
{
	int on = 1, got;

	INVARIANT(fd >= 0);
	RETRY_EINTR(got, ioctl(fd, FIONBIO, &on));
	return got < 0 ? NULL : add_reader(l, fd, fn, context);
}

void
loop_unwatch(struct loop_reader *r)
{
	if (!r->is_held)
		unregister_reader(r);
	r->fd = -1;
	r->loop->has_unwatched = true;
}

/* epoll reports the end of a descriptor that waits for nothing, too, so that it is not
 * registered while it is held. */
void
loop_hold(struct loop_reader *r, bool is_held)
{
	if (r->is_held == is_held)
		return;
	r->is_held = is_held;
	if (is_held)
		unregister_reader(r);
	else
		register_reader(r);
}

void
loop_want_room(struct loop_reader *r, bool wants)
{
	if (r->wants_room == wants)
		return;
	r->wants_room = wants;
	if (!r->is_held)
		change_events(r);
}
