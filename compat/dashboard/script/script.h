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
/* Answers a command of a script. */
void script_answer(struct script_command *c);

#endif
