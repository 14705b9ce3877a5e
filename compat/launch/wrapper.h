/*
 * A program that runs each test for cctr, such as a memory checker: its words are in
 * front of the test's own. ctest(1), "CTest MemCheck Step".
 */
#ifndef CCTR_COMPAT_LAUNCH_WRAPPER_H
#define CCTR_COMPAT_LAUNCH_WRAPPER_H

#include "runner/base/base.h"

struct configuration;
struct console;
struct wrapper;

struct wrapper_type {
	/* Reads from the configuration which program it is. false, after saying why:
	 * there is none, or none that is known. */
	bool (*choose)(struct wrapper *w, struct arena *a, const struct configuration *c,
		struct console *console);
	/* For a listing, which needs no program: shown is "". */
	void (*choose_none)(struct wrapper *w);
	/* All words in front of the test's own, the program first; makes the folders that
	 * the words name. number: of the test. */
	struct str_list (*words)(
		const struct wrapper *w, struct arena *a, unsigned number);
	/* These words as -V shows them. */
	struct str (*line)(
		const struct wrapper *w, struct arena *a, struct str_list words);
};
struct wrapper {
	const struct wrapper_type *type;
	struct str shown; /* the program as it was given */
	const char *path; /* the file that is executed */
};

#endif
