/* What happened to one attempt of a test: facts, no judgement. */
#ifndef CCTR_RUNNER_MODEL_OUTCOME_H
#define CCTR_RUNNER_MODEL_OUTCOME_H

#include "runner/base/long_text.h"

struct match_search;

enum ending {
	END_NOT_STARTED, /* refused before it started: see struct refusal */
	END_EXITED,
	END_SIGNALLED,
	END_TIMED_OUT, /* the limit was over first, whatever the process did then */
	ENDINGS
};

/* Why a test was not started. The order is that of ctest's checks. */
enum refusal_kind {
	REFUSED_NOT, /* it was started */
	REFUSED_RESOURCES,
	REFUSED_RESOURCES_SKIP, /* the same, and the test counts as skipped */
	REFUSED_DIRECTORY,
	REFUSED_DEFECT, /* malformed properties */
	REFUSED_DISABLED,
	REFUSED_FIXTURE, /* a setup failed */
	REFUSED_FIXTURE_SKIP, /* a setup lacked resources; the test counts as skipped */
	REFUSED_CONFIGURATION, /* NOT_AVAILABLE */
	REFUSED_REQUIRED_FILE,
	REFUSED_EXECUTABLE,
	REFUSED_ENVIRONMENT, /* bad ENVIRONMENT_MODIFICATION */
	REFUSED_START, /* the system refused to start it */
	REFUSED_NODE, /* its node was lost, again, or there is no node */
	REFUSED_CANCELED, /* somebody asked that it does not run */
	REFUSALS
};

struct outcome {
	enum ending ending;
	enum refusal_kind refusal;
	int exit_code; /* of END_EXITED and END_TIMED_OUT; 0: a signal ended it */
	int signal; /* of END_SIGNALLED */
	int64_t started_us; /* wall clock, microseconds since the epoch; 0 when refused
			     * before its environment was made */
	/* since the start, or since TIMEOUT_AFTER_MATCH took effect */
	uint64_t duration_ns;
	uint64_t user_ns, system_ns;
	uint64_t peak_rss_bytes;
	/* of END_TIMED_OUT: launch.timeout_signal was enough to end it */
	bool signal_sufficed;
	/* of END_TIMED_OUT: the signal that was sent first; 0: none */
	int timeout_signal;
	int lost_output; /* an errno: its output is not complete; 0: it is */
	bool lacks_setup; /* a fixture setup failed or was skipped */
	bool is_cut; /* its output was not read to its end: the test was killed before */
	bool made_nothing; /* it is the test that makes the pool, and has made none */
	bool is_canceled; /* somebody asked that it ends */
	/* of END_TIMED_OUT: what its processes did at the limit; "": not asked for */
	struct str hang;
	struct str output; /* lines joined by '\n', with one at the end unless empty */
	/* A file with the output, which is mapped then. It can be copied from its start
	 * without reading all of the output; 0 where the output is short and only in
	 * memory. */
	int output_file;
	const char *node; /* where it ran; NULL: on this machine */
	const char *host; /* what the node calls itself; may be NULL */
	/* of REFUSED_NODE: the reason, else "" */
	struct str lost;
	/* Values that the output gave in tags: ctest(1), "Additional Labels", "Test
	 * Details". */
	/* The search for the test's expressions, after the whole output; NULL: the output
	 * has not been searched yet. */
	const struct match_search *search;
	struct str details;
	/* in the order of the output, each once, without the declared ones */
	struct str_list labels;
};

static inline struct long_text
outcome_text(const struct outcome *o)
{
	return (struct long_text){o->output, o->output_file != 0};
}

#endif
