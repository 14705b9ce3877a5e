/* Places are found by counting values, since cJSON does not keep places. See
 * json_place.h. */
#include "compat/format/json_place.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "compat/format/json_relax.h"
#include "compat/format/json_strict.h"

struct counting {
	struct str strict;
	size_t from;
	VEC(struct json_value_place) found;
};

/* In the order of the text. The depth is limited by cJSON. */
static void
count(struct arena *a, struct counting *c, const cJSON *v)
{
	for (; v; v = v->next) {
		struct json_value_place place = {v, json_value_at(c->strict, &c->from)};

		VEC_PUSH(a, &c->found, place);
		count(a, c, v->child);
	}
}

static int
by_value(const void *a, const void *b)
{
	const struct json_value_place *x = a, *y = b;
	uintptr_t p = (uintptr_t)x->value, q = (uintptr_t)y->value;

	return (p > q) - (p < q);
}

struct json_places
json_places_of(struct arena *a, struct str strict, const cJSON *root)
{
	struct counting c = {.strict = strict};

	count(a, &c, root);
	if (c.found.n)
		qsort(c.found.v, c.found.n, sizeof *c.found.v, by_value);
	return (struct json_places){c.found.v, c.found.n};
}

size_t
json_place(const struct json_places *places, const cJSON *value)
{
	struct json_value_place wanted = {.value = value}, *found = NULL;

	if (value && !cJSON_IsNull(value) && places->n)
		found = bsearch(&wanted, places->v, places->n, sizeof wanted, by_value);
	return found ? found->at : SIZE_MAX;
}

/* Here a lone carriage return ends a line too. */
static void
locate(struct str text, size_t at, unsigned *line, size_t *column)
{
	*line = 1;
	*column = 1;
	for (size_t i = 0; i < at; i++) {
		bool is_return = text.p[i] == '\r';

		if (is_return && i + 1 < at && text.p[i + 1] == '\n')
			continue;
		++*column;
		if (is_return || text.p[i] == '\n') {
			++*line;
			*column = 1;
		}
	}
}

/* The last line if there are fewer; carriage returns can cause this. */
static struct str
line_of(struct str text, unsigned number)
{
	size_t end = str_find(text, '\n');

	for (; number > 1 && end < text.n; number--) {
		text = str_from(text, end + 1);
		end = str_find(text, '\n');
	}
	return str_cut(text.p, end);
}

struct str
json_place_text(
	struct arena *a, struct str file, struct str text, size_t at, struct str message)
{
	size_t mark = str_begins(text, STR("\xef\xbb\xbf")) ? 3 : 0, column;
	struct str where;
	unsigned line;

	text = str_from(text, mark);
	locate(text, at > mark ? at - mark : 0, &line, &column);
	where = file.n ? str_fmt(a, "%.*s:%u", STR_ARG(file), line)
		       : str_fmt(a, "Error: @%u,%zu", line, column);
	return str_fmt(a, "%.*s: %.*s\n%.*s\n%*s^", STR_ARG(where), STR_ARG(message),
		STR_ARG(line_of(text, line)), (int)(column - 1), "");
}

/* Here "\r\n" ends one line, and a lone "\r" ends another. */
static void
put_line_and_column(struct buf *b, struct str text, size_t at)
{
	size_t line = 1, from = 0;

	for (size_t i = 0; i < at && i < text.n; i++) {
		if (text.p[i] != '\r' && text.p[i] != '\n')
			continue;
		if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
			i++;
		from = i + 1;
		line++;
	}
	buf_fmt(b, "Line %zu, Column %zu", line, at - from + 1);
}

struct str
json_faults_text(struct arena *a, struct str path, struct str text,
	const struct json_fault *faults, size_t n)
{
	struct buf b = {.arena = a};
	size_t mark = str_begins(text, STR("\xef\xbb\xbf")) ? 3 : 0;

	text = str_from(text, mark);
	buf_fmt(&b, "JSON Parse Error: %.*s:\n", STR_ARG(path));
	for (size_t i = 0; i < n; i++) {
		buf_z(&b, "* ");
		put_line_and_column(
			&b, text, faults[i].at > mark ? faults[i].at - mark : 0);
		buf_fmt(&b, "\n  %.*s\n", STR_ARG(faults[i].why));
		if (faults[i].detail == SIZE_MAX)
			continue;
		buf_z(&b, "See ");
		put_line_and_column(&b, text, faults[i].detail - mark);
		buf_z(&b, " for detail.\n");
	}
	return buf_as_str(&b);
}
