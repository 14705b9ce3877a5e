/*
 * Regular expressions. Subjects are bytes, not UTF-8.
 *
 * Whether an expression occurs is decided by automata, in time linear in the subject, for
 * any expression and any length (regex_search). Where it matches and what its groups are
 * comes from PCRE2, which only match.c uses; where PCRE2 would take too long, it comes
 * from the automaton regex_pike. So every answer is exact, and the time for an expression
 * is always linear in the text.
 */
#ifndef CCTR_RUNNER_REGEX_MATCH_H
#define CCTR_RUNNER_REGEX_MATCH_H

#include "runner/base/base.h"
#include "runner/base/diag.h"
#include "runner/base/long_text.h"
#include "runner/regex/regex_tree.h"

struct matcher;
enum { MATCH_GROUPS = 10 };
/* groups[0] is the whole match; a group that did not take part is STR_NONE. */
struct match {
	struct str groups[MATCH_GROUPS];
	size_t n; /* the number of groups, with the whole match, at most MATCH_GROUPS */
};

/* The leftmost match at or after from; text before from still counts for '^'. m may be
 * NULL: no match. match may be NULL. For one thread. */
bool match_find(
	const struct matcher *m, struct str subject, size_t from, struct match *match);
/* Whether there is a match. m may be NULL: no match. */
bool match_has(const struct matcher *m, struct str subject);

/*
 * A pattern as the user wrote it together with its matcher; matcher is NULL for a pattern
 * that does not compile: such a pattern never matches, as in ctest.
 */
struct pattern {
	struct str text;
	const struct matcher *matcher;
};
struct pattern_list {
	const struct pattern **v;
	size_t n;
};

/* The first pattern of some lists, in the order of the lists, that occurs anywhere in a
 * text. The text comes in pieces and need not be kept. All patterns are searched
 * together. */
struct match_search;
/* Starts a search at the beginning of a text. The patterns are of one set. */
struct match_search *match_search_open(
	struct arena *a, const struct pattern_list *lists, size_t n);
/* A copy of a search, which has read the same text. */
struct match_search *match_search_copy(struct arena *a, const struct match_search *s);
void match_search_close(struct match_search *s);
void match_search_read(struct match_search *s, struct str piece);
/* false: the rest of the text makes no difference. */
bool match_search_goes_on(const struct match_search *s);
/* The first pattern that occurs, if the text ends here; NULL: none does. */
const struct pattern *match_search_found(const struct match_search *s);
/* As a search over a text that is complete, of which only one piece at a time need be in
 * memory. */
const struct pattern *match_first(
	const struct pattern_list *lists, size_t n, const struct long_text *text);

/* Parses the user's regular expression; on failure false, and *why is the reason. */
typedef bool match_parse(
	struct arena *a, struct str text, struct regex_tree *tree, struct str *why);

/* A pattern text is compiled once per set. Library memory is freed by match_set_close. */
struct match_set;
struct match_set *match_set_open(struct arena *a, match_parse *parse);
void match_set_close(struct match_set *s);
/* Never NULL. *why, which may be NULL, becomes the reason each time the text does not
 * compile (ctest prints it at every use of a bad pattern), else STR_NONE. */
const struct pattern *match_set_get(
	struct match_set *s, struct str text, struct str *why);

#endif
