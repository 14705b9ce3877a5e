/*
 * --launch: the build rules of a project with CTEST_USE_LAUNCHERS put this before each of
 * their commands. It runs the command and passes on its output. If CTEST_LAUNCH_LOGS
 * names a directory, it writes a fragment of Build.xml there for each command that failed
 * or warned.
 *
 * --instrument: the build rules of a tree with queries put this before their commands.
 * The command is recorded, by --launch, too, if there is a query: snippet.h.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_H
#define CCTR_COMPAT_DASHBOARD_BUILD_LAUNCHER_H

#include "runner/base/base.h"

/* false: the command line is not one of these. *code: the command's exit code, or 1.
 * *interrupted: the signal that ended it early, else 0. */
bool launcher_command(
	struct arena *a, int argc, char *const *argv, int *code, int *interrupted);

#endif
