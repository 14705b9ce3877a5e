/* Exact names of tests on the command line. */
#ifndef CCTR_COMPAT_RUN_EXACT_NAMES_H
#define CCTR_COMPAT_RUN_EXACT_NAMES_H

#include "runner/base/diag.h"
#include "runner/model/model.h"

/* false: no test of the suite has one of the names; d has each of these, with the name
 * that was probably meant. */
CCTR_MUST_CHECK bool exact_names_check(struct arena *a, const char *option,
	const str_vec *names, const struct suite *s, struct diag *d);

#endif
