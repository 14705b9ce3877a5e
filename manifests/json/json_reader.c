/* The walk over a document: spots, members, types. See json_reader.h. */
#include "manifests/json/json_reader.h"

#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

enum { MOST_MEMBERS = 8, LOWEST_TYPES = 0xFF };

/* From the root down: "tests[3].properties[0].value". */
static void
spell_spot(struct buf *b, const struct json_spot *at)
{
	const struct json_spot *path[16];
	size_t n = 0;

	for (; at->up; at = at->up) {
		INVARIANT(n < sizeof path / sizeof *path);
		path[n++] = at;
	}
	if (n == 0)
		buf_z(b, "the document");
	while (n > 0) {
		at = path[--n];
		if (at->member)
			buf_fmt(b, "%s%s", b->n ? "." : "", at->member);
		else
			buf_fmt(b, "[%zu]", at->index);
	}
}

bool
json_wrong(struct json_reader *r, const struct json_spot *at, const char *fmt, ...)
{
	struct buf where = {.arena = r->a};
	struct str what;
	va_list args;

	va_start(args, fmt);
	what = str_vfmt(r->a, fmt, args);
	va_end(args);
	spell_spot(&where, at);
	return diag_error(r->d, *r->place, "cannot read manifest %.*s: %.*s %.*s",
		STR_ARG(r->name), STR_ARG(buf_as_str(&where)), STR_ARG(what));
}

static const char *
type_name(int type)
{
	static const struct {
		int type;
		const char *name;
	} names[] = {
		{cJSON_False, "a boolean"},
		{cJSON_True, "a boolean"},
		{cJSON_NULL, "null"},
		{cJSON_Number, "a number"},
		{cJSON_String, "a string"},
		{cJSON_Array, "an array"},
		{cJSON_Object, "an object"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (type & names[i].type)
			return names[i].name;
	return "nothing";
}

bool
json_wrong_type(
	struct json_reader *r, const struct json_spot *at, int type, const cJSON *found)
{
	INVARIANT(found);
	return json_wrong(r, at, "must be %s, not %s", type_name(type),
		type_name(found->type & LOWEST_TYPES));
}

/* cmp: how names are compared. n: there is none of that name. */
static size_t
member_of(const struct json_member *members, size_t n, const char *name,
	int (*cmp)(const char *, const char *))
{
	for (size_t i = 0; i < n; i++)
		if (cmp(members[i].name, name) == 0)
			return i;
	return n;
}

bool
json_members(struct json_reader *r, const struct json_spot *at, const cJSON *object,
	const struct json_member *members, size_t n, const cJSON **found)
{
	bool seen[MOST_MEMBERS] = {false}, right = true;
	const cJSON *item;

	INVARIANT(n <= MOST_MEMBERS);
	for (size_t i = 0; i < n; i++)
		found[i] = NULL;
	if (!cJSON_IsObject(object))
		return json_wrong_type(r, at, cJSON_Object, object);
	cJSON_ArrayForEach(item, object)
	{
		size_t i = member_of(members, n, item->string, strcmp);
		struct json_spot here = {at, item->string, 0};

		if (i == n) {
			i = member_of(members, n, item->string, strcasecmp);
			if (i == n)
				continue;
			right = json_wrong(r, &here, "is not known; did you mean \"%s\"?",
				members[i].name);
		} else if (seen[i])
			right = json_wrong(r, &here, "is given twice");
		else if (members[i].type && !(item->type & members[i].type))
			right = json_wrong_type(r, &here, members[i].type, item);
		else
			found[i] = item;
		seen[i] = true;
	}
	for (size_t i = 0; i < n; i++)
		if (members[i].required && !seen[i])
			right = json_wrong(r, at, "lacks \"%s\"", members[i].name);
	return right;
}

bool
json_strings(struct json_reader *r, const struct json_spot *at, const cJSON *array,
	str_vec *out)
{
	struct json_spot here = {at, NULL, 0};
	const cJSON *item;
	bool right = true;

	INVARIANT(array);
	cJSON_ArrayForEach(item, array)
	{
		if (cJSON_IsString(item))
			VEC_PUSH(r->brief, out, str_dup(r->a, str_of(item->valuestring)));
		else
			right = json_wrong_type(r, &here, cJSON_String, item);
		here.index++;
	}
	return right;
}

struct str_list
json_words(struct arena *a, const str_vec *v)
{
	struct str *words = NEW_ARRAY(a, struct str, v->n);

	if (v->n)
		memcpy(words, v->v, v->n * sizeof *words);
	return (struct str_list){words, v->n};
}

bool
json_index(struct json_reader *r, const struct json_spot *at, const cJSON *number,
	size_t limit, size_t *index)
{
	double v = number ? number->valuedouble : 0;

	INVARIANT(index);
	if (!number)
		return true;
	if (!(v >= 0 && v < (double)limit))
		return json_wrong(r, at, "must be below %zu, not %.17g", limit, v);
	if ((double)(size_t)v != v)
		return json_wrong(r, at, "must be a whole number, not %.17g", v);
	*index = (size_t)v;
	return true;
}

struct str
json_escape(struct arena *a, struct str s)
{
	struct buf b = {.arena = a};

	if (str_find(s, ';') == s.n)
		return s;
	buf_escaped(&b, s, ";");
	return buf_as_str(&b);
}
