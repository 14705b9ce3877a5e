/* Silence counts as far as this side listened. */
#include "runner/remote/silence.h"
#include "tests/unit/unit.h"

#define LONGEST 4000u

/* Looks after each of these times; whether the last one says that it was too long. */
static bool
look_after(struct silence *s, const uint64_t *passed_ns, size_t n)
{
	uint64_t now_ns = 1;
	bool is_over = silence_exceeds(s, now_ns, LONGEST);

	for (size_t i = 0; i < n; i++) {
		assert_false(is_over);
		now_ns += passed_ns[i];
		is_over = silence_exceeds(s, now_ns, LONGEST);
	}
	return is_over;
}

static void
silence_lasts(void **state)
{
	static const struct {
		uint64_t passed_ns[5];
		size_t n;
		bool is_over;
	} rows[] = {
		{{1000, 1000, 1000, 1000}, 4, true},
		{{1000, 1000, 1000, 990}, 4, false},
		{{500, 500, 1000, 1000, 1000}, 5, true},
		/* an hour between two looks: this side was stopped */
		{{3600000}, 1, false},
		{{3600000, 1000, 1000}, 3, false},
		{{3600000, 1000, 1000, 1000}, 4, true},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct silence s = {0};

		assert_int_equal(
			look_after(&s, rows[i].passed_ns, rows[i].n), rows[i].is_over);
	}
}

static void
what_is_heard_ends_it(void **state)
{
	struct silence s = {0};

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		if (i % 4 == 0)
			silence_break(&s);
		assert_false(silence_exceeds(&s, 1 + i * 999, LONGEST));
	}
}

static void
no_limit(void **state)
{
	struct silence s = {0};

	(void)state;
	for (uint64_t now_ns = 1; now_ns < UINT64_MAX / 2; now_ns *= 3)
		assert_false(silence_exceeds(&s, now_ns, UINT64_MAX));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_lasts),
		cmocka_unit_test(what_is_heard_ends_it),
		cmocka_unit_test(no_limit),
	};

	return run_unit_tests("silence", tests, NULL, NULL);
}
