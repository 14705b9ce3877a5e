/*
 * An engine makes a process from a launch. An engine never judges, and waits only in
 * wait().
 */
#ifndef CCTR_RUNNER_RUN_ENGINE_H
#define CCTR_RUNNER_RUN_ENGINE_H

#include "runner/model/outcome.h"
#include "runner/process/launch.h"
#include "runner/resources/node_limits.h"
#include "runner/schedule/plan.h"

struct engine;
struct loop;

#define TALK_ALL UINT32_MAX
/* The talks from this number on are those of PMIx servers. */
#define TALK_PMIX 0x40000000u

/* Called only from wait(). */
struct engine_listener {
	void *context;
	const char *line_tag; /* not "" */
	/* One line without its newline ('\n' or NUL, and CRs before it): every line as it
	 * comes with launch.wants_lines, else only those with line_tag, at the end.
	 * false: the line is left out of the output. */
	bool (*line)(void *context, node_id node, const struct long_text *line);
	/* With launch.wants_lines: the next bytes of a long line, before line() gets the
	 * whole line. May be NULL. */
	void (*part)(void *context, node_id node, struct str bytes);
	/* With it, an engine keeps no output and calls line() and part() for none: it
	 * gives the bytes as they come. May be NULL. */
	void (*bytes)(void *context, node_id node, struct str bytes);
	/* false: tests that write must wait, the listener has no room. Asked before each
	 * turn. NULL: there is always room. */
	bool (*has_room)(void *context);
	/* Before ended(): one slice of the search in the whole output. false: the search
	 * is not finished; it is called again, between the events of other tests. May be
	 * NULL. */
	bool (*search)(void *context, node_id node, const struct outcome *o);
	/* The process is gone and its output is at its end, or the limit was reached and
	 * the whole group was killed; and its post-run command has ended. The outcome is
	 * borrowed. */
	void (*ended)(void *context, node_id node, const struct outcome *o);
	/* The test could not be started, though start() returned true. */
	void (*not_started)(void *context, node_id node, int error);
	/* From here to notice(): what an engine of several nodes reports. An engine of
	 * one machine calls none of these, and they may be NULL.
	 *
	 * As not_started(), since the test cannot use PMIx on its node, which why names.
	 */
	void (*refused)(void *context, node_id node, struct str why);
	/* The node of the test was lost, and the engine starts the test again on another
	 * one, by the same launch: what it wrote so far does not count. */
	void (*again)(void *context, node_id node, struct str lost, struct str why);
	/* A node of a test with on_node was lost, the first or another whole one, or that
	 * of one with is_given_back: the launch is over, without an outcome. */
	void (*lost)(void *context, node_id node, struct str lost, struct str why);
	/* Whether tests may start on one of the engine's nodes: at first none is here. */
	void (*presence)(void *context, uint32_t on, enum pool_presence presence);
	/* The engine knows now what one of its nodes calls its GPUs; before presence().
	 */
	void (*place)(void *context, uint32_t on, struct str_list gpus);
	/* What the engine's node of that name has, as its agent has found; before
	 * presence(). */
	void (*found)(
		void *context, uint32_t on, struct str name, const struct node_limits *l);
	/* Whether tests wait that have not begun. NULL: there are always some. */
	bool (*needs)(void *context);
	/* A process of the test, on another node, talks to the run's socket, by that
	 * number; "": not any more, and with TALK_ALL none of the numbers with this upper
	 * half. Where the lower half is TALK_PMIX or more, the text is lines, the number
	 * of a question of a PMIx client, a blank, and the question. */
	void (*talk)(void *context, node_id node, uint64_t talk, struct str text);
	/* Something that the user should know about a node. */
	void (*warning)(void *context, struct str text);
	/* Something about the nodes that is no fault. */
	void (*notice)(void *context, struct str text);
	/* At the end: a process that could not be ended still runs; name is its name. */
	void (*left)(void *context, int pid, struct str name);
	/* At the end: a process that the test has started is still there, though nothing
	 * ended the run early. NULL: no one looks. */
	void (*leaked)(void *context, node_id node, int pid, struct str name);
	/* SIGINT, SIGTERM or SIGHUP arrived. */
	void (*interrupted)(void *context, int signal);
};

struct engine_type {
	const char *name;
	/* false: not started, *error is the errno. Where the system has no descriptor,
	 * process or memory left and other tests run, the result is true and the test
	 * starts when one of them has ended; the launch must stay valid until then. */
	bool (*start)(struct engine *e, node_id node, const struct launch *l, int *error);
	/* The limit is over that long after now, unless it was already. restarts: the
	 * duration counts from now, too (TIMEOUT_AFTER_MATCH). */
	void (*set_limit)(
		struct engine *e, node_id node, uint64_t timeout_ns, bool restarts);
	/* The end of what the test has written so far, at most n bytes; STR_NONE: it does
	 * not run. */
	struct str (*tail)(
		const struct engine *e, struct arena *a, node_id node, size_t n);
	/* The running test that the process, with these ancestors, belongs to; MAP_NONE:
	 * none. NULL: tests run elsewhere. */
	node_id (*owner)(struct engine *e, int pid);
	/* What a process that talks gets to hear; "": nothing more. NULL: none does. */
	void (*tell)(struct engine *e, uint64_t talk, struct str text);
	/* From ended(), for a launch with keeps_failed_temporary: the verdict. NULL: it
	 * is of no use. */
	void (*judged)(struct engine *e, node_id node, struct str test, bool failed);
	/* Signals every process of the test, also its descendants in other groups. NULL:
	 * no agent has the engine, and only agents signal. */
	void (*signal)(struct engine *e, node_id node, int signal);
	/* Sends signal, or SIGTERM for SIGPIPE, to everything that runs, and SIGKILL
	 * after a grace period; ended() is called for each as usual. */
	void (*interrupt)(struct engine *e, int signal);
	/* Handles what has happened; waits until something has happened or the monotonic
	 * time until_ns is reached (0: does not wait, NO_TIMEOUT: no limit). */
	void (*wait)(struct engine *e, uint64_t until_ns);
	void (*close)(struct engine *e);
};

struct engine {
	const struct engine_type *type;
	struct engine_listener listener;
	/* Which wait() turns. Others may watch descriptors with it. */
	struct loop *loop;
	/* Set by the caller around a wait(): what has ended is reported, in its order, by
	 * a later wait(). Limits, output and processes are handled as always. */
	bool holds_ends;
};

/* Opens an engine. NULL after diag_error. directory: for files of the engine's own. */
typedef struct engine *engine_open_call(const void *options, struct arena *a,
	struct str directory, const struct engine_listener *listener, struct diag *d);
/* Which engine a run uses. */
struct engine_opener {
	engine_open_call *open;
	const void *options;
};

/* The engine that runs tests on this machine; options: NULL. Output is kept in memory up
 * to a ceiling and beyond it in an unlinked file in directory, so that memory stays
 * bounded. */
engine_open_call engine_local_open;

#endif
