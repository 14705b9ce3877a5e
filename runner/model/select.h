/*
 * Which tests run, under which numbers, and what their fixtures add: ctest(1), -R -E -L
 * -LE -I -U -FA -FS -FC --rerun-failed; cmake-properties(7), FIXTURES_REQUIRED.
 */
#ifndef CCTR_RUNNER_MODEL_SELECT_H
#define CCTR_RUNNER_MODEL_SELECT_H

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
	/* CTEST_CUSTOM_TESTS_IGNORE: exact names, dropped while loading. */
	struct str_list ignore_names;
	/* --rerun-failed: numbers of an earlier run; empty selects everything. */
	bool only_numbers;
	unsigned *numbers;
	size_t numbers_n;
};

struct selected {
	test_id test;
	unsigned number; /* 1-based position among the loaded tests */
	uint32_t *depends; /* indices into selection.v, ascending, no duplicates */
	size_t depends_n;
	/* Fixture setups that must not have failed: indices, found by name. A setup that
	 * was not selected is not among them. */
	uint32_t *must_pass;
	size_t must_pass_n;
	struct str_list
		/* DEPENDS and the names that fixtures added, as json-v1 shows */
		depends_names;
};

/* A test that was selected because another one requires a fixture. */
struct addition {
	bool is_cleanup; /* else it sets the fixture up */
	struct str test, fixture;
};

struct selection {
	const struct suite *suite;
	struct selected *v; /* ascending by number, including those that fixtures added */
	size_t n;
	size_t loaded; /* all tests that got a number */
	unsigned largest_number;
	size_t longest_name; /* bytes */
	VEC(struct addition) additions; /* in the order in which they were found */
};

struct selection select_tests(
	struct arena *a, const struct suite *s, const struct filter *f);

#endif
