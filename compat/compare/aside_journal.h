/* The journal of what a comparison has set aside, as text. */
#ifndef CCTR_COMPAT_COMPARE_ASIDE_JOURNAL_H
#define CCTR_COMPAT_COMPARE_ASIDE_JOURNAL_H

#include "runner/base/base.h"

struct aside_item {
	struct str path; /* absolute, without a newline */
	bool was_there;
};
typedef VEC(struct aside_item) aside_items;

struct str aside_journal_text(struct arena *a, const aside_items *items);
/* false: it is not such a text, or not whole. */
CCTR_MUST_CHECK bool aside_journal_read(
	struct arena *a, aside_items *items, struct str text);

#endif
