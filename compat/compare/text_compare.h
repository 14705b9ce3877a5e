/* What differs between two texts, as a unified diff, apart from what differs between two
 * runs of one program as well. */
#ifndef CCTR_COMPAT_COMPARE_TEXT_COMPARE_H
#define CCTR_COMPAT_COMPARE_TEXT_COMPARE_H

#include "runner/base/base.h"

struct text_comparison {
	size_t different; /* changes that count */
	size_t own; /* changes that the tests make themselves */
	struct str diff; /* of what counts, "" if nothing does */
};
/* again: the first text as the next run wrote it; NULL: there was no second run, and
 * every change counts. A change does not count where again differs from the first text in
 * the same place: in lines that keep their number, at most in the same words. */
struct text_comparison text_compare(struct arena *a, struct str_list first,
	struct str_list second, const struct str_list *again);

#endif
