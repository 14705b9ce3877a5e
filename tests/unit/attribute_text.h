/* Attributes of PMIx as text: "pmix.alloc.ncpus=2! net[ pmix.alloc.netid=eth0 ]
 * flag=true". A number, true, false, or else a text; a ! at the end: it is required. */
#ifndef CCTR_TESTS_UNIT_ATTRIBUTE_TEXT_H
#define CCTR_TESTS_UNIT_ATTRIBUTE_TEXT_H

#include "runner/pmix/pmix_terms.h"

static inline struct attribute
attribute_of(struct str word)
{
	struct attribute e = {.kind = ATTRIBUTE_TEXT};

	e.is_required = str_ends(word, STR("!"));
	word.n -= e.is_required;
	e.key = str_take(&word, '=');
	e.text = word;
	if (word.n && (word.p[0] == '-' || (word.p[0] >= '0' && word.p[0] <= '9'))) {
		e.kind = ATTRIBUTE_NUMBER;
		e.number = str_double(word);
	} else if (str_is(word, "true") || str_is(word, "false")) {
		e.kind = ATTRIBUTE_FLAG;
		e.flag = str_is(word, "true");
	}
	return e;
}

/* Up to the word "]", which is taken. */
static inline struct attribute_vec
attributes_of(struct arena *a, struct str *text, unsigned deep)
{
	struct attribute_vec v = {NULL, 0, 0};

	while (text->n) {
		struct str word = str_take(text, ' ');
		struct attribute e;

		if (str_is(word, "]"))
			break;
		if (!word.n)
			continue;
		e = attribute_of(word);
		if (deep && str_ends(word, STR("["))) {
			struct attribute_vec inner = attributes_of(a, text, deep - 1);

			e = (struct attribute){.key = str_cut(word.p, word.n - 1),
				.kind = ATTRIBUTE_LIST,
				.v = inner.v,
				.n = inner.n};
		}
		VEC_PUSH(a, &v, e);
	}
	return v;
}

#endif
