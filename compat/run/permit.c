/*
 * The load is read once for each look at what may start; the tests that one look starts
 * share the free slots of that time. No event tells when the load falls: the next look is
 * some seconds later.
 */
#include "compat/run/permit.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "runner/base/loop.h"

#define FAKE_LOAD "__CTEST_FAKE_LOAD_AVERAGE_FOR_TESTING"

enum { FAKE_PAUSE_MS = 10, LEAST_PAUSE_MS = 1000, PAUSE_SPREAD_MS = 4000 };

struct load_permit {
	struct permit permit;
	struct arena *arena;
	struct permit_options o;
	unsigned long load;
	size_t usable, spare; /* at the last look */
	bool is_fake;
};

/* ---- the time of day ------------------------------------------------------------- */

static bool
is_over(struct permit *permit)
{
	int64_t stop_s = ((struct load_permit *)permit)->o.stop_s;

	return stop_s && time(NULL) >= (time_t)stop_s;
}

static void
closes(struct permit *permit)
{
	console_say(((struct load_permit *)permit)->o.console, CHANNEL_ERROR,
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

static unsigned long
load_now(struct load_permit *g)
{
	const char *fake = getenv(FAKE_LOAD);
	unsigned long load;

	if (!fake)
		return machine_load();
	if (option_read_unsigned(str_of(fake), &load)) {
		g->is_fake = true;
		setenv(FAKE_LOAD, "1", 1);
		return load;
	}
	console_raw_error(g->o.console,
		str_fmt(g->arena, "CMake Error: Failed to parse fake load value: %s\n",
			fake));
	unsetenv(FAKE_LOAD);
	return machine_load();
}

static size_t
usable_slots(struct permit *permit, const struct scheduler *s)
{
	struct load_permit *g = (struct load_permit *)permit;

	if (!g->o.test_load)
		return SIZE_MAX;
	g->load = load_now(g);
	g->spare = g->o.test_load > g->load ? g->o.test_load - g->load : 0;
	g->usable = scheduler_slots_used(s) + g->spare;
	return g->usable;
}

/* ---- waiting for a lower load ---------------------------------------------------- */

static void
add_smallest(const struct load_permit *g, struct buf *out, const struct scheduler *s,
	const struct load_wait *w)
{
	bool none_fits = g->spare == 0;
	size_t slots = none_fits ? w->first_slots : w->least_slots;
	node_id node;

	buf_fmt(out, "System Load: %lu, Max Allowed Load: %lu", g->load, g->o.test_load);
	if (none_fits && g->o.dialect->has[DIALECT_SMALLEST_MEASURED])
		return;
	node = none_fits ? w->first : scheduler_last_of(s, slots);
	buf_fmt(out, ", Smallest test %.*s requires %zu",
		STR_ARG(g->o.plan->nodes[node].test->name), slots);
}

static void
say_waiting(struct load_permit *g, const struct scheduler *s, const struct load_wait *w)
{
	struct arena_mark mark = arena_mark(g->arena);
	struct buf out = {.arena = g->arena};

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
		add_smallest(g, &out, s, w);
		break;
	}
	buf_z(&out, "*****\n");
	console_say(g->o.console, CHANNEL_VERBOSE, buf_as_str(&out));
	arena_rewind(g->arena, mark);
}

static uint64_t
pause_ns(struct permit *permit, const struct scheduler *s)
{
	struct load_permit *g = (struct load_permit *)permit;
	size_t used = scheduler_slots_used(s);
	struct load_wait w;
	uint64_t ms = FAKE_PAUSE_MS;

	/* After a look that started a test, the next one is at the end of a test. */
	if (!g->o.test_load || used > g->usable - g->spare)
		return NO_TIMEOUT;
	w = scheduler_look(s, g->spare);
	if (w.kind == WAIT_NOT_FOR_LOAD)
		return NO_TIMEOUT;
	if (console_is_verbose(g->o.console))
		say_waiting(g, s, &w);
	if (!g->is_fake)
		ms = LEAST_PAUSE_MS + loop_now_ns() / 1000 % PAUSE_SPREAD_MS;
	return ms * 1000000;
}

struct permit *
permit_open(struct arena *a, const struct permit_options *o)
{
	struct load_permit *g;

	if (!o->test_load && !o->stop_s)
		return NULL;
	g = NEW(a, struct load_permit);
	*g = (struct load_permit){{is_over, closes, usable_slots, pause_ns}, a, *o, 0,
		SIZE_MAX, SIZE_MAX, false};
	return &g->permit;
}
