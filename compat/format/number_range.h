/* The value of -I: ctest(1), --tests-information. */
#ifndef CCTR_COMPAT_FORMAT_NUMBER_RANGE_H
#define CCTR_COMPAT_FORMAT_NUMBER_RANGE_H

#include "runner/model/select.h"

/* "Start,End,Stride,n,n,...", every part of which may be empty, or the name of a file
 * whose first line is that. An empty text gives a range that is not given. false after
 * diag_error: the file cannot be read. */
CCTR_MUST_CHECK bool number_range_parse(
	struct arena *a, struct str text, struct number_range *r, struct diag *d);

#endif
