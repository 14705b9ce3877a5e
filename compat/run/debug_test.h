/* --debug-test: one test on the terminal, in the place of cctr. */
#ifndef CCTR_COMPAT_RUN_DEBUG_TEST_H
#define CCTR_COMPAT_RUN_DEBUG_TEST_H

#include "compat/run/run_settings.h"
#include "runner/model/model.h"

/* The process becomes the test, with its directory, environment and resources, or the
 * debugger that runs it. Returns only if that is not possible, after messages. */
enum exit_code debug_test(
	struct run_context *c, const struct run_settings *s, const struct suite *suite);

#endif
