/*
 * Regular expressions. Subjects are bytes, not UTF-8.
 *
 * Whether an expression occurs is decided by automata in time linear in the subject, for
 * any expression and any length (regex_search). Where it matches and what its groups are
 * comes from PCRE2, of which match.c is the only user; where PCRE2 would take too long,
 * from the automaton regex_pike. So every question has
 * its exact answer, and no expression can take more time than in proportion to the text.
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
	size_t n; /* groups of the expression, with the whole, at most MATCH_GROUPS */
};

/* Leftmost match at or after from; what precedes from still counts for '^'. m may be
 * NULL: no match. match may be NULL. One thread. */
bool match_find(
	const struct matcher *m, struct str subject, size_t from, struct match *match);
/* Whether there is a match. m may be NULL: no. */
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
 * text that comes in pieces and need not be kept. All patterns are searched together. */
struct match_search;
/* At the begin of a text. The patterns are of one set. */
struct match_search *match_search_open(
	struct arena *a, const struct pattern_list *lists, size_t n);
/* Another search that has read the same. */
struct match_search *match_search_copy(struct arena *a, const struct match_search *s);
void match_search_close(struct match_search *s);
void match_search_read(struct match_search *s, struct str piece);
/* false: what else comes makes no difference. */
bool match_search_goes_on(const struct match_search *s);
/* The first that occurs, if the text ends here; NULL: none does. */
const struct pattern *match_search_found(const struct match_search *s);
/* The same for a text that is there, of which not more than a piece need be in memory. */
const struct pattern *match_first(
	const struct pattern_list *lists, size_t n, const struct long_text *text);

/* Parses the user's dialect; on failure false, and *why says why. */
typedef bool match_parse(
	struct arena *a, struct str text, struct regex_tree *tree, struct str *why);

/* A pattern text is compiled once per set. Library memory is freed by match_set_close. */
struct match_set;
struct match_set *match_set_open(struct arena *a, match_parse *parse);
void match_set_close(struct match_set *s);
/* Never NULL. *why, which may be NULL, gets the reason whenever the text does not compile
 * (ctest says it at every use of a bad pattern), else STR_NONE. */
const struct pattern *match_set_get(
	struct match_set *s, struct str text, struct str *why);

#endif
