/*
 * Messages that come in parts. srun passes text on in parts of a KiB, over a connection
 * where the system holds the next small part back until the other side has acknowledged
 * the last one, and an acknowledgement waits some 40 ms for something to go with: any
 * message the other way.
 */
#ifndef CCTR_RUNNER_REMOTE_NUDGE_H
#define CCTR_RUNNER_REMOTE_NUDGE_H

#include <stdbool.h>
#include <stdint.h>

struct nudge {
	uint64_t due_ns; /* when the next one is sent; 0: no message is cut off */
	uint64_t pause_ns;
};

/* Something was read; is_cut: it ends within a message. */
void nudge_heard(struct nudge *n, uint64_t now_ns, bool is_cut);
/* Whether to send one now. The next one comes after a longer time. */
bool nudge_is_due(struct nudge *n, uint64_t now_ns);

#endif
