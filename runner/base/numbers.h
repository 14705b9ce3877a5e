/* Numbers by size. */
#ifndef CCTR_RUNNER_BASE_NUMBERS_H
#define CCTR_RUNNER_BASE_NUMBERS_H

#include <stddef.h>

/* The smallest first. */
void numbers_sort(double *v, size_t n);
/* Sorts the numbers. 0 of none. */
double numbers_median(double *v, size_t n);

#endif
