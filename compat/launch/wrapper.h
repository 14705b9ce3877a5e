/*
 * A program that runs each test for cctr, such as a memory checker: its words come before
 * the test's own. ctest(1), "CTest MemCheck Step".
 */
#ifndef CCTR_COMPAT_LAUNCH_WRAPPER_H
#define CCTR_COMPAT_LAUNCH_WRAPPER_H

#include "runner/base/base.h"

struct configuration;
struct console;
struct wrapper;

struct wrapper_type {
	/* Reads from the configuration which program it is. false, after a message: none
	 * is given, or an unknown one. */
	bool (*choose)(struct wrapper *w, struct arena *a, const struct configuration *c,
		struct console *console);
	/* For a listing, which needs no program: sets shown to "". */
	void (*choose_none)(struct wrapper *w);
	/* All words that come before the test's own, the program first. Makes the folders
	 * that the words name. number: of the test. */
	struct str_list (*words)(
		const struct wrapper *w, struct arena *a, unsigned number);
	/* The words as -V shows them. */
	struct str (*line)(
		const struct wrapper *w, struct arena *a, struct str_list words);
};
struct wrapper {
	const struct wrapper_type *type;
	struct str shown; /* the program as it was given */
	const char *path; /* the file that is executed */
};

#endif
