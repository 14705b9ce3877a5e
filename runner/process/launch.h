/* What a process is to be: program, arguments, environment, streams and limit. */
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
 * What follows a process before anyone is told that it has ended: perhaps a second
 * process, which the engine runs for it as it runs tests, beside all others, and which an
 * interruption ends like these. Its limit is none, and what it does changes no outcome.
 * After an interruption nothing follows.
 */
struct sequel {
	/* The first process has ended. false: there is nothing to be started. */
	bool (*begin)(struct sequel *s, struct launch *l);
	/* What the second one writes, in pieces. */
	void (*hear)(struct sequel *s, struct str bytes);
	/* It has ended. error: an errno, it did not start; signal: that ended it, or 0.
	 */
	void (*end)(struct sequel *s, int error, int signal);
	/* For reports, before the result of the test: */
	struct str note; /* with -V */
	struct str output; /* with -V, and in no log: what it wrote */
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
	bool limit_is_the_runs; /* who reaches it ends the run */
	/* By loop_now_ns; a limit that counts anew ends there too, and is the run's then.
	 * 0: it ends when it does, and is whosever it was. */
	uint64_t run_end_ns;
	int timeout_signal; /* sent first at the limit; 0: killed at once */
	uint64_t timeout_grace_ns; /* from that signal until it is killed */
	struct str
		search; /* "Could not find executable ...", shown first; "" when found */
	/* Another program runs the test: its words, which stand before the test's own, as
	 * they are shown; "" for none. */
	struct str prefix;
	/* Its private_tmp_make, given back by run_all when the attempt has ended; NULL:
	 * none. */
	const char *temporary;
	struct sequel *sequel; /* NULL: nothing follows */
	struct str note; /* a line that is shown of it with -V, or "" */
	/* What the environment has that cctr's own has not, for reports; "" where nobody
	 * wants to know. */
	struct str environment_changes;
	/* Set by run_all. Kept to these; n is 0: may run where cctr does. */
	struct processors processors;
	/* Set by run_all, for the engine's listener. */
	bool wants_lines;
};

#endif
