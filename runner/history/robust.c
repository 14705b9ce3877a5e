/* See robust.h. */
#include "runner/history/robust.h"

#include "runner/base/sort.h"

struct weighted {
	double value, weight;
};

SORT_BY(sort_weighted, struct weighted, ASCENDING(value))

double
robust_next(const double *latest_first, size_t n)
{
	struct weighted v[ROBUST_MOST];
	double weight = 1, sum = 0, half = 0;
	size_t i;

	INVARIANT(latest_first || !n);
	if (n > ROBUST_MOST)
		n = ROBUST_MOST;
	for (i = 0; i < n; i++, weight *= 0.8) {
		v[i] = (struct weighted){latest_first[i], weight};
		sum += weight;
	}
	if (!n)
		return 0;
	sort_weighted(v, n);
	for (i = 0; i + 1 < n && (half += v[i].weight) < sum / 2;)
		i++;
	return v[i].value;
}
