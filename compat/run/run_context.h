/*
 * What every step of one run uses. All else is an argument or a result of a step:
 * settings (run_settings.h) -> suite (run_suite.h) -> selection and pool (run_tests.h) ->
 * plan (run_plan.h) -> results (execution.h).
 */
#ifndef CCTR_COMPAT_RUN_RUN_CONTEXT_H
#define CCTR_COMPAT_RUN_RUN_CONTEXT_H

#include "compat/console/console.h"
#include "runner/base/diag.h"
#include "runner/base/files.h"
#include "runner/regex/match.h"

struct run_context {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	struct match_set *patterns;
	/* The build tree, where programs start. */
	struct str directory;
	/* Where relative names are; "": the working directory, in a plain run. */
	struct str start;
	struct diag diag; /* counts the errors of the whole run */
	int interrupted; /* the signal that ended the run early; 0: none */
	bool is_unwritten; /* a report of the run is not written; nothing follows */
	bool is_fatal; /* a fatal error of a test file ended all evaluation */
};

/* The file that a name from the user means. */
static inline const char *
run_path(const struct run_context *c, struct str name)
{
	return path_in(c->arena, c->start, name);
}

#endif
