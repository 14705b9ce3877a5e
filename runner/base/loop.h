/*
 * The event loop: timers, descriptors that become readable, signals, children that
 * exited. One loop at a time, since signals belong to the process.
 *
 * Times are nanoseconds of the monotonic clock. The moment at which a child exited is
 * taken in the signal handler, so that it is right even when the loop comes late.
 *
 * Every turn writes what waits in runner/base/streams.h.
 */
#ifndef CCTR_RUNNER_BASE_LOOP_H
#define CCTR_RUNNER_BASE_LOOP_H

#include "runner/base/diag.h"

#define LOOP_FOREVER UINT64_MAX

/* Behind a time by so much; LOOP_FOREVER where no time is. */
static inline uint64_t
loop_later(uint64_t ns, uint64_t wait_ns)
{
	return wait_ns >= LOOP_FOREVER - ns ? LOOP_FOREVER : ns + wait_ns;
}

struct loop;
struct loop_timer;
struct loop_reader;

typedef void loop_call(void *context);

struct loop_listener {
	void *context;
	/* Some child exited; loop_exit_time knows when. Called once for many. */
	void (*children)(void *context);
	/* SIGINT, SIGTERM, SIGHUP or SIGQUIT; by_terminal: sent by the kernel, so that
	 * everything in the foreground has had it too. SIGPIPE: a reader of ours went
	 * away, of which no other process knows. */
	void (*signal)(void *context, int signal, bool by_terminal);
};

/* What other processes are sent when the listener was told of a signal: our reader is not
 * theirs. */
int loop_passed_on(int signal);

/* Signals that are ignored when the loop opens stay ignored. */
struct loop *loop_open(
	struct arena *a, const struct loop_listener *listener, struct diag *d);
void loop_close(struct loop *l);
uint64_t loop_now_ns(void);
/* The clock of the wall, microseconds since 1970. */
int64_t loop_wall_us(void);
/* Handles what is due, then, if that was nothing, sleeps until something is or until the
 * time is reached. 0 does not sleep. */
void loop_turn(struct loop *l, uint64_t until_ns);
/* Looks at once for signals that arrived, and tells the listener. */
void loop_look(struct loop *l);
/* When the child's exit was signalled; now, when that signal was merged with another. For
 * use in children(). */
uint64_t loop_exit_time(const struct loop *l, int pid);

struct loop_timer *loop_timer_new(struct loop *l, loop_call *fn, void *context);
/* One shot; never early. LOOP_FOREVER stops it. */
void loop_timer_start(struct loop_timer *t, uint64_t at_ns);
void loop_timer_stop(struct loop_timer *t);

/* fn is called while the descriptor has something to read or is at its end; it is set to
 * non-blocking. Unwatch before closing it. NULL leaves errno: that is not possible. */
struct loop_reader *loop_watch(struct loop *l, int fd, loop_call *fn, void *context);
void loop_unwatch(struct loop_reader *r);

/* What the system says about an errno, in libuv's words: "permission denied". */
const char *loop_error_text(int error);

#endif
