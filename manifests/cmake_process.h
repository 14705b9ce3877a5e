/*
 * The exact fallback: real CMake evaluates one directory's test file (cmake -P with
 * cmake/CctrManifest.cmake) and the calls it makes come back as data.
 */
#ifndef CCTR_MANIFESTS_CMAKE_PROCESS_H
#define CCTR_MANIFESTS_CMAKE_PROCESS_H

#include "runner/model.h"
#include "runner/source.h"

struct cmake_call {
	struct str command; /* add_test, set_tests_properties, subdirs, ... lower case */
	struct str_list words;
};
struct cmake_answer {
	struct cmake_call *calls; /* in order */
	size_t calls_n;
	struct variable *variables; /* at the end of the file */
	size_t variables_n;
	const struct environment_change *environment; /* what set(ENV{}) changed */
	size_t environment_n;
	struct str messages; /* what cmake wrote to standard error */
	bool failed;         /* an error was raised; calls may still be there */
};
struct cmake_question {
	struct str file;      /* to include, absolute */
	struct str directory; /* cwd of the evaluation */
	const struct variable *variables; /* handed down */
	size_t variables_n;
	const struct source_request *request;
};
/* false after diag_error: no cmake, or it could not be started. */
bool cmake_process_ask(struct arena *a, const struct cmake_question *q,
	struct cmake_answer *answer, struct diag *d);

#endif
