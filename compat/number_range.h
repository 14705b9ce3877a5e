/* The value of -I: ctest(1), --tests-information. */
#ifndef CCTR_COMPAT_NUMBER_RANGE_H
#define CCTR_COMPAT_NUMBER_RANGE_H

#include "runner/select.h"

/* "Start,End,Stride,n,n,...", every part of which may be empty, or the name of a file
 * whose first line is that. An empty text gives a range that is not given. */
struct number_range number_range_parse(struct arena *a, struct str text);

#endif
