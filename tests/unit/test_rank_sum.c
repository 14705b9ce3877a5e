/* rank_sum: probabilities against tables and against counting all orders; where a change
 * began; false discoveries. */
#include "runner/history/rank_sum.h"
#include "tests/unit/unit.h"

/* The latest first: three later ones, five earlier ones. There are 56 orders. */
static const struct {
	double v[8];
	double orders;
} rows[] = {
	/* all are larger: one order of all */
	{{9, 8, 7, 1, 2, 3, 4, 5}, 1},
	/* one pair is the other way: two orders have as many or more */
	{{9, 8, 4.5, 1, 2, 3, 4, 5}, 2},
	/* two pairs: in two more orders */
	{{9, 8, 3.5, 1, 2, 3, 4, 5}, 4},
	/* none is larger: every order has as many */
	{{1, 1, 1, 2, 3, 4, 5, 6}, 56},
	/* equal numbers do not count as larger */
	{{2, 2, 2, 2, 2, 2, 2, 2}, 56},
	{{9, 8, 5, 1, 2, 3, 4, 5}, 2},
};

static void
expect_orders(struct rank_sum *r, const double *v, double orders)
{
	struct rank_change got = rank_sum_change(r, v, 8);

	if (got.later_n != 3 || got.chance * 56 > orders + 1e-9 ||
		got.chance * 56 < orders - 1e-9)
		fail_msg("%g %g %g: got %g, not %g / 56", v[0], v[1], v[2], got.chance,
			orders);
}

static void
probabilities(void **state)
{
	struct rank_sum *r = rank_sum_new(*state);

	for (size_t i = 0; i < ROWS(rows); i++)
		expect_orders(r, rows[i].v, rows[i].orders);
}

/* Ranks 0 to 7: those of the set are later ones. Returns how many pairs are larger. */
static size_t
split_ranks(unsigned set, double *v)
{
	size_t later = 0, earlier = 0, larger = 0;

	for (unsigned rank = 0; rank < 8; rank++)
		if (set >> rank & 1) {
			larger += earlier;
			v[later++] = rank;
		} else {
			v[3 + earlier++] = rank;
		}
	return larger;
}

static bool
has_three(unsigned set)
{
	size_t n = 0;

	for (; set; set &= set - 1)
		n++;
	return n == 3;
}

/* Every order, and how many have as many larger pairs. */
static void
as_counted(void **state)
{
	struct rank_sum *r = rank_sum_new(*state);
	double as_many[16] = {0}, v[8];

	for (unsigned set = 0; set < 256; set++)
		for (size_t i = has_three(set) ? split_ranks(set, v) + 1 : 0; i-- > 0;)
			as_many[i]++;
	assert_true(as_many[0] == 56);
	for (unsigned set = 0; set < 256; set++)
		if (has_three(set)) {
			size_t larger = split_ranks(set, v);

			expect_orders(r, v, as_many[larger]);
		}
}

static void
changes(void **state)
{
	struct rank_sum *r = rank_sum_new(*state);
	double v[30];
	struct rank_change c;

	for (size_t i = 0; i < 30; i++)
		v[i] = (i < 6 ? 20 : 10) + (double)(i * 7 % 5) / 10;
	c = rank_sum_change(r, v, 30);
	assert_int_equal(c.later_n, 6);
	assert_true(c.chance < 1e-4);
	/* the same values, but the latest are the smaller ones */
	for (size_t i = 0; i < 6; i++)
		v[i] -= 15;
	assert_true(rank_sum_change(r, v, 30).chance > 0.9);
	/* one that is far off is no change */
	for (size_t i = 0; i < 30; i++)
		v[i] = (i ? 10 : 1000) + (double)(i * 7 % 5) / 10;
	assert_true(rank_sum_change(r, v, 30).chance > 0.05);
	/* 3 and 5 are enough, 2 and 5 are not */
	for (size_t i = 0; i < 8; i++)
		v[i] = i < 3 ? 2 + (double)i : 1 + (double)i / 100;
	assert_true(rank_sum_change(r, v, 8).chance * 56 < 1.001);
	assert_true(rank_sum_change(r, v, 7).chance >= 1);
	assert_true(rank_sum_change(r, v, 0).chance >= 1);
}

/* The example of the procedure's own paper, in its section 4. */
static void
discoveries(void **state)
{
	static const double chances[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278,
		0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

	assert_true(rank_sum_limit(*state, chances, ROWS(chances), 0.05) == 0.0095);
	assert_true(rank_sum_limit(*state, chances + 9, 6, 0.05) < 0);
	assert_true(rank_sum_limit(*state, chances, 0, 0.05) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(probabilities, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(as_counted, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(changes, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(discoveries, open_arena, close_arena),
	};

	return run_unit_tests("rank_sum", tests, NULL, NULL);
}
