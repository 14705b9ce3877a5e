/* CTEST_CUSTOM_PRE_TEST and CTEST_CUSTOM_POST_TEST: cmake-variables(7). */
#ifndef CCTR_COMPAT_CUSTOM_COMMANDS_H
#define CCTR_COMPAT_CUSTOM_COMMANDS_H

#include "compat/console.h"

/* Runs the command lines one after the other, with cctr's own streams. false, and said,
 * when one of them failed; those behind it do not run. when: "pre-test". */
bool custom_commands_run(struct arena *a, struct console *c,
	const struct str_list *commands, const char *when);
/* The words of a command line: quotes of both kinds, and a backslash before a character,
 * keep it in its word. */
struct str_list custom_command_words(struct arena *a, struct str line);

#endif
