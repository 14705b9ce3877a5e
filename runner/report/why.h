/* Why an attempt ended as it did, for people. */
#ifndef CCTR_RUNNER_REPORT_WHY_H
#define CCTR_RUNNER_REPORT_WHY_H

#include "runner/run/report.h"

/* Of END. Lines without one at the end; nothing is added where the verdict's word says it
 * all. */
void why_add(struct buf *out, const struct event *e);

#endif
