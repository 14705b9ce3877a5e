/*
 * Filter expressions: predicates such as "label(gpu)", joined by operators
 * (cctr-filter(7)). Which predicates there are, and whether one holds, is the caller's.
 *
 *   expression = term { ("|" | "+" | "or") term }
 *   term       = factor { ("&" | "-" | "and") factor }
 *   factor     = ("!" | "not") factor | "(" expression ")" | predicate
 *   predicate  = NAME "(" [ argument ] ")"
 *
 * "&&" and "||" are "&" and "|". "a - b" is "a & !b".
 */
#ifndef CCTR_RUNNER_FILTER_FILTER_EXPRESSION_H
#define CCTR_RUNNER_FILTER_FILTER_EXPRESSION_H

#include "runner/base/diag.h"
#include "runner/filter/filter_word.h"

enum filter_argument {
	ARGUMENT_NONE, /* NAME() */
	ARGUMENT_WORD, /* a glob, =TEXT, ~PART, #GLOB or /REGEX/ */
	ARGUMENT_NUMBER, /* N, =N, <N, <=N, >N, >=N, N..N, N.. or ..N */
	ARGUMENT_SECONDS, /* the same; numbers may have a unit: ms, s, m or h */
	ARGUMENT_FIELD /* FIELD, or FIELD and a word that begins with one of = ~ # / */
};
struct filter_row {
	const char *name;
	enum filter_argument argument;
};

/* Both limits count, unless they are open. */
struct filter_interval {
	double low, high;
	bool low_is_open, high_is_open;
};
struct filter_predicate {
	size_t row; /* of the caller's table */
	size_t column; /* where it begins, from 1, in characters */
	struct str field; /* of ARGUMENT_FIELD */
	bool has_word; /* always, except for a field alone */
	bool is_exact; /* the word begins with "=" */
	struct filter_word word;
	struct filter_interval interval; /* of numbers and seconds */
};

struct filter_step;
struct filter_expression {
	struct str text;
	struct filter_predicate *predicates; /* as they come in the text */
	size_t predicates_n;
	struct filter_step *steps;
	size_t steps_n;
};

/* NULL: d has what is wrong, after its column. The text must live as long as the
 * expression. Linear in the text; the depth of parentheses is not limited. */
struct filter_expression *filter_expression_parse(struct arena *a, struct str text,
	const struct filter_row *rows, size_t rows_n, struct diag *d);
/* Compiles the regular expressions. false: d has each that is wrong, with the place. */
CCTR_MUST_CHECK bool filter_expression_compile(struct filter_expression *e,
	struct match_set *patterns, struct place at, struct diag *d);

/* Whether the predicate holds for the item. */
typedef bool filter_holds(void *context, size_t predicate, uint32_t item);
/* Whether the expression holds. Asks only for predicates on which this depends. */
bool filter_expression_accepts(const struct filter_expression *e, filter_holds *holds,
	void *context, uint32_t item);
bool filter_interval_has(const struct filter_interval *i, double value);

#endif
