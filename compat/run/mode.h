/*
 * ctest's test mode from the first line to the exit code: read, select, list or run,
 * report, record. The steps are in ctest's order; other modules do each of them.
 */
#ifndef CCTR_COMPAT_RUN_MODE_H
#define CCTR_COMPAT_RUN_MODE_H

#include "compat/console/console.h"
#include "compat/options/options.h"
#include "compat/run/run_context.h"
#include "compat/run/run_settings.h"

struct run_end {
	enum exit_code code;
	int interrupted; /* the signal that ended the run early, or 0 */
	bool is_unwritten; /* a report of the run is not written */
	bool is_fatal; /* a test file had an error that ends a script, too */
};

struct run_context run_context_of(
	struct arena *a, const struct dialect *dialect, struct console *console);
/* c: of run_context_of, used once; its directory is the build tree that the settings
 * name. */
struct run_end test_mode(struct run_context *c, const struct run_settings *s);
/* As test_mode, for a step of a dashboard, whose caller has read the files. */
struct run_end test_mode_of_step(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs, const struct test_step *step);

#endif
