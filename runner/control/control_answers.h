/* What a run answers: one line of JSON each. Help/manual/cctr-control.7.rst. */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_ANSWERS_H
#define CCTR_RUNNER_CONTROL_CONTROL_ANSWERS_H

#include "runner/control/control_requests.h"
#include "runner/run/runner.h"
#include "runner/schedule/partitions.h"

/* What is the same for the whole run. */
struct control_about {
	struct str tree; /* the build tree */
	const char *program; /* the version of cctr */
	const char *no_partitions; /* what is said where the run has none */
};

/* What a client waits for. */
struct control_awaited {
	node_id node; /* the end of a test; MAP_NONE: of the run, or else ... */
	bool is_state; /* ... of the partition of that place among them */
	size_t partition;
	enum partition_state state;
};
/* Does what is asked, and adds the answer. false: there is none yet, it is awaited. */
bool control_answer(struct buf *b, const struct control_about *about, struct runner *r,
	const struct control_request *q, struct control_awaited *awaited);
/* false: the partition can have the state, and has not had it. */
bool control_answer_state(
	struct buf *b, const struct runner *r, const struct control_awaited *awaited);
/* An answer is an object with members between these. */
void control_begin_answer(struct buf *b, const char *status);
void control_end_answer(struct buf *b);
/* For a request that cannot be read, or not be obeyed. */
void control_refuse(struct buf *b, const char *reason);
/* For whatever a client asks, since too many others are connected. */
void control_refuse_more(struct buf *b);
/* Writes that to a connection, if it has room, and closes it. */
void control_turn_away(int fd);
/* For those who wait for the run, or for a test that has ended. */
void control_answer_end(struct buf *b, const struct runner *r, node_id node);

#endif
