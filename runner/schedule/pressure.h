/* The order by pressure, which looks at expected times. */
#ifndef CCTR_RUNNER_SCHEDULE_PRESSURE_H
#define CCTR_RUNNER_SCHEDULE_PRESSURE_H

#include "runner/schedule/plan.h"

/* Of a plan that has ctest's order. */
void order_by_pressure(struct arena *a, struct plan *p, const struct plan_options *o);
/* Ranks again. share_weight: how much more urgent a test is that takes all of something.
 */
void pressure_rank(struct arena *a, struct plan *p, double share_weight);

#endif
