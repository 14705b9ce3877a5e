/*
 * Where ctest looks for a test's executable: beside the configuration's folders, then in
 * PATH; with the list of places it prints when it finds none.
 *
 * Results are kept by (word, directory), since most tests of a suite share a few. What
 * was found stays found; what was not is looked for again after executable_finder_again.
 */
#ifndef CCTR_COMPAT_LAUNCH_EXECUTABLE_H
#define CCTR_COMPAT_LAUNCH_EXECUTABLE_H

#include "runner/cmakelang/dialect.h"
#include "runner/model/model.h"

struct executable_finder;
struct executable_finder *executable_finder_new(
	struct arena *a, const struct dialect *dialect, struct str configuration);
/* Files may have appeared since: a test has run. */
void executable_finder_again(struct executable_finder *f);

/* A file or folder of which the system could not say what it is, so that a program may be
 * missing, or be another one: *error gets the errno. "": there is none. */
struct str executable_finder_unread(const struct executable_finder *f, int *error);

struct executable {
	struct str path; /* full path with a NUL behind it, or "" when not found */
	struct str search; /* "Could not find executable ...", printed when not found */
	bool not_available; /* the word is NOT_AVAILABLE */
};
/* Valid as long as the finder's arena. directory: the test's working directory. */
const struct executable *executable_find(
	struct executable_finder *f, struct str word, struct str directory);

/* What --build-and-test looks for: once, and in the way of tests. */
struct executable_search {
	struct str path; /* with a NUL behind it, or "" when not found */
	struct str configuration; /* whose folder it was found in, or "" */
	struct str tried; /* every place on a line, twice */
};
/* extra: another path to try, "" for none, where the word names no directory. */
struct executable_search executable_search(struct executable_finder *f, struct str word,
	struct str extra, struct str directory);

/* "Test command: ..." as ctest spells it: blanks of the executable escaped, every
 * argument in double quotes. */
struct str executable_command_line(
	struct arena *a, struct str path, const struct str *arguments, size_t n);

#endif
