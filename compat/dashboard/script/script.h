/*
 * cctr -S: dashboard scripts, one behind the other, each evaluated by cmake and served
 * from here. ctest(1), "Dashboard Client via CTest Script".
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_H

#include "compat/dashboard/script/script_state.h"

/* All of the command line's. What the process exits with: 0, 255 after an error, or what
 * cmake_language(EXIT) says. */
int script_mode(struct scripts *s);
/* One script, "FILE[,ARGUMENT]": 0, -1 after an error, or a status. environment: NULL is
 * cctr's own. */
int script_run(struct scripts *s, struct str script, const char *const *environment);
/* The file that it names is there. */
bool script_exists(struct scripts *s, struct str script);
/* The same in another cctr; its exit code. */
int script_run_process(
	struct scripts *s, struct str script, const char *const *environment);

#endif
