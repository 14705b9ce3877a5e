/*
 * Processors by the system's numbers: which of them the process may use, and the mask
 * that restricts a child to some of them.
 */
#ifndef CCTR_RUNNER_PROCESS_PROCESSORS_H
#define CCTR_RUNNER_PROCESS_PROCESSORS_H

#include "runner/base/base.h"

struct processors {
	unsigned *v; /* ascending */
	size_t n;
};

/* The processors that the process may use. Empty where the system does not tell. */
struct processors processors_here(struct arena *a);
/* How many processors the process may use, as the system tells; at least 1. */
size_t processors_count(void);

/* How many, where these are fewer than the first process of the machine may use; else 0,
 * also where the system does not tell. */
size_t processors_confined(void);

enum { PROCESSORS_MOST = 8192 };
/* The form that sched_setaffinity(2) takes. */
struct processors_mask {
	unsigned long bits[PROCESSORS_MOST / (8 * sizeof(unsigned long))];
	size_t bytes;
};
void processors_write(struct processors_mask *mask, struct processors p);

#endif
