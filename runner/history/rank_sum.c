/* See rank_sum.h. */
#include "runner/history/rank_sum.h"

#include "runner/base/numbers.h"

enum { LATER_LEAST = 3, LATER_MOST = 10, EARLIER_LEAST = 5, EARLIER_MOST = 60 };

struct rank_sum {
	struct arena *arena;
	/* By the numbers of values: how many orders have so many larger pairs. */
	double *orders[LATER_MOST + 1][EARLIER_MOST + 1];
};

struct rank_sum *
rank_sum_new(struct arena *a)
{
	struct rank_sum *r = NEW(a, struct rank_sum);

	r->arena = a;
	return r;
}

/* Mann and Whitney's recurrence: the largest value is a later one, which is larger than
 * all earlier ones, or it is an earlier one. */
static const double *
orders_of(struct rank_sum *r, size_t later, size_t earlier)
{
	double *v = r->orders[later][earlier];

	if (v)
		return v;
	v = NEW_ARRAY(r->arena, double, later *earlier + 1);
	r->orders[later][earlier] = v;
	if (!later || !earlier) {
		v[0] = 1;
		return v;
	}
	for (size_t i = 0; i <= (later - 1) * earlier; i++)
		v[i + earlier] += orders_of(r, later - 1, earlier)[i];
	for (size_t i = 0; i <= later * (earlier - 1); i++)
		v[i] += orders_of(r, later, earlier - 1)[i];
	return v;
}

static double
chance_of(struct rank_sum *r, size_t larger, size_t later, size_t earlier)
{
	const double *orders = orders_of(r, later, earlier);
	double all = 0, as_many = 0;

	for (size_t i = 0; i <= later * earlier; i++) {
		all += orders[i];
		as_many += i >= larger ? orders[i] : 0;
	}
	return as_many / all;
}

static double
chance_of_larger(struct rank_sum *r, const double *later, size_t later_n,
	const double *earlier, size_t earlier_n)
{
	size_t larger = 0;

	for (size_t i = 0; i < later_n; i++)
		for (size_t k = 0; k < earlier_n; k++)
			larger += later[i] > earlier[k];
	return chance_of(r, larger, later_n, earlier_n);
}

struct rank_change
rank_sum_change(struct rank_sum *r, const double *latest_first, size_t n)
{
	struct rank_change best = {.chance = 2};
	size_t looked_at = 0;

	INVARIANT(r && (latest_first || !n));
	for (size_t later = LATER_LEAST; later <= LATER_MOST; later++) {
		size_t earlier = n > later ? n - later : 0;
		double chance;

		if (earlier < EARLIER_LEAST)
			break;
		if (earlier > EARLIER_MOST)
			earlier = EARLIER_MOST;
		chance = chance_of_larger(
			r, latest_first, later, latest_first + later, earlier);
		looked_at++;
		if (chance < best.chance)
			best = (struct rank_change){chance, later};
	}
	best.chance *= (double)looked_at;
	if (best.chance > 1 || !looked_at)
		best.chance = 1;
	return best;
}

double
rank_sum_limit(struct arena *a, const double *chances, size_t n, double share)
{
	double *sorted = NEW_ARRAY(a, double, n), limit = -1;

	for (size_t i = 0; i < n; i++)
		sorted[i] = chances[i];
	numbers_sort(sorted, n);
	for (size_t i = 0; i < n; i++)
		if (sorted[i] <= share * (double)(i + 1) / (double)n)
			limit = sorted[i];
	return limit;
}
