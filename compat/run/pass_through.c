/* See pass_through.h. */
#include "compat/run/pass_through.h"

#include <string.h>

void
pass_through_add(struct arena *a, declaration_vec *list, const struct str_list *words)
{
	for (size_t i = 0; words->n && i < list->n; i++) {
		struct str_list *declared = &list->v[i].words;
		struct str *all;

		if (list->v[i].kind != DECLARE_TEST)
			continue;
		all = NEW_ARRAY(a, struct str, declared->n + words->n);
		memcpy(all, declared->v, declared->n * sizeof *all);
		memcpy(all + declared->n, words->v, words->n * sizeof *all);
		*declared = (struct str_list){all, declared->n + words->n};
	}
}
