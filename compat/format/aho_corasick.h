/*
 * Searches for many short texts at once (Aho-Corasick): a line is read once, however many
 * texts there are.
 */
#ifndef CCTR_COMPAT_FORMAT_AHO_CORASICK_H
#define CCTR_COMPAT_FORMAT_AHO_CORASICK_H

#include "runner/base/base.h"

/* A set of small numbers. */
struct number_set {
	uint64_t *words;
	size_t n; /* words */
};
struct number_set number_set_in(struct arena *a, size_t most);
bool number_set_has(const struct number_set *s, size_t number);

struct aho_corasick;
/* most: numbers must be below it. */
struct aho_corasick *aho_corasick_new(struct arena *a, size_t most);
/* Reports number if text is found. An empty text is always found. */
void aho_corasick_add(struct aho_corasick *m, struct str text, size_t number);
/* Call it after the last text. */
void aho_corasick_build(struct aho_corasick *m);
/* Sets *found to the numbers of all texts that occur in the line. */
void aho_corasick_search(
	const struct aho_corasick *m, struct str line, struct number_set *found);

#endif
