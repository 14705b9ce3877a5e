/* Why nothing starts although slots are free, for --test-load. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/sim/simulator.h"

static const struct {
	const char *suite;
	size_t parallel;
	size_t started; /* how many run */
	size_t usable; /* more slots, as the load allows it */
	enum load_wait_kind kind;
	const char *first; /* of WAIT_LOAD */
	size_t first_slots, least_slots;
	const char *last; /* of those that need least_slots */
} rows[] = {
	/* something fits: not the load, but the end of a test is waited for */
	{"a; b; c", 4, 1, 1, WAIT_NOT_FOR_LOAD, NULL, 0, 0, NULL},
	{"a; b; c", 4, 1, 0, WAIT_LOAD, "b", 1, 1, "c"},
	{"a; wide slots=3; b slots=2; c slots=2", 4, 1, 1, WAIT_LOAD, "wide", 3, 2, "c"},
	{"a; wide slots=3; b slots=2; c", 4, 1, 0, WAIT_LOAD, "wide", 3, 1, "c"},
	/* all slots are in use, or nothing is left */
	{"a; b; c", 1, 1, 0, WAIT_NOT_FOR_LOAD, NULL, 0, 0, NULL},
	{"a", 4, 1, 0, WAIT_NOT_FOR_LOAD, NULL, 0, 0, NULL},
	/* who waits for another does not wait for the load */
	{"a; b after=a", 4, 1, 0, WAIT_NOT_FOR_LOAD, NULL, 0, 0, NULL},
	{"a; b after=a; c slots=2", 4, 1, 1, WAIT_LOAD, "c", 2, 2, "c"},
	{"s serial; a", 4, 1, 0, WAIT_SERIAL_RUNS, NULL, 0, 0, NULL},
	{"a; s serial; t serial", 4, 1, 0, WAIT_ONLY_SERIAL, NULL, 0, 0, NULL},
	{"a; s serial; b", 4, 1, 0, WAIT_LOAD, "b", 1, 1, "b"},
};

static void
check(size_t i, const struct load_wait *w, const struct world *world,
	const struct scheduler *s)
{
	if (w->kind != rows[i].kind)
		fail_msg("row %zu: %d", i, (int)w->kind);
	if (w->kind != WAIT_LOAD)
		return;
	assert_true(str_is(world->plan->nodes[w->first].test->name, rows[i].first));
	assert_int_equal(w->first_slots, rows[i].first_slots);
	assert_int_equal(w->least_slots, rows[i].least_slots);
	assert_true(str_is(
		world->plan->nodes[scheduler_last_of(s, w->least_slots)].test->name,
		rows[i].last));
}

static void
reasons(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena *a = arena_open();
		struct world w = world_of(a, rows[i].suite, rows[i].parallel, "");
		struct scheduler_options o = {.parallel = rows[i].parallel};
		struct scheduler *s = scheduler_new(a, w.plan, &o);
		struct load_wait found;

		for (size_t k = 0; k < rows[i].started; k++)
			assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_START);
		found = scheduler_look(s, rows[i].usable);
		check(i, &found, &w, s);
		scheduler_stop(s);
		assert_int_equal(scheduler_look(s, 0).kind, WAIT_NOT_FOR_LOAD);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reasons)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("load_wait", tests, NULL, NULL);
}
