/* robust: what the next number is expected to be. */
#include "runner/history/robust.h"
#include "tests/unit/unit.h"

static const struct {
	double latest_first[12];
	size_t n;
	double next;
} rows[] = {
	{{0}, 0, 0},
	{{4}, 1, 4},
	/* one that is far off, in any place */
	{{100, 2, 2.1, 2.2}, 4, 2.2},
	{{2, 100, 2.1, 2.2}, 4, 2.1},
	{{2, 2.1, 0.01, 2.2}, 4, 2},
	/* two that are different are not enough, three are */
	{{9, 9, 2, 2, 2, 2, 2, 2, 2}, 9, 2},
	{{9, 9, 9, 2, 2, 2, 2, 2, 2}, 9, 9},
	/* what is too old does not count */
	{{1, 1, 1, 1, 1, 5, 5, 5, 5, 7, 7, 7}, 12, 1},
};

static void
next(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		double got = robust_next(rows[i].latest_first, rows[i].n);

		if (got != rows[i].next)
			fail_msg("row %zu: got %g", i, got);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next),
	};

	return run_unit_tests("robust", tests, NULL, NULL);
}
