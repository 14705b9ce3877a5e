/*
 * Files and folders of the user that a comparison moves away, works with copies of, and
 * moves back. A journal in the folder names them, so that the next one who opens
 * the folder moves back what a killed process has left there.
 *
 * Each step is one rename in one file system: at any time the original is either in its
 * place or in the folder.
 */
#ifndef CCTR_COMPAT_COMPARE_SET_ASIDE_H
#define CCTR_COMPAT_COMPARE_SET_ASIDE_H

#include "compat/compare/aside_journal.h"
#include "runner/base/diag.h"

/* What is below this name in the folder is the caller's. */
#define ASIDE_RUNS "runs"

struct aside {
	struct str folder; /* absolute */
	int lock; /* -1: the folder is not open */
	aside_items items;
};

/* Makes the folder, which no other process may use at the time, after it has put back
 * what an earlier one left there: then d has a note. What is in the place of such an
 * original is kept beside it, with the ending ".cctr-compare". Refuses a folder that
 * another program made. */
CCTR_MUST_CHECK bool aside_open(
	struct arena *a, struct aside *s, struct str folder, struct diag *d);
/* Moves what is at the paths into the folder. */
CCTR_MUST_CHECK bool aside_take(
	struct arena *a, struct aside *s, struct str_list paths, struct diag *d);
/* Copies the originals to their places. */
CCTR_MUST_CHECK bool aside_copy(struct arena *a, const struct aside *s, struct diag *d);
/* Moves what is in their places to "0", "1", ... in a new folder of that path. */
CCTR_MUST_CHECK bool aside_collect(
	struct arena *a, const struct aside *s, struct str into, struct diag *d);
/* Whether there is an original of the file: "0/name" is "name" in the first path. */
bool aside_has(struct arena *a, const struct aside *s, struct str file);
/* Moves the originals back over what is in their places, and removes the folder. Where
 * that fails, the folder keeps what is not in its place yet. */
CCTR_MUST_CHECK bool aside_close(struct arena *a, struct aside *s, struct diag *d);

#endif
