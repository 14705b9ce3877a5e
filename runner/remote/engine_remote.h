/*
 * The engine that runs tests on other nodes: an agent on each (agent.h), started by a
 * launcher whose standard input and output are the connection.
 */
#ifndef CCTR_RUNNER_REMOTE_ENGINE_REMOTE_H
#define CCTR_RUNNER_REMOTE_ENGINE_REMOTE_H

#include "runner/run/engine.h"

struct remote_options {
	struct str_list nodes; /* their names */
	/* The words of the command that starts the agent of a node. "{node}" in a word is
	 * the name of the node; the word "{agent}" is the words of agent. */
	struct str_list launcher;
	struct str_list agent; /* the program and its arguments */
	const char *program; /* the version of cctr, which agents must have */
	/* After that long without a message an agent is lost. */
	uint64_t silence_ns;
	/* How long an agent may take to answer for the first time. */
	uint64_t patience_ns;
	/* How long an agent holds back the outcome of a test that a signal from outside
	 * ended: the agent may get that signal, too. */
	uint64_t doubt_ns;
	bool is_compact; /* struct affinity_options, for tests that are pinned */
};

/* options: a struct remote_options, which is borrowed. */
extern engine_open_call engine_remote_open;

#endif
