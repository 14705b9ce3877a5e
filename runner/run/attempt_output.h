/*
 * What one attempt of a test writes, and its outcome until that is reported: the part of
 * an engine that does not depend on where the test runs.
 */
#ifndef CCTR_RUNNER_RUN_ATTEMPT_OUTPUT_H
#define CCTR_RUNNER_RUN_ATTEMPT_OUTPUT_H

#include "runner/run/capture.h"
#include "runner/run/engine.h"

struct attempt_output {
	struct engine *engine;
	const char *directory; /* for output beyond the ceiling */
	node_id node;
	struct outcome outcome;
	struct capture capture;
	struct arena *arena;
	struct arena_mark mark;
	struct attempt_output *next; /* in a queue */
};

/* Once, for any number of attempts, one after the other. */
void attempt_output_open(
	struct attempt_output *o, struct engine *e, const char *directory);
void attempt_output_close(struct attempt_output *o);
void attempt_output_begin(struct attempt_output *o, node_id node, bool every_line);
void attempt_output_add(struct attempt_output *o, struct str bytes);
/* The end of what the attempt has written so far, at most n bytes. */
struct str attempt_output_tail(const struct attempt_output *o, struct arena *a, size_t n);
/* The attempt has ended with this outcome, which gets the output. */
void attempt_output_end(struct attempt_output *o, const struct outcome *outcome);
/* Searches in the output for one slice of time. true: all of it has been searched, the
 * end is reported and the output is gone. Always false while the engine holds ends. */
bool attempt_output_report(struct attempt_output *o);
/* The output of an attempt that is not reported. */
void attempt_output_drop(struct attempt_output *o);

/* Attempts that have ended, except for the search in their output. */
struct attempt_queue {
	struct attempt_output *first, *last; /* last: of a queue that is not empty */
};
void attempt_queue_add(struct attempt_queue *q, struct attempt_output *o);
/* Takes attempts from the queue, the one that has waited longest first, for a slice of
 * time. end() reports the attempt or adds it again. Does nothing while the engine holds
 * ends. */
void attempt_queue_serve(struct attempt_queue *q, const struct engine *e,
	void (*end)(struct attempt_output *o));

#endif
