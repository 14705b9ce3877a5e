/* cctr advise: what the history of the build tree suggests that tests should declare. */
#ifndef CCTR_COMPAT_RUN_SHOW_ADVICE_H
#define CCTR_COMPAT_RUN_SHOW_ADVICE_H

#include "compat/run/run_settings.h"
#include "runner/history/advice.h"

/* Prints calls of set_tests_properties, or JSON. EXIT_OK, or the exit code after a
 * message: there is no history, or it cannot be read. */
enum exit_code show_advice(struct run_context *c, const struct run_settings *s,
	const struct selection *selection);

#endif
