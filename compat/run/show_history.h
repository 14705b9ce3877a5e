/* cctr history: what the history of the build tree says of the selected tests. */
#ifndef CCTR_COMPAT_RUN_SHOW_HISTORY_H
#define CCTR_COMPAT_RUN_SHOW_HISTORY_H

#include "compat/run/run_settings.h"
#include "runner/history/history.h"
#include "runner/model/select.h"

/* Prints it, of each test of selection.tests all that is known. EXIT_OK, or the exit code
 * after a message: there is no history, or it cannot be read. */
enum exit_code show_history(struct run_context *c, const struct run_settings *s,
	const struct selection *selection);

/* Reads the latest attempts of the tests; *path: of the history. false after messages. */
CCTR_MUST_CHECK bool show_history_read(struct run_context *c,
	const struct run_settings *s, const struct selection *selection, struct str *path,
	struct history_content *content);

#endif
