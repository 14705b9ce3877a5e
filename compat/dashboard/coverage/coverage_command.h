/* Runs the program of a coverage tool. See coverage.h. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_COMMAND_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_COMMAND_H

#include "compat/dashboard/coverage/coverage.h"

struct coverage_command {
	str_vec words;
	const char *directory; /* where it runs; NULL: the working directory */
	bool in_c; /* with LC_ALL=C */
	bool is_silent; /* neither its output nor how it ended is shown */
	bool passes; /* what it says is printed in any case, and not only under -V */
	/* Filled: */
	bool was_started;
	bool has_ended; /* was started, and not ended by a signal */
	int exit_code;
	/* errors ends with the reason if it has not ended, but not of a silent command */
	struct str output, errors;
};
/* The command, as one word, and the words of CoverageExtraFlags. */
str_vec coverage_command_words(struct coverage *c, struct str command);
void coverage_command_run(struct coverage *c, struct coverage_command *command);
/* Runs the command for a data file, with ctest's messages and log entries. false: it did
 * not end by itself. */
bool coverage_command_call(struct coverage *c, struct coverage_command *command,
	struct str directory, struct str file);

#endif
