/* See exact_names.h. */
#include "compat/run/exact_names.h"

#include "runner/base/nearest.h"

static struct str
find_meant(struct arena *a, struct str name, const struct suite *s)
{
	struct str_list all = {NEW_ARRAY(a, struct str, s->n), s->n};

	for (size_t i = 0; i < s->n; i++)
		all.v[i] = s->tests[i].name;
	return nearest_word(name, all);
}

bool
exact_names_check(struct arena *a, const char *option, const str_vec *names,
	const struct suite *s, struct diag *d)
{
	bool all = true;

	for (size_t i = 0; i < names->n; i++) {
		struct str name = names->v[i], hint;

		if (map_has(&s->names, name))
			continue;
		hint = nearest_question(a, find_meant(a, name, s), "\"");
		all = diag_error(d, NO_PLACE, "%s: no test \"%.*s\"%.*s", option,
			STR_ARG(name), STR_ARG(hint));
	}
	return all;
}
