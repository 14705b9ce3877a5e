/* job_nice: dates and factors, and the values that jobs get. */
#include "runner/cluster/job_nice.h"
#include "tests/unit/unit.h"

static void
origins_are_dates(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} rows[] = {{"1970-01-01 00:00", 0}, {"2023-01-01 00:00", 1672531200},
		{"2024-02-29 12:30", 1709209800}, {"1970-01-01 02:00 +02:00", 0},
		{"1970-01-01 02:00+02:00", 0}, {"1970-01-01 00:00 -01:30", 5400}};
	static const char *const wrong[] = {"", "2023-01-01", "2023-1-1 00:00",
		"2023-02-29 00:00", "2023-13-01 00:00", "2023-01-01 24:00",
		"2023-01-01T00:00", "2023-01-01 00:00 UTC", "2023-01-01 00:00 +2",
		"2023-01-01 00:00 +02:00x", "2023-01-01 00:00 +15:00", "1969-12-31 00:00",
		"-023-01-01 00:00"};
	int64_t seconds;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(job_nice_origin(str_of(rows[i].text), &seconds));
		assert_int_equal(seconds, rows[i].seconds);
	}
	for (size_t i = 0; i < ROWS(wrong); i++)
		if (job_nice_origin(str_of(wrong[i]), &seconds))
			fail_msg("'%s' is a date", wrong[i]);
}

static void
factors_are_above_zero(void **state)
{
	static const char *const wrong[] = {
		"", "0", "0.0", "-1", "inf", "nan", "x", "1e9"};
	double factor;

	(void)state;
	assert_true(job_nice_factor(STR("0.25"), &factor));
	assert_true(factor == 0.25);
	for (size_t i = 0; i < ROWS(wrong); i++)
		if (job_nice_factor(str_of(wrong[i]), &factor))
			fail_msg("'%s' is a factor", wrong[i]);
}

static void
values_are_dates(void **state)
{
	static const struct {
		const char *origin, *factor;
		double end_s, pressure_s;
		uint64_t nice;
	} rows[] = {
		{"", "", 1672531200 + 500, 200, 300},
		{"1970-01-01 00:00", "", 500, 200, 300},
		{"1970-01-01 00:00", "0.5", 500, 200, 150},
		/* more pressure, an earlier end: sooner */
		{"1970-01-01 00:00", "", 500, 499.5, 1},
		{"", "", 500, 200, 1},
		{"1970-01-01 00:00", "1000", 4e9, 0, 2147483645},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_int_equal(job_nice(str_of(rows[i].origin), str_of(rows[i].factor),
					 rows[i].end_s, rows[i].pressure_s),
			rows[i].nice);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(origins_are_dates),
		cmocka_unit_test(factors_are_above_zero),
		cmocka_unit_test(values_are_dates),
	};

	return run_unit_tests("job_nice", tests, NULL, NULL);
}
