/*
 * Searches for many short texts at once (Aho-Corasick): a line is read once, however many
 * texts there are.
 */
#ifndef CCTR_COMPAT_FORMAT_TEXT_FINDER_H
#define CCTR_COMPAT_FORMAT_TEXT_FINDER_H

#include "runner/base/base.h"

/* A set of small numbers. */
struct number_set {
	uint64_t *words;
	size_t n; /* words */
};
struct number_set number_set_in(struct arena *a, size_t most);
bool number_set_has(const struct number_set *s, size_t number);

struct text_finder;
/* most: numbers must be below it. */
struct text_finder *text_finder_new(struct arena *a, size_t most);
/* Reports number if text is found. An empty text is always found. */
void text_finder_add(struct text_finder *f, struct str text, size_t number);
/* Call it after the last text. */
void text_finder_finish(struct text_finder *f);
/* Sets *found to the numbers of all texts that occur in the line. */
void text_finder_look(
	const struct text_finder *f, struct str line, struct number_set *found);

#endif
