/* How a process is to be started: program, arguments, environment, streams and limit. */
#ifndef CCTR_RUNNER_PROCESS_LAUNCH_H
#define CCTR_RUNNER_PROCESS_LAUNCH_H

#include "runner/base/base.h"
#include "runner/process/processors.h"

#define NO_TIMEOUT UINT64_MAX

/* Where standard output and standard error of a process go. */
enum launch_streams {
	STREAMS_TOGETHER, /* into one pipe */
	STREAMS_APART, /* into a pipe each */
	STREAMS_INHERITED /* where ours go */
};

struct launch;

/*
 * The post-run command of a process runs before the end of the process is reported:
 * perhaps a second process, which the engine runs like a test, beside the other tests,
 * and which an interruption ends like them. It has no time limit and does not change the
 * outcome. After an interruption nothing follows.
 */
struct post_run {
	/* The first process has ended. Fills *l for the second one; false: there is
	 * none. */
	bool (*begin)(struct post_run *p, struct launch *l);
	/* Gets what the second process writes, in pieces. */
	void (*hear)(struct post_run *p, struct str bytes);
	/* The second process has ended. error: an errno, it did not start; signal: the
	 * one that ended it, or 0. */
	void (*end)(struct post_run *p, int error, int signal);
	/* Shown by reports before the result of the test: */
	struct str note; /* with -V */
	struct str output; /* with -V, and in no log: the output of the second process */
	struct str problem; /* to standard error */
};

/* Everything lives in the attempt's arena; strings end with NUL. */
struct launch {
	const char *path; /* resolved executable */
	const char *const *argv; /* NULL-ended; argv[0] == path where prefix is "" */
	const char *const *environment; /* NULL-ended "NAME=VALUE" */
	const char *directory; /* NULL: where we are */
	int input; /* a descriptor for its standard input; 0: ours */
	enum launch_streams streams;
	uint64_t timeout_ns; /* NO_TIMEOUT: no limit */
	double timeout_s; /* the limit as it is shown under -V */
	/* At its limit, before anything is killed, it is said what its processes do. */
	bool reports_hang;
	double limit_factor; /* of a limit that is restarted; 0: as 1 */
	bool limit_is_the_runs; /* a test that reaches the limit ends the run */
	/* The end of the run, by loop_now_ns: a limit that is restarted is cut to it, and
	 * limit_is_the_runs is set where it was cut. 0: a restarted limit is not cut. */
	uint64_t run_end_ns;
	int timeout_signal; /* sent first at the limit; 0: killed at once */
	uint64_t timeout_grace_ns; /* from that signal until it is killed */
	struct str
		/* "Could not find executable ...", shown first; "" when the executable
		 * was found */
		search;
	/* The words of another program that runs the test, as they are shown before the
	 * test's own words; "" for none. */
	struct str prefix;
	/* The directory of private_tmp_make, which run_all gives back when the attempt
	 * has ended; NULL: none. */
	const char *temporary;
	/* A text that stands for such a directory in the value of TMPDIR: an engine of
	 * other nodes makes the directory where the test runs. NULL: none. */
	const char *temporary_mark;
	bool keeps_failed_temporary; /* with that text: of an attempt that has failed */
	/* With how many processes the test may use a PMIx server of its node, which an
	 * engine of other nodes tells it of; 0: none. */
	int pmix_ranks;
	struct post_run *post_run; /* or NULL */
	struct str note; /* a line that -V shows for the test, or "" */
	/* The variables that differ from cctr's own environment, for reports; "" where no
	 * report shows them. */
	struct str environment_changes;
	/* Set by run_all: the processors that the process is restricted to; n is 0: those
	 * of cctr. */
	struct processors processors;
	/* Set by run_all: so many processors to itself. Where processors is empty, the
	 * engine chooses them. 0: it is not restricted. */
	int pinned;
	/* Set by run_all, with on_node and pinned: the GPUs that the test has there. */
	struct str_list gpus;
	unsigned slots; /* set by run_all: how many processors the test counts for */
	/* Set by run_all: 1 + the index of the engine's node on which the test must run;
	 * 0: on any. */
	uint32_t on_node;
	/* The indices of the engine's nodes that the test has as a whole, that of on_node
	 * among them; none: it has not. */
	const uint32_t *whole_nodes;
	size_t whole_nodes_n;
	/* Set by run_all, for the engine's listener. */
	bool wants_lines;
	/* Set by run_all: where the node of the test is lost, run_all starts it again,
	 * since its leases have ended. */
	bool is_given_back;
};

#endif
