/* Functions that sort arrays, made of the members that decide. */
#ifndef CCTR_RUNNER_BASE_SORT_H
#define CCTR_RUNNER_BASE_SORT_H

#include <stdlib.h>

#include "runner/base/base.h"

/* Defines static void name(type *v, size_t n), which sorts an array. The keys decide in
 * turn: ASCENDING(member), DESCENDING(member), TEXTUAL(member), and ITSELF or
 * TEXTUAL_ITSELF where the elements are numbers or texts. SORT_TEXT compares what is
 * computed of a and b. name_order is the comparison, for bsearch(3). */
#define SORT_BY(name, type, keys) SORT_AS(name, type, type const *, , keys)
/* For elements that point to what has the members. */
#define SORT_POINTERS_BY(name, type, keys) SORT_AS(name, type *, type *, *, keys)
#define SORT_AS(name, element, pointer, of, keys)                                        \
	static int name##_order(const void *left, const void *right)                     \
	{                                                                                \
		pointer a = of((element const *)left);                                   \
		pointer b = of((element const *)right);                                  \
                                                                                         \
		keys return 0;                                                           \
	}                                                                                \
	static void name(element *v, size_t n)                                           \
	{                                                                                \
		if (n > 1)                                                               \
			qsort(v, n, sizeof *v, name##_order);                            \
	}
#define SORT_KEY(before, after)                                                          \
	if ((before) != (after))                                                         \
		return (before) < (after) ? -1 : 1;
#define ASCENDING(member) SORT_KEY(a->member, b->member)
#define DESCENDING(member) SORT_KEY(b->member, a->member)
#define TEXTUAL(member) SORT_TEXT(a->member, b->member)
#define SORT_TEXT(before, after)                                                         \
	{                                                                                \
		int order = str_order((before), (after));                                \
                                                                                         \
		if (order)                                                               \
			return order;                                                    \
	}
#define ITSELF SORT_KEY(*a, *b)
#define TEXTUAL_ITSELF SORT_TEXT(*a, *b)

#endif
