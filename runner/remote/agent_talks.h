/*
 * What tests on a node say to the socket of their run, and what they get to hear. The
 * socket is the agent's own; cctr gets what is said by the agent's connection.
 */
#ifndef CCTR_RUNNER_REMOTE_AGENT_TALKS_H
#define CCTR_RUNNER_REMOTE_AGENT_TALKS_H

#include "runner/base/loop.h"

/* In the place of the path, in a launch's environment. */
#define TALK_VARIABLE "CCTR_SOCKET"
#define TALK_MARK "{cctr.sock}"

struct talk_listener {
	void *context;
	/* The test that the process belongs to; -1: none. */
	int (*task_of)(void *context, int pid);
	/* "": the process has gone. */
	void (*say)(void *context, int task, int talk, struct str text);
};

struct agent_talks;
/* NULL leaves errno. */
struct agent_talks *agent_talks_open(
	struct arena *a, struct loop *l, const struct talk_listener *listener);
const char *agent_talks_path(const struct agent_talks *t);
/* What the process gets to hear; "": nothing more. */
void agent_talks_put(struct agent_talks *t, int talk, struct str text);
/* While they are held, nothing is heard of processes. */
void agent_talks_hold(struct agent_talks *t, bool is_held);
/* Of that test no process talks any more. */
void agent_talks_end(struct agent_talks *t, int task);
void agent_talks_close(struct agent_talks *t);

#endif
