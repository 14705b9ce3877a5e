/* What happened to one attempt of a test: facts, no judgement. */
#ifndef CCTR_RUNNER_MODEL_OUTCOME_H
#define CCTR_RUNNER_MODEL_OUTCOME_H

#include "runner/base/long_text.h"

struct match_search;

enum ending {
	END_NOT_STARTED, /* refused before it started: see struct refusal */
	END_EXITED,
	END_SIGNALLED,
	END_TIMED_OUT, /* the limit came first, whatever the process did then */
	ENDINGS
};

/* Why a test was not started. The order is the order in which ctest looks. */
enum refusal_kind {
	REFUSED_NOT, /* it was started */
	REFUSED_RESOURCES,
	REFUSED_RESOURCES_SKIP, /* the same, and it is to be skipped for it */
	REFUSED_DIRECTORY,
	REFUSED_DEFECT, /* malformed properties */
	REFUSED_DISABLED,
	REFUSED_FIXTURE,
	REFUSED_CONFIGURATION, /* NOT_AVAILABLE */
	REFUSED_REQUIRED_FILE,
	REFUSED_EXECUTABLE,
	REFUSED_ENVIRONMENT, /* bad ENVIRONMENT_MODIFICATION */
	REFUSED_START, /* the system could not start it */
	REFUSALS
};

struct outcome {
	enum ending ending;
	enum refusal_kind refusal;
	int exit_code; /* of END_EXITED */
	int signal; /* of END_SIGNALLED */
	int64_t started_us; /* wall clock, microseconds since the epoch; 0 when refused
			     * before its environment was made */
	uint64_t duration_ns; /* since the start, or since TIMEOUT_AFTER_MATCH fired */
	uint64_t user_ns, system_ns;
	uint64_t peak_rss_bytes;
	bool signal_sufficed; /* of END_TIMED_OUT: launch.timeout_signal ended it */
	int timeout_signal; /* of END_TIMED_OUT: the one that was sent first, 0 for none
			     */
	int lost_output; /* an errno: what it wrote is not all there; 0: it is */
	bool made_nothing; /* what it should have made for others is of no use */
	struct str output; /* lines joined by '\n', ends with one unless empty */
	/* The same as a file, which is mapped then, to be copied from its start without a
	 * look at all of it; 0 where the output is short and in memory alone. */
	int output_file;
	/* What the output asked for in tags: ctest(1), "Additional Labels", "Test
	 * Details". */
	/* The search for the test's expressions, at the end of the output; NULL: the
	 * output has not been searched yet. */
	const struct match_search *search;
	struct str details;
	struct str_list labels; /* in the order of the output, each once, none declared */
};

static inline struct long_text
outcome_text(const struct outcome *o)
{
	return (struct long_text){o->output, o->output_file != 0};
}

#endif
