/*
 * Messages of cmake -P as ctest would have printed them: call stacks without the frames
 * of the script around the file, files named as ctest names them.
 */
#ifndef CCTR_RUNNER_CMAKELANG_CMAKE_FRAMES_H
#define CCTR_RUNNER_CMAKELANG_CMAKE_FRAMES_H

#include "runner/base/diag.h"

/* A limit of recursion that is set for the one that messages are to name. */
struct cmake_limit {
	uint64_t set, named; /* set 0: none is set */
};
struct cmake_frames {
	struct str directory; /* where cmake ran: it shortens names below */
	struct str file, spelled; /* the test file, absolute, and its name in messages */
	struct str ours[2]; /* files whose frames are not shown, absolute */
	size_t *errors; /* NULL, or raised by how many are errors of the file */
	/* " (COMMAND)" of ours, or NULL: what it was called by is not shown. */
	const char *cut;
	/* A warning from the first of them stands for an error. */
	bool raises;
	bool *ended; /* with raises: set by the error "_cctr_ends", which is not shown */
	const struct place *caller; /* frames that belong below all others, or NULL */
	const struct cmake_limit *limit; /* NULL, or one of ours */
};
/* The empty lines behind a message belong to it. */
struct str cmake_frames_behind_blanks(struct str text);
struct str cmake_frames_restore(
	struct arena *a, const struct cmake_frames *f, struct str messages);

/*
 * The last message whose text is mark is taken off the end of the messages (of the
 * script's own). Returns where the test file stood then, with its callers; NULL: unknown.
 */
const struct place *cmake_frames_take_mark(struct arena *a, const struct cmake_frames *f,
	struct str mark, struct str *messages);

/* As cmake writes them without CLICOLOR_FORCE, which is for ctest's own words. */
struct str cmake_frames_uncolour(struct arena *a, struct str messages);

#endif
