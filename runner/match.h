/*
 * Compiled regular expressions: the only user of PCRE2 (with JIT where it is available).
 *
 * Patterns arrive in PCRE2's language; compat/regex translates CMake's dialect first.
 * Subjects are bytes, not UTF-8. A pattern text is compiled once per set.
 */
#ifndef CCTR_RUNNER_MATCH_H
#define CCTR_RUNNER_MATCH_H

#include "runner/base.h"
#include "runner/diag.h"
#include "runner/long_text.h"

struct matcher;
enum { MATCH_GROUPS = 10 };
/* groups[0] is the whole match; a group that did not take part is STR_NONE. */
struct match {
	struct str groups[MATCH_GROUPS];
	size_t n; /* groups of the pattern, with the whole, at most MATCH_GROUPS */
};

/* NULL, with *why in the arena, when PCRE2 refuses the pattern. Library memory is freed
 * by matcher_close (match_set_close does it for all of a set). */
struct matcher *matcher_open(struct arena *a, struct str pcre2, struct str *why);
void matcher_close(struct matcher *m);
/* Leftmost match at or after from; what precedes from still counts for '^'. m may be
 * NULL: "no". match may be NULL. A match limit that is reached is "no". One thread. */
bool match_find(
	const struct matcher *m, struct str subject, size_t from, struct match *match);
bool match_has(const struct matcher *m, struct str subject);
/* The same for a long text, of which no more is in memory at once than the match may
 * need: from where it may begin to where it is decided. */
bool match_has_long(const struct matcher *m, const struct long_text *subject);
/* The same for a text that grows. *from, first 0, comes to where a match may begin that
 * is not there yet, and what is before it is not looked at again. */
bool match_has_grown(
	const struct matcher *m, const struct long_text *subject, size_t *from);

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

/* Translates the user's dialect to PCRE2's; on failure false, and *why says why. */
typedef bool match_translate(
	struct arena *a, struct str text, struct str *pcre2, struct str *why);

struct match_set;
/* translate may be NULL: patterns are PCRE2's own. */
struct match_set *match_set_open(struct arena *a, match_translate *translate);
void match_set_close(struct match_set *s);
/* Never NULL. *why, which may be NULL, gets the reason whenever the text does not compile
 * (ctest says it at every use of a bad pattern), else STR_NONE. */
const struct pattern *match_set_get(
	struct match_set *s, struct str text, struct str *why);

#endif
