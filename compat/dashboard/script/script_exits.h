/* Decides whether a script may choose its exit code by cmake_language(EXIT). */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_EXITS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_EXITS_H

#include "runner/base/base.h"

/* file is absolute; directory is where the script runs. */
bool script_may_exit(struct arena *a, struct str file, struct str directory);

#endif
