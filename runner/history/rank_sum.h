/* Whether later numbers are larger than earlier ones: the test of Mann and Whitney ("On a
 * Test of Whether one of Two Random Variables is Stochastically Larger than the Other",
 * Annals of Mathematical Statistics 18, 1947), whose distribution is exact here. It
 * assumes nothing of how the numbers are distributed, and one that is far off counts as
 * one that is a little off. */
#ifndef CCTR_RUNNER_HISTORY_RANK_SUM_H
#define CCTR_RUNNER_HISTORY_RANK_SUM_H

#include "runner/base/base.h"

/* Remembers distributions, of which few are needed. */
struct rank_sum;

struct rank_sum *rank_sum_new(struct arena *a);
/* A change of level within some values. */
struct rank_change {
	double chance; /* that values without a change look like that */
	size_t later_n; /* how many values are after the change; 0: too few */
};
/* Looks for the change to larger values that is least likely by chance, where at least 3
 * and at most 10 values come after it, and at least 5 before it. A chance is the
 * probability that, if all values come from one distribution, in as many pairs of a later
 * and an earlier value the later one is larger; pairs of equal values do not count, so
 * that it is not underestimated. It is multiplied by the number of changes that were
 * looked at (Bonferroni). */
struct rank_change rank_sum_change(
	struct rank_sum *r, const double *latest_first, size_t n);
/* Which of the n chances are no chance, where of those that it chooses about `share` may
 * be: the procedure of Benjamini and Hochberg ("Controlling the False Discovery Rate",
 * Journal of the Royal Statistical Society B 57, 1995). Returns the largest chance that
 * is chosen; below 0: none is. */
double rank_sum_limit(struct arena *a, const double *chances, size_t n, double share);

#endif
