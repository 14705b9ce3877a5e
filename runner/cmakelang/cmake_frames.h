/*
 * Messages of cmake -P as ctest would have printed them: call stacks without the frames
 * of the script around the file, and files named as ctest names them.
 */
#ifndef CCTR_RUNNER_CMAKELANG_CMAKE_FRAMES_H
#define CCTR_RUNNER_CMAKELANG_CMAKE_FRAMES_H

#include "runner/base/diag.h"

/* A recursion limit: set is in force, messages must show named. */
struct cmake_limit {
	uint64_t set, named; /* set 0: there is no limit */
};
struct cmake_frames {
	/* where cmake ran: it shortens names below this directory */
	struct str directory;
	struct str file, spelled; /* the test file, absolute, and its name in messages */
	struct str ours[2]; /* files whose frames are not shown, absolute */
	size_t *errors; /* NULL, or incremented by the number of errors of the file */
	/* " (COMMAND)" of ours, or NULL: its callers are not shown. */
	const char *cut;
	/* A warning from ours[0] stands for an error. */
	bool raises;
	bool *ended; /* with raises: set by the error "_cctr_ends", which is not shown */
	const struct place *caller; /* frames that come below all others, or NULL */
	const struct cmake_limit *limit; /* NULL, or a limit of ours */
};
/* The text without the empty lines at its start, which belong to the message before. */
struct str cmake_frames_behind_blanks(struct str text);
struct str cmake_frames_restore(
	struct arena *a, const struct cmake_frames *f, struct str messages);

/*
 * Removes the last message whose text is mark (it is the script's own) from the messages.
 * Returns where the test file was then, with its callers; NULL: unknown.
 */
const struct place *cmake_frames_take_mark(struct arena *a, const struct cmake_frames *f,
	struct str mark, struct str *messages);

/* Whether the text begins with the first words of a message, in a colour or not. */
bool cmake_frames_begin_message(struct str text);
/* true: in this environment cmake colours messages, also where no terminal reads them. In
 * ctest these variables apply only to its own words. */
bool cmake_frames_have_colours(const char *const *environment);
/* The messages without these colours: whole lines. */
struct str cmake_frames_uncolour(struct arena *a, struct str messages);

#endif
