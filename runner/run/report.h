/*
 * A report is a listener of the run's events: it cannot change what runs.
 */
#ifndef CCTR_RUNNER_RUN_REPORT_H
#define CCTR_RUNNER_RUN_REPORT_H

#include "runner/model/verdict.h"
#include "runner/run/preparer.h"

enum repeat_mode {
	REPEAT_NEVER,
	REPEAT_UNTIL_FAIL,
	REPEAT_UNTIL_PASS,
	REPEAT_AFTER_TIMEOUT
};
struct repeat {
	enum repeat_mode mode;
	unsigned count;
};

/* One execution of a test. */
struct attempt {
	node_id node;
	const struct selected *selected;
	const struct test *test;
	unsigned number; /* of the test */
	unsigned run; /* 1 for the first attempt */
	unsigned runs_left; /* attempts that may follow, including this one */
	unsigned failures; /* earlier attempts that failed, unless they were canceled */
	struct str partition; /* STR_NONE: there are none */
};

/* Whether the test passed after an attempt that failed, and what that means. */
enum flakiness {
	FLAKY_NOT,
	FLAKY_PASSES, /* it counts as passed */
	FLAKY_FAILS, /* it counts as passed, but the run fails */
};

/* The last attempt of a test, kept until the end. */
struct result {
	node_id node;
	const struct selected *selected;
	const struct test *test;
	unsigned number;
	struct outcome outcome; /* without its output */
	struct verdict verdict;
	enum flakiness flaky;
	unsigned run, failures; /* as of struct attempt */
};
struct tally {
	VEC(struct result) results; /* in the order in which they ended */
	size_t passed, failed; /* skipped counts as passed, disabled as neither */
	size_t flaky; /* of those that passed */
	int64_t started_s, ended_s; /* wall clock */
	uint64_t duration_ns;
};

struct loop;
struct partitions;

enum event_kind {
	EVENT_BEGIN, /* loop: the run starts */
	EVENT_START, /* attempt: before anything about it is checked */
	EVENT_LAUNCH, /* attempt, launch, refusal: the executable was looked for. It is
		       * about to be started, unless refusal->kind says that END follows
		       * at once */
	EVENT_OUTPUT, /* attempt, text: one line of output */
	EVENT_DETAILS, /* attempt, text: a line with details, instead of OUTPUT */
	EVENT_LABEL, /* attempt, text: a line with a label, instead of OUTPUT */
	/* attempt, node, text: the node was lost, for that reason; the attempt starts
	 * again elsewhere, and what it wrote so far does not count */
	EVENT_AGAIN,
	EVENT_WARNING, /* text: of the engine */
	EVENT_NOTICE, /* text: of the engine, no fault */
	EVENT_PARTITIONS, /* names: of the partitions that are active now */
	EVENT_PUT_BACK, /* names: tests that start again, since their partitions stop */
	EVENT_TIMEOUT, /* attempt, seconds: TIMEOUT_AFTER_MATCH took effect */
	/* attempt, pid, text: that process of the test, with that name, is still there at
	 * the end of the run */
	EVENT_LEAK,
	EVENT_SLOW, /* attempt, seconds: it has run for so long, and goes on */
	/* attempt, launch, refusal, outcome, verdict, done, is_last, flaky */
	EVENT_END,
	/* attempt, outcome without output, verdict, flaky, done: somebody asked for
	 * another attempt, so that this one, whose END said is_last, is not the last */
	EVENT_WITHDRAW,
	/* nothing more happens until a test or the clock wakes cctr: text that was held
	 * back should be shown */
	EVENT_IDLE,
	/* signal: it ends the run. The tests that run are ended, and have no END */
	EVENT_INTERRUPT,
	EVENT_FINISH, /* tally */
	EVENTS
};
struct event {
	enum event_kind kind;
	const struct attempt *attempt;
	const struct launch *launch; /* of END: path and argv when they were found */
	const struct refusal *refusal; /* kind REFUSED_NOT when it was started */
	const struct outcome *outcome; /* with the output, until the call returns */
	const struct verdict *verdict;
	struct str text, node;
	struct str_list names;
	bool is_mapped; /* of OUTPUT: the text is mapped, see struct long_text */
	double seconds;
	bool is_settled; /* of IDLE: nothing more can start at the moment */
	bool is_last; /* no attempt of this test follows */
	enum flakiness flaky;
	/* of END: the number of tests that have ended, including this one if is_last */
	size_t done;
	const struct tally *tally;
	const struct partitions *partitions; /* of FINISH; NULL: there are none */
	int signal, pid;
	struct loop *loop; /* of the run, until FINISH, or until it is stopped */
};

/* Of END: the test was not started. */
static inline bool
event_was_refused(const struct event *e)
{
	return e->refusal && e->refusal->kind != REFUSED_NOT;
}

/* Of END: there was an attempt to start the test, so it has a start time, and a command
 * for ctest. */
static inline bool
event_was_tried(const struct event *e)
{
	return !event_was_refused(e) || e->refusal->kind == REFUSED_START ||
	       e->refusal->kind == REFUSED_ENVIRONMENT;
}

struct report;
struct report_type {
	const char *name;
	void (*event)(struct report *r, const struct event *e);
	bool (*close)(struct report *r, struct diag *d); /* false: not written */
	/* Called instead where nothing was planned: files that exist stay unchanged, and
	 * otherwise nothing is written. NULL: there is nothing to close. */
	bool (*drop)(struct report *r, struct diag *d);
	/* Called instead where the run was interrupted or could not begin: the results so
	 * far are in the file, which keeps its temporary name. false: they are not. NULL:
	 * there is nothing to do. */
	bool (*stop)(struct report *r, struct diag *d);
	bool only_results; /* END, WITHDRAW and FINISH are all that it is sent */
};
struct report {
	const struct report_type *type;
	/* OUTPUT, DETAILS and LABEL are sent to all if any report wants them */
	bool wants_lines;
	/* What it has written of a last attempt stays: there is no WITHDRAW. */
	bool is_final;
};

#endif
