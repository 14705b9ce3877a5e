/*
 * --launch: what build rules of a project with CTEST_USE_LAUNCHERS put before each of
 * their commands. It runs the command, passes on what that writes, and, where
 * CTEST_LAUNCH_LOGS names a directory, leaves a fragment of Build.xml there for each
 * command that failed or warned.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_H
#define CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_H

#include "runner/base/base.h"

/* argv[1] is "--launch". The exit code: the command's, or 1; *interrupted gets the signal
 * that ended it early, else 0. */
int launcher(struct arena *a, int argc, char *const *argv, int *interrupted);

#endif
