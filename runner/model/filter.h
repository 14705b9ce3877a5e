/*
 * Whether one test passes a struct filter, without regard to other tests: ctest(1),
 * options -R, -E, -L, -LE and -I.
 */
#ifndef CCTR_RUNNER_MODEL_FILTER_H
#define CCTR_RUNNER_MODEL_FILTER_H

#include "runner/model/model.h"

/*
 * -I Start,End,Stride,n,n... The numbers are start + i * stride, cut to integers, up to
 * end. -1 is "not given" (1; the number of candidates; 1); a stride of 0 or less gives no
 * numbers. When neither the range nor extra gives a number, numbers do not filter.
 */
enum { RANGE_DEFAULT = -1 };
struct number_range {
	bool is_given;
	int start, end;
	double stride;
	int *extra;
	size_t extra_n;
};

struct filter {
	const struct pattern *include_name, *exclude_name; /* NULL: not given */
	struct pattern_list include_labels, exclude_labels;
	/* Setups and cleanups of fixtures that match are not added: -FS or -FA, -FC or
	 * -FA */
	const struct pattern *exclude_fixture_setup, *exclude_fixture_cleanup;
	struct number_range range;
	bool use_union;
	/* --tests-from-file, --exclude-from-file: exact names, after all other
	 * filters. */
	bool has_only_names;
	struct str_list only_names, without_names;
	/* Exact names, of which each must be selected otherwise, too; none: all. */
	struct str_list tests;
	/* By test_id: the tests that may be selected; NULL: all. */
	const bool *accepted;
	/* CTEST_CUSTOM_TESTS_IGNORE: exact names, dropped while loading. */
	struct str_list ignore_names;
	/* --rerun-failed: numbers of an earlier run; empty selects everything. */
	bool only_numbers;
	unsigned *numbers;
	size_t numbers_n;
	/* Tests that selected ones depend on are selected, too, unless -E, -LE or
	 * --exclude-from-file leave them out. */
	bool with_depends;
};

/* A pattern that does not compile matches nothing. */
bool filter_meets(const struct pattern *p, struct str s);
/* Checks names and labels. */
bool filter_passes(const struct filter *f, const struct test *t);
/* Whether -E or -LE leave it out. */
bool filter_leaves_out(const struct filter *f, const struct test *t);

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
