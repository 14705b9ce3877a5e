/*
 * Where a launch becomes a process. An engine never judges, and never waits outside
 * wait().
 */
#ifndef CCTR_RUNNER_RUN_ENGINE_H
#define CCTR_RUNNER_RUN_ENGINE_H

#include "runner/model/outcome.h"
#include "runner/process/launch.h"
#include "runner/schedule/plan.h"

struct engine;

/* Called from wait() only. */
struct engine_listener {
	void *context;
	/* One line without its newline (ended by '\n' or NUL, CRs before it removed):
	 * every line as it comes with launch.wants_lines, else only those with "<CTest",
	 * at the end. false: the line is left out of the output. */
	bool (*line)(void *context, node_id node, const struct long_text *line);
	/* With launch.wants_lines: the next bytes of a long line, before line() gets all
	 * of it. May be NULL. */
	void (*part)(void *context, node_id node, struct str bytes);
	/* Before ended(): a slice of work on the whole output. false: there is more, and
	 * it is called again, between the events of other tests. May be NULL. */
	bool (*search)(void *context, node_id node, const struct outcome *o);
	/* Process gone and its output at its end, or the limit was reached and the whole
	 * group was killed; and its sequel has ended. The outcome is borrowed. */
	void (*ended)(void *context, node_id node, const struct outcome *o);
	/* It could not be started after start() had said that it will be. */
	void (*not_started)(void *context, node_id node, int error);
	/* At the end: a process that could not be ended, and its name, still runs. */
	void (*left)(void *context, int pid, struct str name);
	/* SIGINT, SIGTERM or SIGHUP arrived. */
	void (*interrupted)(void *context, int signal);
};

struct engine_type {
	const char *name;
	/* false: not started, *error is the errno. Where the system has no descriptor,
	 * process or memory left and other tests run, the test starts when one of them
	 * has ended; the launch stays the caller's until then. */
	bool (*start)(struct engine *e, node_id node, const struct launch *l, int *error);
	/* The limit counts anew from now, and so does the duration (TIMEOUT_AFTER_MATCH).
	 */
	void (*restart_timer)(struct engine *e, node_id node, uint64_t timeout_ns);
	/* To every process of the test, its descendants in other groups included. */
	void (*signal)(struct engine *e, node_id node, int signal);
	/* SIGTERM, or the signal given, to everything that runs, and SIGKILL after a
	 * grace period; ended() is called for each as usual. */
	void (*interrupt)(struct engine *e, int signal);
	/* Handles what has happened; waits until something has, or until the monotonic
	 * time is reached (0: does not wait, NO_TIMEOUT: as long as it takes). */
	void (*wait)(struct engine *e, uint64_t until_ns);
	/* wait() returns when the descriptor is readable; -1: of none. */
	void (*watch)(struct engine *e, int fd);
	void (*close)(struct engine *e);
};

struct engine {
	const struct engine_type *type;
	struct engine_listener listener;
};

/* This machine. Output is kept in memory up to a ceiling and beyond it in an unlinked
 * file in directory, so that memory stays bounded. NULL after diag_error. */
struct engine *engine_local_open(struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d);

#endif
