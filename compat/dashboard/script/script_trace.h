/* The exit code that a script chose, read from cmake's trace of its commands. */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_TRACE_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_TRACE_H

#include "runner/base/base.h"

/* true: the last command in the file, which is a trace in the format json-v1 with
 * expanded arguments, is cmake_language(EXIT *code). */
bool script_trace_exit(struct arena *a, const char *path, int *code);

#endif
