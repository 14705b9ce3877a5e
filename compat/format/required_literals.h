/*
 * Required literals: a text can only match an expression if it contains at least one of
 * these few short texts. If many expressions look at many lines, one search for all of
 * these texts saves nearly all of the matching.
 */
#ifndef CCTR_COMPAT_FORMAT_REQUIRED_LITERALS_H
#define CCTR_COMPAT_FORMAT_REQUIRED_LITERALS_H

#include "runner/base/base.h"

enum { REQUIRED_LITERALS_MOST = 8 };
/* n is 0: nothing is known, and every text may match. */
struct required_literals {
	struct str texts[REQUIRED_LITERALS_MOST]; /* in the arena */
	size_t n;
};
struct required_literals required_literals_of(struct arena *a, struct str expression);

/* An expression that matches in exactly the same texts but reads less of them: "([^:]):
 * x" for "([^:]+): x". Its groups differ. */
struct str regex_lean(struct arena *a, struct str expression);

#endif
