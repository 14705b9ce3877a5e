/*
 * cctr -S: runs dashboard scripts one after the other. cmake evaluates each, and cctr
 * answers its commands. ctest(1), "Dashboard Client via CTest Script".
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_H

#include "compat/dashboard/script/script_state.h"

/* Runs all scripts of the command line. Returns the exit code: 0, 255 after an error, or
 * the code of cmake_language(EXIT). */
int script_mode(struct scripts *s);
/* Runs one script, "FILE[,ARGUMENT]". Returns 0, -1 after an error, or a status.
 * environment: NULL means cctr's own. */
int script_run(struct scripts *s, struct str script, const char *const *environment);
/* true: the file that `script` names exists. */
bool script_exists(struct scripts *s, struct str script);
/* Runs the script in another cctr process. Returns its exit code. */
int script_run_process(
	struct scripts *s, struct str script, const char *const *environment);

#endif
