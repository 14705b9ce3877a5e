/*
 * What an outcome means. The one place where WILL_FAIL, skip codes and the regex
 * properties meet; pure.
 */
#ifndef CCTR_RUNNER_MODEL_VERDICT_H
#define CCTR_RUNNER_MODEL_VERDICT_H

#include "runner/model/model.h"
#include "runner/model/outcome.h"

enum verdict_kind {
	VERDICT_PASSED,
	VERDICT_FAILED,
	VERDICT_TIMEOUT,
	VERDICT_SKIPPED,
	VERDICT_DISABLED,
	VERDICT_NOT_RUN,
	VERDICT_BAD_COMMAND, /* could not be started */
	VERDICT_SEGFAULT,
	VERDICT_ILLEGAL,
	VERDICT_INTERRUPT,
	VERDICT_NUMERICAL,
	VERDICT_OTHER_FAULT, /* another signal; see outcome.signal */
	VERDICTS
};

enum reason_kind {
	REASON_NONE,
	REASON_REQUIRED_FOUND, /* PASS_REGULAR_EXPRESSION matched */
	REASON_REQUIRED_NOT_FOUND, /* none of them did */
	REASON_ERROR_FOUND, /* FAIL_REGULAR_EXPRESSION matched */
	/* SKIP_REGULAR_EXPRESSION matched; any other skipped test is skipped by
	 * SKIP_RETURN_CODE */
	REASON_SKIP_FOUND,
	REASONS
};

struct verdict {
	enum verdict_kind kind;
	enum reason_kind reason;
	struct str
		/* the pattern that matched; with REQUIRED_NOT_FOUND see the test */
		pattern;
	int lost_output; /* from the outcome: the test has failed, whatever it did */
	/* A test that should make the pool and made none has failed, unless it did not
	 * run or was skipped. */
	bool made_nothing;
	bool is_canceled; /* from the outcome: the test has failed, whatever it did */
};

/* Searches for the test's expressions, from the beginning of its output. NULL: it has
 * none. */
struct match_search *verdict_search_open(struct arena *a, const struct properties *p);
struct verdict verdict_judge(const struct test *t, const struct outcome *o);
/* Whether the totals count it as passed: passed or skipped. */
bool verdict_is_pass(enum verdict_kind k);
/* Whether neither total counts it. */
bool verdict_is_uncounted(enum verdict_kind k);
/* In the formats of cctr's own. */
const char *verdict_word(enum verdict_kind k);

#endif
