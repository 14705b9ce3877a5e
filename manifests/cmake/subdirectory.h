/*
 * The directory of subdirs() and add_subdirectory(), by ctest's rules: the directory is
 * entered by its name as written, while "." and ".." are removed from the file's path as
 * text.
 */
#ifndef CCTR_MANIFESTS_CMAKE_SUBDIRECTORY_H
#define CCTR_MANIFESTS_CMAKE_SUBDIRECTORY_H

#include "runner/base/deep_path.h"
#include "runner/model/source.h"

/* The names of the top directory. */
struct directory_names {
	const struct dialect *dialect;
	struct str top, physical_top;
	struct deep_path *deep; /* or NULL */
};
struct directory_names directory_names_of(
	struct arena *a, const struct source_request *request);

struct subdirectory {
	struct str directory; /* the directory in which its tests run */
	struct str file; /* the file to read; n is 0: there is none, which is no error */
	struct str spelled; /* the file's name in a message */
	struct str complaint; /* why the command fails; n is 0: it does not fail */
};
/* is_below: the name is never absolute. */
struct subdirectory subdirectory_find(struct arena *a,
	const struct directory_names *names, struct str directory, struct str name,
	bool is_below);
/* The message for a file that cannot be read. error: its errno, or 0. */
struct str subdirectory_unreadable(
	struct arena *a, const struct subdirectory *sub, int error);

/* The first of two files that may exist (see path_may_exist), or "". */
struct str first_file(struct arena *a, struct str directory, const char *const names[2]);
extern const char *const test_file_names[2];

#endif
