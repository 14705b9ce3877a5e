/*
 * What the attempts in a history say of their tests: a pure function of them.
 *
 * A run of a test has the result of its last attempt there. Attempts that did not run, or
 * were canceled, do not count.
 */
#ifndef CCTR_RUNNER_HISTORY_PAST_H
#define CCTR_RUNNER_HISTORY_PAST_H

#include "runner/history/history.h"

/* Passed runs of a test have become slower. */
struct past_slowdown {
	bool is_there;
	double chance; /* that this is only chance, as rank_sum_change says */
	size_t runs; /* how many are slower: all the latest */
	double before, now; /* medians: seconds; of a run, times the usual time */
	int64_t began_us; /* of the first that is slower */
	struct str commit; /* ""; unknown */
};
struct past_test {
	size_t attempts;
	size_t runs, passed, failed, skipped;
	size_t flaky; /* runs in which it failed and passed */
	size_t turns; /* changes of the result from one run to the next, of one commit */
	double expected_s; /* robust_next of the passed, else of the failed; 0: none */
	const struct history_record *latest; /* NULL: it has never run */
	size_t failing; /* how many of the latest runs have failed, without a passed one
			 */
	const struct history_record *failing_since; /* NULL: the latest did not fail */
	struct past_slowdown slow;
};
struct past {
	struct past_test *tests;
	size_t n;
	size_t runs; /* of the history, with a test of these */
	const struct history_run *first, *last; /* of them; NULL: there is none */
	/* The whole run, where it has at least 10 of the tests. */
	struct past_slowdown slow;
};

struct past past_of(struct arena *a, const struct history_content *content, size_t n);
/* The run of that id; NULL: the history does not have it. */
const struct history_run *past_run(const struct history_content *content, int64_t id);
/* It has failed and passed in one run; or its result has changed twice or more between
 * runs of one commit, where one change may be of files that are not committed. */
bool past_is_flaky(const struct past_test *t);

#endif
