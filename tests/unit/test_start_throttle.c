/* --test-load and --stop-time: what they allow, and what is said of it. */
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "compat/options/options.h"
#include "compat/run/start_throttle.h"
#include "tests/sim/simulator.h"
#include "tests/unit/unit.h"

#define FAKE "__CTEST_FAKE_LOAD_AVERAGE_FOR_TESTING"

static void
loads(void **state)
{
	static const struct {
		const char *text;
		bool is_load;
		unsigned long load;
	} rows[] = {
		{"5", true, 5},
		{" +7", true, 7},
		{"0", true, 0},
		{"18446744073709551615", true, ULONG_MAX},
		{"18446744073709551616", false, 0},
		{"-1", false, 0},
		{"5x", false, 0},
		{"", false, 0},
		{"++5", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		unsigned long load = 99;

		assert_int_equal(option_read_unsigned(str_of(rows[i].text), &load),
			rows[i].is_load);
		assert_int_equal(load, rows[i].is_load ? rows[i].load : 99);
	}
}

struct stand {
	struct arena *arena;
	struct console *console;
	struct world w;
	struct scheduler *s;
	struct buf out, err;
	struct dialect dialect;
	struct start_throttle *throttle;
};

static struct stand *
stand_open(unsigned version, unsigned long load, int64_t stop_s)
{
	struct arena *a = arena_open();
	struct stand *p = NEW(a, struct stand);
	struct scheduler_options so = {.parallel = 4};
	struct console_options o = {.verbose = true};
	struct start_throttle_options po;

	p->w = world_of(a, "a; b; wide slots=3", 4, "");
	p->s = scheduler_new(a, p->w.plan, &so);
	p->out.arena = p->err.arena = a;
	/* The console rewinds the arena: these may not grow there. */
	buf_reserve(&p->out, 4096);
	buf_reserve(&p->err, 4096);
	p->arena = a;
	p->dialect = dialect_of(version);
	p->console = console_open(a, &o, &p->dialect,
		&(struct console_capture){&p->out, &p->err, false, false});
	po = (struct start_throttle_options){.console = p->console,
		.dialect = &p->dialect,
		.plan = p->w.plan,
		.test_load = load,
		.stop_s = stop_s};
	p->throttle = start_throttle_open(a, &po);
	return p;
}

static void
stand_close(struct stand *p)
{
	console_close(p->console);
	arena_close(p->arena);
}

static void
the_load(void **state)
{
	struct stand *p = stand_open(3025, 0, 0);

	(void)state;
	assert_null(p->throttle);
	stand_close(p);
	setenv(FAKE, "2", 1);
	p = stand_open(3025, 4, 0);
	assert_false(p->throttle->is_over(p->throttle));
	/* two more than are in use, and none are; the next load is 1 */
	assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 2);
	assert_int_equal(scheduler_next(p->s, 2).kind, ACT_START);
	assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 1 + 3);
	stand_close(p);
}

/* What never fits below the level starts on an idle machine, alone. */
static void
wide_test(void **state)
{
	struct stand *p = stand_open(3025, 2, 0);

	(void)state;
	/* a and b fit beside a load of 1, one after the other; the load stays 1 */
	setenv(FAKE, "1", 1);
	for (node_id i = 0; i < 2; i++) {
		assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 1);
		assert_int_equal(scheduler_next(p->s, 1).kind, ACT_START);
		assert_int_equal(scheduler_next(p->s, 1).kind, ACT_WAIT);
		if (i == 0)
			scheduler_ended(p->s, 0);
	}
	/* beside another test it waits */
	assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 1 + 1);
	assert_int_equal(scheduler_next(p->s, 2).kind, ACT_WAIT);
	scheduler_ended(p->s, 1);
	assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 3);
	assert_int_equal(scheduler_next(p->s, 3).node, 2);
	stand_close(p);

	/* not where the machine is busy with something else */
	p = stand_open(3025, 2, 0);
	scheduler_ended(p->s, scheduler_next(p->s, 1).node);
	scheduler_ended(p->s, scheduler_next(p->s, 1).node);
	setenv(FAKE, "2", 1);
	assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 0);
	assert_int_equal(scheduler_next(p->s, 0).kind, ACT_WAIT);
	assert_true(p->throttle->pause_ns(p->throttle, p->s) != NO_TIMEOUT);
	assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 3);
	stand_close(p);
	unsetenv(FAKE);
}

static void
what_is_said(void **state)
{
	static const struct {
		unsigned version;
		const char *load, *said;
	} rows[] = {
		{3025, "9",
			"***** WAITING, System Load: 9, Max Allowed Load: 4, Smallest "
			"test "
			"b requires 1*****\n"},
		{4004, "9", "***** WAITING, System Load: 9, Max Allowed Load: 4*****\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct stand *p = stand_open(rows[i].version, 4, 0);
		uint64_t pause;

		assert_int_equal(scheduler_next(p->s, SIZE_MAX).kind, ACT_START);
		setenv(FAKE, rows[i].load, 1);
		assert_int_equal(p->throttle->usable_slots(p->throttle, p->s), 1);
		pause = p->throttle->pause_ns(p->throttle, p->s);
		assert_true(pause > 0 && pause < 10000000000u);
		assert_true(str_is(buf_as_str(&p->out), rows[i].said));
		stand_close(p);
	}
}

static void
fake_that_is_none(void **state)
{
	struct stand *p = stand_open(3025, 1000000, 0);

	(void)state;
	setenv(FAKE, "much", 1);
	assert_true(p->throttle->usable_slots(p->throttle, p->s) > 0);
	assert_string_equal(
		p->err.p, "CMake Error: Failed to parse fake load value: much\n");
	/* said once */
	p->err.n = 0;
	assert_true(p->throttle->usable_slots(p->throttle, p->s) > 0);
	assert_int_equal(p->err.n, 0);
	unsetenv(FAKE);
	stand_close(p);
}

static void
the_time(void **state)
{
	struct stand *past = stand_open(3025, 0, (int64_t)time(NULL) - 1);
	struct stand *future = stand_open(3025, 0, (int64_t)time(NULL) + 1000);

	(void)state;
	assert_true(past->throttle->is_over(past->throttle));
	assert_false(future->throttle->is_over(future->throttle));
	assert_int_equal(
		future->throttle->usable_slots(future->throttle, future->s), SIZE_MAX);
	assert_int_equal(
		future->throttle->pause_ns(future->throttle, future->s), NO_TIMEOUT);
	past->throttle->closes(past->throttle);
	assert_string_equal(
		past->err.p, "The stop time has been passed. Stopping all tests.\n");
	stand_close(past);
	stand_close(future);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads),
		cmocka_unit_test(the_load),
		cmocka_unit_test(wide_test),
		cmocka_unit_test(what_is_said),
		cmocka_unit_test(fake_that_is_none),
		cmocka_unit_test(the_time),
	};

	return run_unit_tests("throttle", tests, NULL, NULL);
}
