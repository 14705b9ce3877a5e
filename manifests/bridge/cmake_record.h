/*
 * What cmake writes about a file that it evaluates: the record of CctrManifest.cmake
 * (described there) and the environment as env -0 lists it.
 */
#ifndef CCTR_MANIFESTS_BRIDGE_CMAKE_RECORD_H
#define CCTR_MANIFESTS_BRIDGE_CMAKE_RECORD_H

#include "manifests/bridge/cmake_process.h"

/* The value of "NAME=value" entries by name; later ones replace earlier ones. */
struct environment {
	struct map names;
	VEC(struct environment_change) v;
};

/* This process's own environment, with the changes. */
struct environment cmake_environment_before(
	struct arena *a, const struct environment_change *changes, size_t n);
char **cmake_environment_array(struct arena *a, const struct environment *e);
/* Adds to answer what is different in the NUL-ended entries of text. */
void cmake_environment_compare(struct arena *a, const struct environment *before,
	struct str text, struct cmake_answer *answer);

#endif
