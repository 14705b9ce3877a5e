/* --stop-time: what is a time of day, and which day it is of. */
#include <stdlib.h>
#include <time.h>

#include "compat/format/stop_time.h"
#include "tests/unit/unit.h"

enum { NOON = 1795262400, HOUR = 3600 }; /* 2026-11-21 12:00 UTC */

static void
run_times(void **state)
{
	static const struct {
		const char *zone, *text;
		int after_s; /* noon; -1: no time of day */
		int new_s; /* the same since 4.4, 0 for the same */
	} rows[] = {
		{"UTC0", "12:00", 0, 0},
		{"UTC0", "14:30", 2 * HOUR + 1800, 0},
		{"UTC0", "14:30:15", 2 * HOUR + 1815, 0},
		{"UTC0", " 14:3 ", 2 * HOUR + 180, 0},
		{"UTC0", "11:59:59", 24 * HOUR - 1, 0},
		{"UTC0", "0:0:0", 12 * HOUR, 0},
		{"UTC0", "23:59:60", 12 * HOUR, -1},
		{"UTC0", "Sat 14:30", 2 * HOUR + 1800, -1},
		{"UTC0", "14:30, monday", 2 * HOUR + 1800, -1},
		{"UTC0", "14:30SUN", 2 * HOUR + 1800, -1},
		{"UTC0", "thursday14:30.", 2 * HOUR + 1800, -1},
		{"UTC0", "--14:30", 2 * HOUR + 1800, -1},
		{"UTC0", "Wed", 12 * HOUR, -1},
		{"UTC0", "%", 12 * HOUR, -1},
		{"UTC0", "", 12 * HOUR, -1},
		{"UTC-2", "", 10 * HOUR, -1},
		{"UTC0", "Mon Tue 14:30", -1, 0},
		{"UTC0", "Mo 14:30", -1, 0},
		{"UTC0", "Thurs 14:30", -1, 0},
		{"UTC0", "14:30 GMT", -1, 0},
		{"UTC0", "14:30 +0100", -1, 0},
		{"UTC0", "14:30 15:30", -1, 0},
		{"UTC0", "2:30 pm", -1, 2 * HOUR + 1800},
		{"UTC0", "2:30:15p.m.", -1, 2 * HOUR + 1815},
		{"UTC0", "11AM", -1, 23 * HOUR},
		{"UTC0", "12 am", -1, 12 * HOUR},
		{"UTC0", "12:30 pm", -1, 1800},
		{"UTC0", "0:30 pm", -1, 1800},
		{"UTC0", "13:30 pm", -1, 0},
		{"UTC0", "2:30 pm am", -1, 0},
		{"UTC-2", "14:30", 1800, 0},
		{"UTC+5", "14:30", 7 * HOUR + 1800, 0},
		{"UTC0", "24:00", -1, 0},
		{"UTC0", "14:60", -1, 0},
		{"UTC0", "14:30:61", -1, 0},
		{"UTC0", "14", -1, 0},
		{"UTC0", "14:", -1, 0},
		{"UTC0", "14:30:", -1, 0},
		{"UTC0", "014:030", -1, 2 * HOUR + 1800},
		{"UTC0", "14:30:00000000000000000009", -1, 2 * HOUR + 1809},
		{"UTC0", "99999999999999999999:30", -1, 0},
		{"UTC0", "14:30 x", -1, 0},
		{"UTC0", "14:30:00.5", -1, 0},
		{"UTC0", "noon", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ROWS(rows); i++) {
		int expected = rows[i / 2].after_s;
		struct dialect dialect = dialect_of(i % 2 ? 4004 : 3025);
		int64_t stop_s = NOON - 1;

		if (i % 2 && rows[i / 2].new_s)
			expected = rows[i / 2].new_s;
		setenv("TZ", rows[i / 2].zone, 1);
		tzset();
		if (stop_time_parse(&dialect, str_of(rows[i / 2].text), NOON, &stop_s) !=
				(expected >= 0) ||
			stop_s - NOON != expected)
			fail_msg("'%s', %u: %d", rows[i / 2].text, dialect.version,
				(int)(stop_s - NOON));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(run_times)};

	return run_unit_tests("stop_time", tests, NULL, NULL);
}
