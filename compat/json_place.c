/* Places are counted, since cJSON does not keep them. See json_place.h. */
#include "compat/json_place.h"

#include <cjson/cJSON.h>

#include "compat/json_relax.h"

/* Counts the values in front of the one that is wanted, in the order of the text. As deep
 * as cJSON lets values nest. */
static bool
count_before(const cJSON *v, const cJSON *wanted, size_t *n)
{
	for (; v; v = v->next) {
		if (v == wanted)
			return true;
		++*n;
		if (count_before(v->child, wanted, n))
			return true;
	}
	return false;
}

size_t
json_place(struct str strict, const cJSON *root, const cJSON *value)
{
	size_t number = 0;

	return value && count_before(root, value, &number) ? json_value_at(strict, number)
							   : strict.n;
}

struct str
json_place_text(
	struct arena *a, struct str file, struct str text, size_t at, struct str message)
{
	size_t mark = str_begins(text, STR("\xef\xbb\xbf")) ? 3 : 0, last, begin;
	struct str head, line, where;
	unsigned number = 1;

	text = str_from(text, mark);
	at = at > mark ? at - mark : 0;
	head = str_cut(text.p, at);
	last = str_rfind(head, '\n');
	begin = last < head.n ? last + 1 : 0;
	line = str_from(text, begin);
	line.n = str_find(line, '\n');
	for (size_t i = 0; i < at; i++)
		number += head.p[i] == '\n';
	where = file.n ? str_fmt(a, "%.*s:%u", STR_ARG(file), number)
		       : str_fmt(a, "Error: @%u,%zu", number, at - begin + 1);
	return str_fmt(a, "%.*s: %.*s\n%.*s\n%*s^", STR_ARG(where), STR_ARG(message),
		STR_ARG(line), (int)(at - begin), "");
}
