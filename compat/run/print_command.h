/* --print-command: the command of a test for a shell, as a run would start it. */
#ifndef CCTR_COMPAT_RUN_PRINT_COMMAND_H
#define CCTR_COMPAT_RUN_PRINT_COMMAND_H

#include "compat/run/run_settings.h"
#include "runner/model/model.h"

/* Prints the commands of the tests that --print-command names. */
enum exit_code print_commands(
	struct run_context *c, const struct run_settings *s, const struct suite *suite);

#endif
