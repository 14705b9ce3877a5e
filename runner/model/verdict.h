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
	VERDICT_BAD_COMMAND, /* could not be started: ctest's BAD_COMMAND */
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
	REASON_SKIP_FOUND, /* SKIP_REGULAR_EXPRESSION matched; a test that is skipped
			    * for any other reason is so by SKIP_RETURN_CODE */
	REASONS
};

struct verdict {
	enum verdict_kind kind;
	enum reason_kind reason;
	struct str
		pattern; /* the one that matched; with REQUIRED_NOT_FOUND see the test */
	int lost_output; /* of the outcome: the test has failed, whatever it did */
	/* A test that made nothing has failed, unless it did not run or was skipped. */
	bool made_nothing;
};

/* Of the test's expressions, at the begin of its output. NULL: it has none. */
struct match_search *verdict_search_open(struct arena *a, const struct properties *p);
struct verdict verdict_judge(const struct test *t, const struct outcome *o);
/* Counted as passed in the totals: passed or skipped. */
bool verdict_is_pass(enum verdict_kind k);
/* In neither total. */
bool verdict_is_uncounted(enum verdict_kind k);
/* What the failure list says, such as "SEGFAULT"; NULL for VERDICT_OTHER_FAULT, whose
 * word is that of its signal. */
const char *verdict_name(enum verdict_kind k);

#endif
