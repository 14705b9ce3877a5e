/* The value of -I: ctest(1), --tests-information. */
#ifndef CCTR_COMPAT_FORMAT_NUMBER_RANGE_H
#define CCTR_COMPAT_FORMAT_NUMBER_RANGE_H

#include "runner/model/select.h"

/* Parses "Start,End,Stride,n,n,...", of which every part may be empty, or the name of a
 * file whose first line has this form. An empty text: no range is given. false after
 * diag_error: the file cannot be read. */
CCTR_MUST_CHECK bool number_range_parse(
	struct arena *a, struct str text, struct number_range *r, struct diag *d);

#endif
