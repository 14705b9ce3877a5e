/* `cctr compare`: what cctr does differently from a ctest in one build tree.
 * Help/manual/cctr-compare.1.rst. */
#ifndef CCTR_COMPAT_COMPARE_COMPARE_H
#define CCTR_COMPAT_COMPARE_COMPARE_H

#include "runner/base/base.h"

/* words: those after "compare". Returns the exit code: 0, nothing differs; 1, something
 * does; 2, they could not be compared. *interrupted: the signal that ended it. */
int compare_client(struct arena *a, struct str_list words, int *interrupted);

#endif
