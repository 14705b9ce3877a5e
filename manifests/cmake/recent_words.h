/* Copies of words that live as long as the arena. A word that was copied recently is not
 * copied again: large files repeat few words. */
#ifndef CCTR_MANIFESTS_CMAKE_RECENT_WORDS_H
#define CCTR_MANIFESTS_CMAKE_RECENT_WORDS_H

#include "runner/base/base.h"

struct recent_words;
struct recent_words *recent_words_new(struct arena *a);
struct str recent_words_keep(struct recent_words *w, struct str s);

#endif
