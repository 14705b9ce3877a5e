/*
 * The agent: cctr on another node, which runs the tests that cctr sends to its standard
 * input, and reports on its standard output (Help/dev/agent-protocol.rst).
 *
 * It runs them with the engine of its machine. When its connection ends in any way but by
 * a goodbye, it ends all that it has started.
 */
#ifndef CCTR_RUNNER_REMOTE_AGENT_H
#define CCTR_RUNNER_REMOTE_AGENT_H

#include "runner/base/base.h"

#define AGENT_WORD "--agent"

/* The words that start an agent: this program, and AGENT_WORD. */
struct str_list agent_words(struct arena *a);
/* Returns the exit code: 0 after a goodbye, 1 after a connection that was lost or
 * refused. program: the version of cctr. */
int agent_run(struct arena *a, const char *program);

#endif
