/*
 * Required literals: a text can only match an expression if it contains at least one of
 * these few short texts. If many expressions look at many lines, one search for all of
 * these texts saves nearly all of the matching.
 */
#ifndef CCTR_COMPAT_FORMAT_REGEX_NEEDS_H
#define CCTR_COMPAT_FORMAT_REGEX_NEEDS_H

#include "runner/base/base.h"

enum { REGEX_NEEDS_MOST = 8 };
/* n is 0: nothing is known, and every text may match. */
struct regex_needs {
	struct str texts[REGEX_NEEDS_MOST]; /* in the arena */
	size_t n;
};
struct regex_needs regex_needs_of(struct arena *a, struct str expression);

/* An expression that matches in exactly the same texts but reads less of them: "([^:]):
 * x" for "([^:]+): x". Its groups differ. */
struct str regex_lean(struct arena *a, struct str expression);

#endif
