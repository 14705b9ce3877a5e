/* A text of a filter expression, and which other texts it matches. */
#ifndef CCTR_RUNNER_FILTER_FILTER_WORD_H
#define CCTR_RUNNER_FILTER_FILTER_WORD_H

#include "runner/regex/match.h"

enum word_way {
	WORD_EQUAL, /* the whole text */
	WORD_PART, /* a part of it */
	WORD_GLOB, /* the whole text: * any bytes, ? a character, [a-z] [!a-z] one of some
		    */
	WORD_REGEX /* a part of it */
};
struct filter_word {
	enum word_way way;
	/* What is searched for. A backslash in a glob takes the meaning from the next
	 * character; other texts have none. */
	struct str text;
	const struct matcher *matcher; /* of WORD_REGEX, once it is compiled */
};

/* A text without wildcards becomes WORD_EQUAL. */
struct filter_word filter_word_of_glob(struct arena *a, struct str text);
/* The text without the backslashes that take the meaning from the next character. */
struct str filter_word_plain(struct arena *a, struct str text);
/* A regular expression is compiled. Time of a glob: at most the product of the lengths.
 */
bool filter_word_matches(const struct filter_word *w, struct str s);

#endif
