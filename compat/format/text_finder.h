/*
 * Many short texts looked for at once (Aho and Corasick): a line is read once, whatever
 * their number.
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
void number_set_add(struct number_set *s, size_t number);
bool number_set_has(const struct number_set *s, size_t number);

struct text_finder;
/* For numbers below most. */
struct text_finder *text_finder_new(struct arena *a, size_t most);
/* Where the text is found, the number is meant. The text may be empty: always. */
void text_finder_add(struct text_finder *f, struct str text, size_t number);
/* After the last text. */
void text_finder_finish(struct text_finder *f);
/* The numbers of all texts that are in the line, in place of what found had. */
void text_finder_look(
	const struct text_finder *f, struct str line, struct number_set *found);

#endif
