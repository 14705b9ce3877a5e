/* Which of several workers, numbered from 0, has the smallest load. */
#ifndef CCTR_RUNNER_REMOTE_LOAD_QUEUE_H
#define CCTR_RUNNER_REMOTE_LOAD_QUEUE_H

#include "runner/base/base.h"

#define LOAD_NONE UINT64_MAX /* it gets no work */

struct load_queue;
/* For n workers, with LOAD_NONE. */
struct load_queue *load_queue_new(struct arena *a, size_t n);
void load_queue_set(struct load_queue *q, uint32_t worker, uint64_t load);
/* Of several, the first. MAP_NONE: there is none. */
uint32_t load_queue_least(struct load_queue *q);

#endif
