/*
 * Which tests run, under which numbers, and what their fixtures add: ctest(1), -R -E -L
 * -LE -I -U -FA -FS -FC --rerun-failed; cmake-properties(7), FIXTURES_REQUIRED.
 */
#ifndef CCTR_RUNNER_MODEL_SELECT_H
#define CCTR_RUNNER_MODEL_SELECT_H

#include "runner/model/filter.h"
#include "runner/model/model.h"

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

static inline const struct test *
selected_test(const struct selection *s, size_t i)
{
	return &s->suite->tests[s->v[i].test];
}

/* Of the tests in the order of selection.v. */
struct str *selection_names(struct arena *a, const struct selection *s);

struct selection select_tests(
	struct arena *a, const struct suite *s, const struct filter *f);

#endif
