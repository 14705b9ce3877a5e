/*
 * Where ctest looks for a test's executable: in the configuration's folders, then in
 * PATH. If there is none, gives the list of places that ctest prints.
 *
 * Results are cached by (word, directory), since most tests of a suite share a few. A hit
 * stays valid; a miss is looked up again after executable_finder_again.
 */
#ifndef CCTR_COMPAT_LAUNCH_EXECUTABLE_H
#define CCTR_COMPAT_LAUNCH_EXECUTABLE_H

#include "runner/cmakelang/dialect.h"
#include "runner/model/model.h"

struct console;
struct executable_finder;
/* directory: the build tree. */
struct executable_finder *executable_finder_new(struct arena *a,
	const struct dialect *dialect, struct str configuration, struct str directory);
/* Call it when a test has run, since new files may exist. */
void executable_finder_again(struct executable_finder *f);

/* Reports the first path that could not be examined, if there is one: a program may be
 * missing, or a wrong one was found. What was found stays valid. */
void executable_finder_close(struct executable_finder *f, struct console *console);

struct executable {
	struct str path; /* full path, followed by a NUL; "" when not found */
	struct str search; /* "Could not find executable ...", printed when not found */
	bool not_available; /* the word is NOT_AVAILABLE */
};
/* Valid as long as the finder's arena. directory: the test's working directory. */
const struct executable *executable_find(
	struct executable_finder *f, struct str word, struct str directory);

/* What --build-and-test looks for: only once, by the rules for tests. */
struct executable_search {
	struct str path; /* followed by a NUL; "" when not found */
	struct str configuration; /* the configuration whose folder has it, or "" */
	struct str tried; /* every place twice, one per line */
};
/* extra: another path to try if word names no directory; "" for none. */
struct executable_search executable_search(struct executable_finder *f, struct str word,
	struct str extra, struct str directory);

/* "Test command: ..." as ctest formats it: blanks in the executable escaped, every
 * argument in double quotes. */
struct str executable_command_line(
	struct arena *a, struct str path, const struct str *arguments, size_t n);

#endif
