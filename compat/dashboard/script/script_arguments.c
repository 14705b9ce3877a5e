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

static struct step_argument *
find_argument(struct step_argument *all, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(all[i].name, name))
			return &all[i];
	return NULL;
}

/* A repeated keyword adds to its list. Another one changes its value, if it has one. */
static void
merge_values(struct arena *a, const struct keyword *k, struct step_argument *earlier,
	const struct step_argument *later)
{
	struct str *both;

	if (k->takes != TAKES_VALUES) {
		if (later->n)
			*earlier = *later;
		return;
	}
	both = NEW_ARRAY(a, struct str, earlier->n + later->n);
	for (size_t i = 0; i < earlier->n; i++)
		both[i] = earlier->values[i];
	for (size_t i = 0; i < later->n; i++)
		both[earlier->n + i] = later->values[i];
	earlier->values = both;
	earlier->n += later->n;
}

static void
note_twice(struct str name, struct arguments_wrong *wrong)
{
	if (!wrong->twice.p || str_order(name, wrong->twice) < 0)
		wrong->twice = name;
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
		struct step_argument given, *earlier;
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
			VEC_PUSH(a, &wrong->missing, words->v[i]);
		given = (struct step_argument){
			words->v[i], n ? &words->v[i + 1] : NULL, n};
		earlier = find_argument(all, call->n, given.name);
		if (earlier) {
			note_twice(given.name, wrong);
			merge_values(a, k, earlier, &given);
		} else {
			all[call->n++] = given;
		}
		i += 1 + n;
	}
	return all;
}
