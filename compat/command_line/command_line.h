/* Parses the command line into struct options. ctest(1). */
#ifndef CCTR_COMPAT_COMMAND_LINE_COMMAND_LINE_H
#define CCTR_COMPAT_COMMAND_LINE_COMMAND_LINE_H

#include "compat/options/options.h"

struct presets;

/* Fills all of *o. Reads CTEST_PARALLEL_LEVEL and the like from the environment. Without
 * arguments, checks whether the working directory has a test file. false: exit with
 * EXIT_USAGE after the messages. If o->help is set, only the messages are shown. earlier:
 * as for presets_read. */
bool command_line_parse(struct arena *a, const struct dialect *dialect,
	const struct presets *earlier, int argc, char *const *argv, struct options *o,
	options_messages *messages);
/* Reads the options that select the dialect, which must be known before the full
 * parse. */
void command_line_peek(struct arena *a, int argc, char *const *argv,
	struct str *compat_version, struct str *test_dir);

#endif
