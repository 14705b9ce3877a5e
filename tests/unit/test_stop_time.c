/* --stop-time: what is a time of day, and which day it is of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "compat/stop_time.h"

enum { NOON = 1795262400, HOUR = 3600 }; /* 2026-11-21 12:00 UTC */

static void
test_times(void **state)
{
	static const struct {
		const char *zone, *text;
		int after_s; /* noon; -1: no time of day */
	} rows[] = {
		{"UTC0", "12:00", 0},
		{"UTC0", "14:30", 2 * HOUR + 1800},
		{"UTC0", "14:30:15", 2 * HOUR + 1815},
		{"UTC0", " 14:3 ", 2 * HOUR + 180},
		{"UTC0", "11:59:59", 24 * HOUR - 1},
		{"UTC0", "0:0:0", 12 * HOUR},
		{"UTC0", "23:59:60", 12 * HOUR},
		{"UTC-2", "14:30", 1800},
		{"UTC+5", "14:30", 7 * HOUR + 1800},
		{"UTC0", "24:00", -1},
		{"UTC0", "14:60", -1},
		{"UTC0", "14:30:61", -1},
		{"UTC0", "14", -1},
		{"UTC0", "14:", -1},
		{"UTC0", "14:30:", -1},
		{"UTC0", "014:30", -1},
		{"UTC0", "14:30 x", -1},
		{"UTC0", "14:30:00.5", -1},
		{"UTC0", "", -1},
		{"UTC0", "noon", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t stop_s = NOON - 1;

		setenv("TZ", rows[i].zone, 1);
		tzset();
		assert_int_equal(stop_time_parse(str_of(rows[i].text), NOON, &stop_s),
			rows[i].after_s >= 0);
		assert_int_equal(stop_s - NOON, rows[i].after_s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_times)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stop_time", tests, NULL, NULL);
}
