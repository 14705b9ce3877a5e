/*
 * A program that runs each test for cctr, such as a memory checker: its words are in
 * front of the test's own. ctest(1), "CTest MemCheck Step".
 */
#ifndef CCTR_COMPAT_LAUNCH_WRAPPER_H
#define CCTR_COMPAT_LAUNCH_WRAPPER_H

#include "runner/base/base.h"

struct configuration;
struct console;
struct test_wrapper;

struct test_wrapper_type {
	/* Reads from the configuration which program it is. false, after saying why:
	 * there is none, or none that is known. */
	bool (*choose)(struct test_wrapper *w, struct arena *a,
		const struct configuration *c, struct console *console);
	/* For a listing, which needs no program: shown is "". */
	void (*choose_none)(struct test_wrapper *w);
	/* All words in front of the test's own, the program first; makes the folders that
	 * the words name. number: of the test. */
	struct str_list (*words)(
		const struct test_wrapper *w, struct arena *a, unsigned number);
	/* These words as -V shows them. */
	struct str (*line)(
		const struct test_wrapper *w, struct arena *a, struct str_list words);
};
struct test_wrapper {
	const struct test_wrapper_type *type;
	struct str shown; /* the program as it was given */
	const char *path; /* the file that is executed */
};

#endif
