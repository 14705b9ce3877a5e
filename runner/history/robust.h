/* Numbers of which some are far from the others. */
#ifndef CCTR_RUNNER_HISTORY_ROBUST_H
#define CCTR_RUNNER_HISTORY_ROBUST_H

#include "runner/base/base.h"

/* The most values that count: those before have no weight to speak of. */
enum { ROBUST_MOST = 9 };

/* What the next value is expected to be, from the last n, the latest first: the weighted
 * median, where each has four fifths of the weight of the one after it. One value that is
 * far off changes little, and three that are different change it. 0 for none. */
double robust_next(const double *latest_first, size_t n);

#endif
