/* The words for a run of tests: for the test step, and for the memcheck step. */
#ifndef CCTR_COMPAT_CONSOLE_RUN_WORDS_H
#define CCTR_COMPAT_CONSOLE_RUN_WORDS_H

#include <stdbool.h>

struct run_words {
	const char *project; /* "Test", of "Test project" */
	const char *log; /* "LastTest" */
	const char *result; /* "Test", of "Test #1" and "Test command" */
	const char *listed; /* "Test", of -N */
	const char *before, *after; /* "pre-test": for commands of CTestCustom */
	const char *ignored; /* "Ignore test: ", before a name */
};
const struct run_words *run_words(bool is_memcheck);

#endif
