/* CTEST_CHECKOUT_COMMAND: cmake-variables(7). */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_CHECKOUT_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_CHECKOUT_H

#include "compat/dashboard/step/step.h"

/* Runs the command line in the parent of the source directory, which is made if needed,
 * and adds its output to the log. environment: of the script; NULL means cctr's own.
 * *interrupted: the signal that ended it. false after a message: it failed. */
bool script_checkout(const struct step_input *in, struct str line,
	const char *const *environment, struct buf *log, int *interrupted);

#endif
