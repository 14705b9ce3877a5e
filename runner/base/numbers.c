/* See numbers.h. */
#include "runner/base/numbers.h"

#include "runner/base/sort.h"

SORT_BY(sort_doubles, double, ITSELF)

void
numbers_sort(double *v, size_t n)
{
	sort_doubles(v, n);
}

double
numbers_median(double *v, size_t n)
{
	numbers_sort(v, n);
	if (!n)
		return 0;
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
