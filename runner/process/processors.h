/*
 * Processors by the system's numbers: which of them the process may use, and the mask by
 * which a child is kept to some of them.
 */
#ifndef CCTR_RUNNER_PROCESS_PROCESSORS_H
#define CCTR_RUNNER_PROCESS_PROCESSORS_H

#include "runner/base/base.h"

struct processors {
	unsigned *v; /* ascending */
	size_t n;
};

/* None where the system does not tell. */
struct processors processors_here(struct arena *a);

enum { PROCESSORS_MOST = 8192 };
/* As the system takes it. */
struct processors_mask {
	unsigned long bits[PROCESSORS_MOST / (8 * sizeof(unsigned long))];
	size_t bytes;
};
void processors_write(struct processors_mask *mask, struct processors p);
/* Keeps the calling thread, and what it starts, to the mask; one system call, so that a
 * child may do it before it executes. What the system refuses leaves it as it was. */
void processors_keep_to(const struct processors_mask *mask);

#endif
