/* From the words of the command line to struct options. ctest(1). */
#ifndef CCTR_COMPAT_COMMAND_LINE_COMMAND_LINE_H
#define CCTR_COMPAT_COMMAND_LINE_COMMAND_LINE_H

#include "compat/options/options.h"

/* Fills all of *o. Reads the environment for CTEST_PARALLEL_LEVEL and the like, and looks
 * whether the working directory has a test file when there are no arguments. false: exit
 * with EXIT_USAGE after the messages; with o->help the messages are all there is to do.
 */
bool command_line_parse(struct arena *a, const struct dialect *dialect, int argc,
	char *const *argv, struct options *o, options_messages *messages);
/* Options that decide the dialect itself must be known before the dialect is. */
void command_line_peek(struct arena *a, int argc, char *const *argv,
	struct str *compat_version, struct str *test_dir);

#endif
