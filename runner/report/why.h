/* Why an attempt ended as it did, for people. */
#ifndef CCTR_RUNNER_REPORT_WHY_H
#define CCTR_RUNNER_REPORT_WHY_H

#include "runner/run/report.h"

/* Of END. Lines without one at the end; nothing is added where the verdict's word says it
 * all. */
void why_add(struct buf *out, const struct event *e);
/* Of END, after the verdict's word: ", exit code 3". */
void why_add_exit_code(struct buf *out, const struct event *e);
/* Of END, in a few words; STR_NONE: there are none. */
struct str why_in_short(struct arena *a, const struct event *e);

#endif
