/*
 * The exact fallback: real CMake evaluates one directory's test file (cmake -P with
 * cmake/CctrManifest.cmake), and the calls that the file makes come back as data.
 *
 * Which cmake: that of the request, else CMAKE_COMMAND of the build tree's
 * CMakeCache.txt, else the one in PATH. At least 3.17.
 */
#ifndef CCTR_MANIFESTS_BRIDGE_CMAKE_PROCESS_H
#define CCTR_MANIFESTS_BRIDGE_CMAKE_PROCESS_H

#include "manifests/bridge/cmake_record.h"
#include "runner/model/model.h"
#include "runner/model/source.h"

/* The state with which a file goes on after a subdirectory. */
struct cmake_state {
	const struct variable *variables;
	size_t variables_n;
	const struct environment_change *environment;
	size_t environment_n;
};
struct cmake_question {
	struct str file; /* to include, absolute */
	struct str spelled; /* the file's name in messages */
	struct str directory; /* working directory of the evaluation */
	/* the subdirs() that led to this file; NULL at the top */
	const struct place *caller;
	struct place needed_by; /* the command that needs cmake, for "none was found" */
	const struct variable *variables; /* set before the file is read */
	size_t variables_n;
	/* set before the file is read, in order */
	const struct environment_change *environment;
	size_t environment_n;
	bool has_tests; /* the file may use add_test and the like */
	/* the first question of a load: remove what killed processes have left */
	bool is_first;
	/* Called at each subdirs() or add_subdirectory(), which is the last call of
	 * so_far. so_far begins after the previous pause. false: the file is not read
	 * further. NULL: these commands are calls like any other. */
	bool (*pause)(void *context, const struct cmake_answer *so_far,
		struct cmake_state *now);
	void *context;
	const struct source_request *request;
};
/* false after diag_error: there is no cmake, or it could not be started. */
CCTR_MUST_CHECK bool cmake_process_ask(struct arena *a, const struct cmake_question *q,
	struct cmake_answer *answer, struct diag *d);

/* Variables that belong to CMake itself and are never passed in either direction: its
 * position in a file, and its own properties. */
bool cmake_process_owns(struct str variable);

#endif
