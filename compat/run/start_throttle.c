/*
 * The load is read once for each look at what may start; the tests that one look starts
 * share the free slots of that time. No event tells when the load falls: the next look is
 * some seconds later.
 *
 * A test that needs more slots than an idle machine leaves below the level would wait for
 * ever, as it does in ctest. It starts when the machine is idle, alone.
 */
#include "compat/run/start_throttle.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "compat/options/options.h"
#include "runner/base/loop.h"

#define FAKE_LOAD "__CTEST_FAKE_LOAD_AVERAGE_FOR_TESTING"

/* The load of an idle machine, rounded up. */
enum { IDLE_LOAD = 1 };
enum { FAKE_PAUSE_MS = 10, LEAST_PAUSE_MS = 1000, PAUSE_SPREAD_MS = 4000 };

struct load_throttle {
	struct start_throttle throttle;
	struct arena *arena;
	struct start_throttle_options o;
	unsigned long load;
	size_t usable, spare; /* at the last look */
	bool is_fake; /* the first look had the faked load */
	bool is_fake_bad; /* it is not a number, which was reported */
};

/* ---- the time of day ------------------------------------------------------------- */

static bool
is_over(struct start_throttle *throttle)
{
	int64_t stop_s = ((struct load_throttle *)throttle)->o.stop_s;

	return stop_s && time(NULL) >= (time_t)stop_s;
}

static void
say_closed(struct start_throttle *throttle)
{
	console_say(((struct load_throttle *)throttle)->o.console, CHANNEL_ERROR,
		STR("The stop time has been passed. Stopping all tests.\n"));
}

/* ---- the load -------------------------------------------------------------------- */

static unsigned long
machine_load(void)
{
	double minute;

	if (getloadavg(&minute, 1) != 1 || !(minute > 0))
		return 0;
	return (unsigned long)ceil(minute);
}

/* The faked load counts for the first look; after that it is 1. */
static unsigned long
load_now(struct load_throttle *t)
{
	const char *fake = t->is_fake_bad ? NULL : getenv(FAKE_LOAD);
	unsigned long load;

	if (!fake)
		return machine_load();
	if (t->is_fake)
		return 1;
	if (option_read_unsigned(str_of(fake), &load)) {
		t->is_fake = true;
		return load;
	}
	console_raw_error(t->o.console,
		str_fmt(t->arena, "CMake Error: Failed to parse fake load value: %s\n",
			fake));
	t->is_fake_bad = true;
	return machine_load();
}

/* 0: the machine is not idle, or a test fits. */
static size_t
slots_when_idle(const struct load_throttle *t, const struct scheduler *s)
{
	struct load_wait w;

	if (t->load > IDLE_LOAD || scheduler_running(s))
		return 0;
	w = scheduler_look(s, t->spare);
	return w.kind == WAIT_LOAD || w.kind == WAIT_ONLY_SERIAL ? w.first_slots : 0;
}

static size_t
usable_slots(struct start_throttle *throttle, const struct scheduler *s)
{
	struct load_throttle *t = (struct load_throttle *)throttle;
	size_t wide;

	if (!t->o.test_load)
		return SIZE_MAX;
	t->load = load_now(t);
	t->spare = t->o.test_load > t->load ? t->o.test_load - t->load : 0;
	wide = slots_when_idle(t, s);
	if (wide)
		t->spare = wide;
	t->usable = scheduler_slots_used(s) + t->spare;
	return t->usable;
}

/* ---- waiting for a lower load ---------------------------------------------------- */

static void
add_smallest(const struct load_throttle *t, struct buf *out, const struct scheduler *s,
	const struct load_wait *w)
{
	bool none_fits = t->spare == 0;
	size_t slots = none_fits ? w->first_slots : w->least_slots;
	node_id node;

	buf_fmt(out, "System Load: %lu, Max Allowed Load: %lu", t->load, t->o.test_load);
	if (none_fits && t->o.dialect->has[DIALECT_SMALLEST_NEEDS_SPARE_LOAD])
		return;
	node = none_fits ? w->first : scheduler_last_of(s, slots);
	buf_fmt(out, ", Smallest test %.*s requires %zu",
		STR_ARG(t->o.plan->nodes[node].test->name), slots);
}

static void
say_waiting(struct load_throttle *t, const struct scheduler *s, const struct load_wait *w)
{
	struct arena_mark mark = arena_mark(t->arena);
	struct buf out = {.arena = t->arena};

	buf_z(&out, "***** WAITING, ");
	switch (w->kind) {
	case WAIT_NOT_FOR_LOAD:
		BUG("does not wait");
	case WAIT_SERIAL_RUNS:
		buf_z(&out, "Waiting for RUN_SERIAL test to finish.");
		break;
	case WAIT_ONLY_SERIAL:
		buf_z(&out, "Only RUN_SERIAL tests remain, awaiting available slot.");
		break;
	case WAIT_LOAD:
		add_smallest(t, &out, s, w);
		break;
	}
	buf_z(&out, "*****\n");
	console_say(t->o.console, CHANNEL_VERBOSE, buf_as_str(&out));
	arena_rewind(t->arena, mark);
}

static uint64_t
pause_ns(struct start_throttle *throttle, const struct scheduler *s)
{
	struct load_throttle *t = (struct load_throttle *)throttle;
	size_t used = scheduler_slots_used(s);
	struct load_wait w;
	uint64_t ms = FAKE_PAUSE_MS;

	/* After a look that started a test, the next one is at the end of a test. */
	if (!t->o.test_load || used > t->usable - t->spare)
		return NO_TIMEOUT;
	w = scheduler_look(s, t->spare);
	if (w.kind == WAIT_NOT_FOR_LOAD)
		return NO_TIMEOUT;
	if (console_is_verbose(t->o.console))
		say_waiting(t, s, &w);
	if (!t->is_fake)
		ms = LEAST_PAUSE_MS + loop_now_ns() / 1000 % PAUSE_SPREAD_MS;
	return ms * 1000000;
}

struct start_throttle *
start_throttle_open(struct arena *a, const struct start_throttle_options *o)
{
	struct load_throttle *t;

	if (!o->test_load && !o->stop_s && !o->may_close)
		return NULL;
	t = NEW(a, struct load_throttle);
	*t = (struct load_throttle){.throttle = {.is_over = is_over,
					    .closes = say_closed,
					    .usable_slots = usable_slots,
					    .pause_ns = pause_ns},
		.arena = a,
		.o = *o,
		.usable = SIZE_MAX,
		.spare = SIZE_MAX};
	return &t->throttle;
}
