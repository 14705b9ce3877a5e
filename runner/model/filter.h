/*
 * Whether one test passes a struct filter, without regard to other tests: ctest(1),
 * options -R, -E, -L, -LE and -I.
 */
#ifndef CCTR_RUNNER_MODEL_FILTER_H
#define CCTR_RUNNER_MODEL_FILTER_H

#include "runner/model/select.h"

/* A pattern that does not compile matches nothing. */
bool filter_meets(const struct pattern *p, struct str s);
/* Checks names and labels. */
bool filter_passes(const struct filter *f, const struct test *t);

/* A range with its defaults, for n candidates. */
struct filter_numbers {
	double start, end, stride;
	bool *extra; /* by number, up to n: whether it is given */
	bool has_any;
};
struct filter_numbers filter_numbers(
	struct arena *a, const struct number_range *r, size_t n);
bool filter_has_number(const struct filter_numbers *v, size_t number);

#endif
