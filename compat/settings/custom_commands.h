/* CTEST_CUSTOM_PRE_TEST and CTEST_CUSTOM_POST_TEST: cmake-variables(7). */
#ifndef CCTR_COMPAT_SETTINGS_CUSTOM_COMMANDS_H
#define CCTR_COMPAT_SETTINGS_CUSTOM_COMMANDS_H

#include "compat/console/console.h"

struct custom_runner {
	const struct dialect *dialect;
	struct console *console;
	const char *directory; /* where they run */
	const char *when; /* "pre-test" */
	int *interrupted; /* set to the signal */
};
/* Runs the command lines one after the other. Their output goes to standard output, also
 * under -Q. false after a message: one of them failed, and those after it do not run. An
 * interrupt is passed on to the command, and not reported. */
bool custom_commands_run(
	struct arena *a, const struct custom_runner *r, const struct str_list *commands);
/* The words of a command line. A quote counts only at the start of a word, and ends the
 * word; elsewhere a backslash makes the next character literal. */
struct str_list custom_command_words(struct arena *a, struct str line);

#endif
