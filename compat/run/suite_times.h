/* How long the tests of a suite are expected to take, before any are selected. */
#ifndef CCTR_COMPAT_RUN_SUITE_TIMES_H
#define CCTR_COMPAT_RUN_SUITE_TIMES_H

#include "compat/run/run_settings.h"
#include "runner/schedule/expected.h"

/* By test_id. A record of earlier runs that cannot be read is a warning. */
const struct expected *suite_times(
	struct run_context *c, const struct run_settings *s, const struct suite *suite);

#endif
