/* What the engine of agents is to do: on which nodes, and how their agents start. */
#ifndef CCTR_RUNNER_REMOTE_REMOTE_OPTIONS_H
#define CCTR_RUNNER_REMOTE_REMOTE_OPTIONS_H

#include "runner/base/base.h"

/* A node that a batch system gives later: its launcher asks for it (pilot.h). */
struct remote_pilot {
	struct str_list words; /* of the launcher, complete */
	uint32_t group; /* of pilots that ask for the same */
};
struct remote_options {
	struct str here; /* the build tree */
	struct str_list nodes; /* their names */
	/* The words of the command that starts the agent of a node. "{node}" in a word is
	 * the name of the node; the word "{agent}" is the words of agent. */
	struct str_list launcher;
	struct str_list agent; /* the program and its arguments */
	const char *program; /* the version of cctr, which agents must have */
	/* After that long without a message an agent is lost. Neither limit holds for an
	 * agent of this machine. */
	uint64_t silence_ns;
	/* How long an agent may take to answer for the first time. */
	uint64_t patience_ns;
	/* How long an agent holds back the outcome of a test that a signal from outside
	 * ended: the agent may get that signal, too. */
	uint64_t doubt_ns;
	/* Tests say on which node they run (struct launch, on_node). Where no node gets
	 * an agent, this machine takes the place of all. */
	bool have_places;
	/* The first node is this machine: its agent needs no launcher, and is no pilot.
	 */
	bool has_local;
	/* The nodes are pilots, in the same order; launcher and agent are not used. NULL:
	 * they are not. */
	const struct remote_pilot *pilots;
	size_t groups_n;
	/* The batch system counts the GPUs of a pilot, but does not say which they are:
	 * on each node they are numbered from 0. */
	bool counts_gpus;
	bool have_gpus; /* some of the nodes: agents look which there are */
	size_t queued_most; /* pilots of a group that wait for their node at a time */
	uint64_t idle_ns; /* after that long a pilot that no test needs is given back */
	bool is_compact; /* struct affinity_options, for tests that are pinned */
	bool *has_lost; /* set when a node is lost that had an agent; NULL: it is not */
};

#endif
