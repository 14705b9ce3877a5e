/*
 * What a text must hold so that one of CMake's regular expressions can match in it at
 * all: of a few short texts, one at least. Where many expressions look at many lines, one
 * search for all of these texts saves nearly all of the matching.
 */
#ifndef CCTR_COMPAT_FORMAT_REGEX_NEEDS_H
#define CCTR_COMPAT_FORMAT_REGEX_NEEDS_H

#include "runner/base/base.h"

enum { REGEX_NEEDS_MOST = 8 };
/* n is 0: nothing is known, every text may match. */
struct regex_needs {
	struct str texts[REGEX_NEEDS_MOST]; /* in the arena */
	size_t n;
};
struct regex_needs regex_needs_of(struct arena *a, struct str expression);

/* An expression that finds something in a text exactly where this one does, but looks at
 * less of it: "([^:]+): x" finds what "([^:]): x" finds. Its groups are other ones. */
struct str regex_lean(struct arena *a, struct str expression);

#endif
