/* --build: before a run, builds once what the selected tests need. */
#ifndef CCTR_COMPAT_RUN_BUILD_FIRST_H
#define CCTR_COMPAT_RUN_BUILD_FIRST_H

#include "compat/run/run_settings.h"

/* Where it is not known which targets the tests need, builds all. false after messages,
 * or after a signal (c->interrupted): nothing may run. */
bool build_first(struct run_context *c, const struct run_settings *s);

#endif
