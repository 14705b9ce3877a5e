/*
 * How a selected test becomes a launch, or why it is not started. The core knows neither
 * where ctest looks for executables nor how it spells a test's environment: an
 * implementation of struct preparer does.
 */
#ifndef CCTR_RUNNER_RUN_PREPARER_H
#define CCTR_RUNNER_RUN_PREPARER_H

#include "runner/model/outcome.h"
#include "runner/process/launch.h"
#include "runner/resources/pool.h"
#include "runner/schedule/plan.h"

/* A test that is not started, with the texts that are shown for it. */
struct refusal {
	enum refusal_kind kind;
	/* Refused after EVENT_LAUNCH, because the executable is looked for first. */
	bool after_launch;
	struct str out; /* to standard output before the result line */
	struct str err; /* to standard error before the result line */
	struct str log; /* into the log before the entry, and as the test's output */
};

struct preparation {
	node_id node;
	const struct selected *selected;
	const struct test *test;
	const struct grant *grant; /* NULL: holds no resources */
	bool fits_nowhere; /* the whole pool, or its partition, is too small */
	uint32_t part;
	struct str partition; /* its name; STR_NONE: there are none */
	/* So many processors to itself; 0: it is not pinned. */
	size_t pinned;
	/* They; n is 0: the engine chooses them. */
	struct processors processors;
	struct str_list failed_setups; /* names of fixture setups that failed */
	struct str_list
		skipped_setups; /* of those that lacked resources and were skipped */
};

struct preparer {
	/* false: prepare() would have to wait for an answer. The loop tells when this is
	 * to be called again. NULL: it never waits. */
	bool (*is_ready)(const struct preparer *p, const struct preparation *what);
	/* false: the test is not started; *r gives the reason. Always fills l->path and
	 * l->argv when they are known. */
	bool (*prepare)(const struct preparer *p, struct arena *attempt,
		const struct preparation *what, struct launch *l, struct refusal *r);
	/* The system refused to start the test (error is an errno): fills *r. */
	void (*not_started)(const struct preparer *p, struct arena *attempt,
		const struct launch *l, int error, struct refusal *r);
	/* The test cannot use PMIx on its node, which why names: fills *r. */
	void (*no_pmix)(const struct preparer *p, struct arena *attempt,
		const struct test *t, struct str why, struct refusal *r);
};

#endif
