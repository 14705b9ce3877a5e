/*
 * What every unit test needs: cmocka with the headers that must precede it, the length of
 * an array, a way to leave a test out, the call that runs the tests, and a fixture that
 * is an arena.
 */
#ifndef CCTR_TESTS_UNIT_UNIT_H
#define CCTR_TESTS_UNIT_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/base/base.h"

/* Elements of an array. */
#define ROWS(array) (sizeof(array) / sizeof *(array))

/* Leaves a test out. cmocka's skip() says "not ok" in TAP, which prove counts as a
 * failure. */
#define SKIP_TEST(reason)                                                                \
	do {                                                                             \
		print_message("# skipped: %s\n", reason);                                \
		return;                                                                  \
	} while (0)

/* Runs an array of tests as one group; the result is what main() returns. */
#define run_unit_tests(name, tests, setup, teardown)                                     \
	(cmocka_set_message_output(CM_OUTPUT_TAP),                                       \
		cmocka_run_group_tests_name((name), (tests), (setup), (teardown)))

/* Setup and teardown of tests whose *state is an arena. */
static inline int
open_arena(void **state)
{
	*state = arena_open();
	return 0;
}

static inline int
close_arena(void **state)
{
	arena_close(*state);
	return 0;
}

#endif
