/*
 * The engine that runs tests on other nodes: an agent on each (agent.h), started by a
 * launcher whose standard input and output are the connection.
 */
#ifndef CCTR_RUNNER_REMOTE_ENGINE_REMOTE_H
#define CCTR_RUNNER_REMOTE_ENGINE_REMOTE_H

#include "runner/run/engine.h"

/* options: a struct remote_options (remote_options.h), which is borrowed. */
extern engine_open_call engine_remote_open;

#endif
