/* See numbers.h. */
#include "runner/base/numbers.h"

#include <stdlib.h>

static int
by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

void
numbers_sort(double *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof *v, by_size);
}

double
numbers_median(double *v, size_t n)
{
	numbers_sort(v, n);
	if (!n)
		return 0;
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}
