/*
 * Scripts that do not call ctest_start and only set variables: CTEST_COMMAND is then run
 * in the build directory, and cmake before it. ctest supports them until 4.0.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DECLARED_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DECLARED_H

#include "compat/dashboard/script/script_state.h"

/* call: the variables and the environment at the script's end. Returns 0, or -1 after a
 * message. */
int script_declared(struct scripts *s, const struct script_call *call);

#endif
