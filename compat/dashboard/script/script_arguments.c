/* One pass over the words; small tables say which words are keywords. */
#include "compat/dashboard/script/script_arguments.h"

static const struct keyword *
find_in(const struct keyword_tables *tables, const struct keyword *k, struct str word)
{
	for (; k && k->name; k++)
		if (str_is(word, k->name) &&
			(!k->since || tables->dialect->has[k->since - 1]))
			return k;
	return NULL;
}

static const struct keyword *
find_keyword(const struct keyword_tables *tables, struct str word)
{
	const struct keyword *k = find_in(tables, tables->own, word);

	if (!k)
		k = find_in(tables, tables->more, word);
	return k ? k : find_in(tables, tables->common, word);
}

static size_t
values_after(const struct keyword_tables *tables, const struct str_list *words, size_t i)
{
	size_t n = i;

	while (n < words->n && !find_keyword(tables, words->v[n]))
		n++;
	return n - i;
}

/* The entry of a keyword; a repeated keyword uses its first entry. */
static struct step_argument *
place_of(struct step_argument *all, size_t *n, struct str name,
	struct arguments_wrong *wrong)
{
	for (size_t i = 0; i < *n; i++)
		if (str_eq(all[i].name, name)) {
			if (!wrong->twice.p || str_order(name, wrong->twice) < 0)
				wrong->twice = name;
			return &all[i];
		}
	return &all[(*n)++];
}

static void
note_missing(struct arena *a, struct str name, struct arguments_wrong *wrong)
{
	for (size_t i = 0; i < wrong->missing.n; i++)
		if (str_eq(wrong->missing.v[i], name))
			return;
	VEC_PUSH(a, &wrong->missing, name);
}

struct step_argument *
script_arguments(struct arena *a, const struct keyword_tables *tables,
	const struct str_list *words, struct step_call *call,
	struct arguments_wrong *wrong)
{
	struct step_argument *all = NEW_ARRAY(a, struct step_argument, words->n);

	INVARIANT(call && wrong);
	*wrong = (struct arguments_wrong){.unknown = STR_NONE, .twice = STR_NONE};
	call->arguments = all;
	call->n = 0;
	for (size_t i = 0; i < words->n;) {
		const struct keyword *k = find_keyword(tables, words->v[i]);
		size_t n;

		if (!k) {
			if (!wrong->unknown.p)
				wrong->unknown = words->v[i];
			i++;
			continue;
		}
		n = values_after(tables, words, i + 1);
		if (k->takes == TAKES_NONE)
			n = 0;
		else if (k->takes != TAKES_VALUES && n > 1)
			n = 1;
		if (k->takes == TAKES_VALUE && n == 0)
			note_missing(a, words->v[i], wrong);
		*place_of(all, &call->n, words->v[i], wrong) = (struct step_argument){
			words->v[i], n ? &words->v[i + 1] : NULL, n};
		i += 1 + n;
	}
	return all;
}
