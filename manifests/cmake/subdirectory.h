/*
 * Where subdirs() and add_subdirectory() lead, by ctest's rules: the directory is entered
 * as it is spelled, while "." and ".." are taken out of the file's path as text.
 */
#ifndef CCTR_MANIFESTS_CMAKE_SUBDIRECTORY_H
#define CCTR_MANIFESTS_CMAKE_SUBDIRECTORY_H

#include "runner/model/source.h"

/* What a directory is called. */
struct directory_names {
	const struct dialect *dialect;
	struct str top, physical_top;
};
struct directory_names directory_names_of(
	struct arena *a, const struct source_request *request);

struct subdirectory {
	struct str directory; /* that its tests run in */
	struct str file; /* to read; n is 0: there is none, which is no error */
	struct str spelled; /* the file, as a complaint names it */
	struct str complaint; /* why the command fails; n is 0: it does not */
};
/* is_below: the name is never an absolute one. */
struct subdirectory subdirectory_find(struct arena *a,
	const struct directory_names *names, struct str directory, struct str name,
	bool is_below);
/* The complaint about a file that cannot be read. error: its errno, or 0. */
struct str subdirectory_unreadable(
	struct arena *a, const struct subdirectory *sub, int error);

/* The first of two files that may exist (see path_may_exist), or "". */
struct str first_file(struct arena *a, struct str directory, const char *const names[2]);
extern const char *const test_file_names[2];

#endif
