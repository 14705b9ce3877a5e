/* Which tests the options select, found without a word: a run follows that says it. */
#ifndef CCTR_COMPAT_RUN_QUIET_TESTS_H
#define CCTR_COMPAT_RUN_QUIET_TESTS_H

#include "compat/run/run_tests.h"

/* In c->arena. false: they cannot be read. */
bool quiet_tests_select(struct run_context *c, const struct run_settings *s,
	struct run_suite *suite, struct run_tests *tests);

#endif
