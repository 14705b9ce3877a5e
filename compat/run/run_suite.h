/* Reads the tests of the build tree, or of the manifest. */
#ifndef CCTR_COMPAT_RUN_RUN_SUITE_H
#define CCTR_COMPAT_RUN_RUN_SUITE_H

#include "compat/run/run_settings.h"
#include "runner/model/filter.h"
#include "runner/model/model.h"

struct run_suite {
	const struct suite *suite;
	bool has_file; /* a test file exists, even if it declares nothing */
};
/* Tests that f drops by name are not in the suite. false after messages: no test may
 * run. */
bool run_suite_load(struct run_context *c, const struct run_settings *s,
	const struct filter *f, struct run_suite *found);
/* As run_suite_load, and has the variables of set(ENV{X}) set for all that follows. */
bool run_suite_read(struct run_context *c, const struct run_settings *s,
	const struct filter *f, struct run_suite *found);

#endif
