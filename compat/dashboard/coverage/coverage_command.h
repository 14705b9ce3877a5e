/* A tool of coverage. See coverage.h. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_COMMAND_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_COMMAND_H

#include "compat/dashboard/coverage/coverage.h"

struct coverage_command {
	str_vec words;
	const char *directory; /* where it runs; NULL: where we are */
	bool in_c; /* with LC_ALL=C */
	bool is_silent; /* what it writes is not shown under -V */
	/* Filled: */
	bool has_ended; /* was started and not ended by a signal */
	int exit_code;
	struct str output, errors; /* errors ends with why it has not ended */
};
/* The command, which is one word, and the words of CoverageExtraFlags. */
str_vec coverage_command_words(struct coverage *c, struct str command);
/* As ctest shows them: in quotes where there are blanks. */
void coverage_command_spell(struct buf *out, const str_vec *words);
void coverage_command_run(struct coverage *c, struct coverage_command *command);
/* The same for a file of data, with what ctest shows and writes to its log of it. false:
 * it did not come to its end. */
bool coverage_command_call(struct coverage *c, struct coverage_command *command,
	struct str directory, struct str file);

#endif
