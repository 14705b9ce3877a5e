/* The word that someone who typed another one probably meant. */
#ifndef CCTR_RUNNER_BASE_NEAREST_H
#define CCTR_RUNNER_BASE_NEAREST_H

#include "runner/base/base.h"

/* The word with the fewest edits from `typed`, the first of several. An edit inserts,
 * removes or replaces a byte, or swaps two neighbours. STR_NONE: every word needs more
 * than one edit and more than a quarter of its bytes, or as many as `typed` has bytes. */
struct str nearest_word(struct str typed, struct str_list words);
/* "did you mean WORD?"; where no word is near, `lead` and all words: "the keys are a, b".
 * NUL-terminated. */
struct str nearest_hint(
	struct arena *a, struct str typed, struct str_list words, const char *lead);
/* For the end of a message: "; did you mean 'WORD'?" with that quote, "" if meant has no
 * bytes. NUL-terminated. */
struct str nearest_question(struct arena *a, struct str meant, const char *quote);

#endif
