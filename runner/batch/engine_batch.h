/*
 * An engine that runs tests of one program several at a time in one process, by the
 * engine of this machine.
 *
 * The scheduler knows nothing of it. A test that starts has its slot and all that it
 * needs; with that the engine runs a process for the test and for others of its group,
 * which need the same and will start later. These end as soon as they start. A test that
 * starts while another process is at its case runs one for those that no process has run
 * yet. So no more processes run than tests have started, and no slot is idle.
 *
 * Only tests that have passed get their outcome from such a process. Every other test
 * runs in a process of its own when it starts.
 */
#ifndef CCTR_RUNNER_BATCH_ENGINE_BATCH_H
#define CCTR_RUNNER_BATCH_ENGINE_BATCH_H

#include "runner/batch/batch_groups.h"
#include "runner/run/engine.h"

/* options: struct batch_options. Nodes are indices into its selection. */
engine_open_call engine_batch_open;

#endif
