/*
 * What cmake writes about a file that it evaluates: the record of CctrManifest.cmake,
 * which describes it.
 */
#ifndef CCTR_MANIFESTS_BRIDGE_CMAKE_RECORD_H
#define CCTR_MANIFESTS_BRIDGE_CMAKE_RECORD_H

#include "runner/model/model.h"
#include "runner/model/source.h"

struct cmake_call {
	struct str command; /* add_test, set_tests_properties, subdirs, ... lower case */
	struct str_list words;
};
struct cmake_answer {
	struct cmake_call *calls; /* in the order of the file */
	size_t calls_n;
	/* all variables that are set at the end of the file */
	struct variable *variables;
	size_t variables_n;
	const struct environment_change *environment; /* the changes made by set(ENV{}) */
	size_t environment_n;
	struct str
		messages; /* what cmake wrote to standard error, as ctest would show it */
	struct str output; /* what its processes wrote to standard output */
	const struct place *at; /* place of the last call, at a pause; NULL: unknown */
	bool failed; /* there was an error */
	/* and the file was not read to its end: the rest is meaningless */
	bool is_cut_off;
};

/* The record of CctrManifest.cmake. false when it is cut off or malformed; what came
 * before is kept. */
bool cmake_record_parse(struct arena *a, struct str record, struct cmake_answer *answer);

#endif
