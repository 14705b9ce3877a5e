/* CTEST_CHECKOUT_COMMAND: cmake-variables(7). */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_CHECKOUT_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_CHECKOUT_H

#include "compat/dashboard/step/step.h"

/* Runs the command line in the directory of the source directory, which is made, and adds
 * what it writes to the log. false, and said: it failed. */
bool script_checkout(struct dashboard *d, struct str line, struct buf *log);

#endif
