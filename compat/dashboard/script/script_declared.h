/*
 * Scripts that call no ctest_start and only set variables: CTEST_COMMAND is then run in
 * the build directory, cmake before it. ctest has had them until 4.0.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DECLARED_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_DECLARED_H

#include "compat/dashboard/script/script_state.h"

/* The call has the variables and the environment of the script's end. 0, or -1 after an
 * error that was said. */
int script_declared(struct scripts *s, const struct script_call *call);

#endif
