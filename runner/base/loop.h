/*
 * The event loop: timers, descriptors that become readable, signals, children that
 * exited. One loop at a time, since signals belong to the process.
 *
 * Times are nanoseconds of the monotonic clock. The signal handler notes the time at
 * which a child exited, so that it is right even when the loop comes late.
 *
 * Every turn writes the text that waits in runner/base/streams.h.
 */
#ifndef CCTR_RUNNER_BASE_LOOP_H
#define CCTR_RUNNER_BASE_LOOP_H

#include "runner/base/diag.h"

#define LOOP_FOREVER UINT64_MAX

/* ns + wait_ns; LOOP_FOREVER where that is no time any more. */
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
	/* One or more children exited; loop_exit_time gives the time of each. NULL: the
	 * caller waits for none. */
	void (*children)(void *context);
	/* SIGINT, SIGTERM, SIGHUP or SIGQUIT. by_terminal: the kernel sent it, so that
	 * all processes in the foreground got it too. SIGPIPE: our reader went away;
	 * other processes do not know that. */
	void (*signal)(void *context, int signal, bool by_terminal);
};

/* The signal to send to other processes when the listener got this one: SIGTERM for
 * SIGPIPE, because our reader is not theirs; else the same. */
int loop_passed_on(int signal);

/* Signals that are ignored when the loop opens stay ignored. */
struct loop *loop_open(
	struct arena *a, const struct loop_listener *listener, struct diag *d);
void loop_close(struct loop *l);
/* Waits until that time, or until a signal that ends cctr comes, which becomes *signal.
 * It does not wait where *signal is one already. No other loop may be open. false after a
 * diag_error: there is no wait. */
CCTR_MUST_CHECK bool loop_pause(uint64_t until_ns, int *signal, struct diag *d);
uint64_t loop_now_ns(void);
/* Wall-clock time, microseconds since 1970. */
int64_t loop_wall_us(void);
/* As poll(2) of one descriptor, without a loop, until that time, whatever signals come.
 * > 0: one of the events has happened; 0: none has in time; -1 leaves errno. */
int loop_await(int fd, short events, uint64_t until_ns);
/* Handles what is due. If nothing was, sleeps until something is due or until_ns is
 * reached. 0: does not sleep. */
void loop_turn(struct loop *l, uint64_t until_ns);
/* fn is called after the terminal has changed its size; NULL: nothing is. */
void loop_on_resize(struct loop *l, loop_call *fn, void *context);
/* Handles the signals that have arrived, now. */
void loop_look(struct loop *l);
/* When the child's exit was signalled; the current time where that signal was merged with
 * another. For use in children(). */
uint64_t loop_exit_time(const struct loop *l, int pid);

struct loop_timer *loop_timer_new(struct loop *l, loop_call *fn, void *context);
/* Fires once, never early. LOOP_FOREVER stops it. */
void loop_timer_start(struct loop_timer *t, uint64_t at_ns);
void loop_timer_stop(struct loop_timer *t);

/* fn is called while the descriptor has something to read or is at its end; NULL: it only
 * ends a turn. The descriptor becomes non-blocking. Unwatch it before closing it. NULL
 * leaves errno: it cannot be watched. */
struct loop_reader *loop_watch(struct loop *l, int fd, loop_call *fn, void *context);
void loop_unwatch(struct loop_reader *r);
/* While the reader is held, fn is not called. */
void loop_hold(struct loop_reader *r, bool is_held);
/* wants: fn is also called while the descriptor has room for bytes to be written. */
void loop_want_room(struct loop_reader *r, bool wants);

/* What the system says about an errno, in libuv's words: "permission denied". "" for 0.
 * In the arena or static. */
struct str loop_error_text(struct arena *a, int error);

#endif
