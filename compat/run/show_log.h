/* cctr log: what the selected tests wrote in the last run. */
#ifndef CCTR_COMPAT_RUN_SHOW_LOG_H
#define CCTR_COMPAT_RUN_SHOW_LOG_H

#include "compat/run/run_settings.h"
#include "runner/model/select.h"

/* Prints it, out of the log that was written last. EXIT_OK, or the exit code after a
 * message: there is no log, it cannot be read, or it has nothing of a test that
 * selection.tests names. */
enum exit_code show_log(struct run_context *c, const struct run_settings *s,
	const struct selection *selection);

#endif
