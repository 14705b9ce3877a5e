/*
 * Which lines of one text another replaces: the patience diff of Bram Cohen. Lines that
 * both texts have once are matched first, so that blocks stay together.
 */
#ifndef CCTR_COMPAT_COMPARE_LINE_DIFF_H
#define CCTR_COMPAT_COMPARE_LINE_DIFF_H

#include "runner/base/base.h"

/* Lines [a, a + a_n) of the first text became lines [b, b + b_n) of the second. */
struct line_change {
	size_t a, a_n, b, b_n;
};
typedef VEC(struct line_change) line_changes;

/* In order; between two changes is at least one line that both have. */
line_changes line_diff(struct arena *a, struct str_list from, struct str_list to);

#endif
