/*
 * How long the other side of a connection has been silent. Only time in which this side
 * listened counts: while its process was stopped, or its machine suspended, it could hear
 * nothing.
 */
#ifndef CCTR_RUNNER_REMOTE_SILENCE_H
#define CCTR_RUNNER_REMOTE_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Both sides send a heartbeat, and look, this many times within the longest silence. */
#define SILENCE_BEATS 4u

struct silence {
	uint64_t looked_ns; /* the last look; 0: not yet */
	uint64_t lasted_ns; /* until then */
};

/* Something was heard. */
void silence_break(struct silence *s);
/* A look at now_ns (monotonic), after all that has arrived was read: whether the other
 * side has been silent for longest_ns. */
bool silence_exceeds(struct silence *s, uint64_t now_ns, uint64_t longest_ns);

#endif
