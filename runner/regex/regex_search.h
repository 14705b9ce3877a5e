/*
 * The first of several regular expressions that occurs anywhere in a text, where the
 * text comes in pieces and need not be kept. Time is linear in the text.
 *
 * An automaton is made of the expressions once, and serves several searches, each of
 * which has a text. "First" is by the order of the expressions, not by place: once one
 * has matched, those after it are searched no more.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_SEARCH_H
#define CCTR_RUNNER_REGEX_REGEX_SEARCH_H

#include "runner/regex/regex_dfa.h"

struct regex_automaton;
/* The trees are needed no more afterwards. */
struct regex_automaton *regex_automaton_open(const struct regex_tree *trees, size_t n);
/* No search uses it. */
void regex_automaton_close(struct regex_automaton *a);
/* How many searches use it. */
size_t regex_automaton_users(const struct regex_automaton *a);

struct regex_search;
/* At the begin of a text. Closed by regex_search_close; the memory is the arena's. */
struct regex_search *regex_search_open(struct arena *arena, struct regex_automaton *a);
/* Another search that has read the same. */
struct regex_search *regex_search_copy(struct arena *arena, const struct regex_search *s);
void regex_search_close(struct regex_search *s);
void regex_search_read(struct regex_search *s, const char *bytes, size_t n);
/* false: what follows in the text makes no difference. */
bool regex_search_goes_on(const struct regex_search *s);
/* The number of the first expression that occurs in what was read, if the text ends here;
 * REGEX_NONE: none does. */
uint32_t regex_search_found(const struct regex_search *s);

#endif
