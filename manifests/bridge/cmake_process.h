/*
 * The exact fallback: real CMake evaluates one directory's test file (cmake -P with
 * cmake/CctrManifest.cmake) and the calls it makes come back as data.
 *
 * Which cmake: that of the request, else CMAKE_COMMAND of the build tree's
 * CMakeCache.txt, else the one in PATH. At least 3.17.
 */
#ifndef CCTR_MANIFESTS_BRIDGE_CMAKE_PROCESS_H
#define CCTR_MANIFESTS_BRIDGE_CMAKE_PROCESS_H

#include "runner/model/model.h"
#include "runner/model/source.h"

struct cmake_call {
	struct str command; /* add_test, set_tests_properties, subdirs, ... lower case */
	struct str_list words;
};
struct cmake_answer {
	struct cmake_call *calls; /* in order */
	size_t calls_n;
	struct variable *variables; /* all that are set at the end of the file */
	size_t variables_n;
	const struct environment_change *environment; /* what set(ENV{}) changed */
	size_t environment_n;
	struct str
		messages; /* what cmake wrote to standard error, as ctest would show it */
	struct str output; /* what its processes wrote to standard output */
	const struct place *at; /* of the last call, at a pause; NULL: unknown */
	bool failed; /* an error was raised */
	bool is_cut_off; /* and the file not read to its end: the rest has no meaning */
};
/* What a file goes on with behind a subdirectory. */
struct cmake_state {
	const struct variable *variables;
	size_t variables_n;
	const struct environment_change *environment;
	size_t environment_n;
};
struct cmake_question {
	struct str file; /* to include, absolute */
	struct str spelled; /* how messages name it */
	struct str directory; /* cwd of the evaluation */
	const struct place *caller; /* the subdirs() that led here, NULL at the top */
	struct place needed_by; /* the command that needs cmake, for "none was found" */
	const struct variable *variables; /* handed down */
	size_t variables_n;
	const struct environment_change *environment; /* handed down, in order */
	size_t environment_n;
	bool has_tests; /* add_test and its like exist in the file */
	bool is_first; /* of a load: what killed processes left behind is removed */
	/* Called at each subdirs() or add_subdirectory(), the last call of so_far, which
	 * begins behind the one before. false: the file is read no further. NULL: they
	 * are calls like any other. */
	bool (*pause)(void *context, const struct cmake_answer *so_far,
		struct cmake_state *now);
	void *context;
	const struct source_request *request;
};
/* false after diag_error: no cmake, or it could not be started. */
CCTR_MUST_CHECK bool cmake_process_ask(struct arena *a, const struct cmake_question *q,
	struct cmake_answer *answer, struct diag *d);

/* Variables that are CMake's own business and are never handed over in either direction:
 * where it is in a file, and what it is. */
bool cmake_process_owns(struct str variable);

/* The record of CctrManifest.cmake, for tests. false when it is cut off or malformed;
 * what came before is kept. */
bool cmake_process_parse(struct arena *a, struct str record, struct cmake_answer *answer);

#endif
