/*
 * Finds the first of several regular expressions that occurs anywhere in a text. The text
 * comes in pieces and need not be kept. Time is linear in the text.
 *
 * An automaton is made from the expressions once, and serves several searches, one for
 * each text. "First" is by the order of the expressions, not by position: once one has
 * matched, the expressions after it are no longer searched.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_SEARCH_H
#define CCTR_RUNNER_REGEX_REGEX_SEARCH_H

#include "runner/regex/regex_sets.h"

struct regex_automaton;
/* The trees are not needed after the call. */
struct regex_automaton *regex_automaton_open(const struct regex_tree *trees, size_t n);
/* No search may use it. */
void regex_automaton_close(struct regex_automaton *a);
/* How many searches use it. */
size_t regex_automaton_users(const struct regex_automaton *a);

struct regex_search;
/* Starts at the beginning of a text. Close it by regex_search_close; the memory is the
 * arena's. */
struct regex_search *regex_search_open(struct arena *arena, struct regex_automaton *a);
/* A copy of a search, which has read the same text. */
struct regex_search *regex_search_copy(struct arena *arena, const struct regex_search *s);
void regex_search_close(struct regex_search *s);
void regex_search_read(struct regex_search *s, const char *bytes, size_t n);
/* false: the rest of the text makes no difference. */
bool regex_search_goes_on(const struct regex_search *s);
/* The number of the first expression that occurs in the text read so far, if the text
 * ends here; REGEX_NONE: none does. */
uint32_t regex_search_found(const struct regex_search *s);

#endif
