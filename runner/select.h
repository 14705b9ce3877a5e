/*
 * Which tests run, under which numbers, and what their fixtures add: ctest(1), -R -E -L
 * -LE -I -U -FA -FS -FC --rerun-failed; cmake-properties(7), FIXTURES_REQUIRED.
 */
#ifndef CCTR_RUNNER_SELECT_H
#define CCTR_RUNNER_SELECT_H

#include "runner/model.h"

/* -I Start,End,Stride,n,n...: 0 or negative means "not given", as in ctest. */
struct number_range {
	bool is_given;
	int start, end;
	float stride;
	int *extra;
	size_t extra_n;
};

struct filter {
	const struct pattern *include_name, *exclude_name; /* NULL: not given */
	struct pattern_list include_labels, exclude_labels;
	const struct pattern *exclude_fixture, *exclude_fixture_setup,
		*exclude_fixture_cleanup; /* -FA, -FS, -FC */
	struct number_range range;
	bool use_union;
	/* CTEST_CUSTOM_TESTS_IGNORE: exact names, dropped while loading. */
	struct str_list ignore_names;
	/* --rerun-failed: numbers of an earlier run; empty selects everything. */
	bool only_numbers;
	unsigned *numbers;
	size_t numbers_n;
};

/* A fixture's test was added, or a test was ignored: said under -V. */
struct selection_note {
	struct str text;
};

struct selected {
	test_id test;
	unsigned number;        /* 1-based position among the loaded tests */
	uint32_t *depends;      /* indices into selection.v, ascending by number */
	size_t depends_n;
	uint32_t *must_pass;    /* fixture setups (subset of depends): indices, by number */
	size_t must_pass_n;
	struct str_list depends_names; /* DEPENDS with what fixtures added, as json-v1 shows */
};

struct selection {
	const struct suite *suite;
	struct selected *v;
	size_t n;         /* tests of the filters first, then those fixtures added */
	size_t loaded;    /* all tests that got a number */
	size_t added;     /* by fixtures */
	unsigned largest_number;
	size_t longest_name; /* bytes */
	VEC(struct selection_note) notes; /* in the order in which ctest says them */
};

struct selection select_tests(
	struct arena *a, const struct suite *s, const struct filter *f);

#endif
