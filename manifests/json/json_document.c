/* Text to JSON, with two arrays left out. See json_document.h. */
#include "manifests/json/json_document.h"

#include <cjson/cJSON.h>

#include "manifests/json/json_cursor.h"

/* ---- the text -------------------------------------------------------------------- */

/* cctr's strings and those of the processes that get them end at NUL: no text may contain
 * one. */
static bool
holds_nul(struct str text, size_t *at)
{
	const struct str escape = STR("\\u0000");
	size_t from = 0, hit;

	*at = str_find(text, '\0');
	if (*at < text.n)
		return true;
	while ((hit = str_search(str_from(text, from), escape)) < text.n - from) {
		size_t before = from + hit;

		while (before > from && text.p[before - 1] == '\\')
			before--;
		if ((from + hit - before) % 2 == 0) {
			*at = from + hit;
			return true;
		}
		from += hit + escape.n;
	}
	return false;
}

static bool
not_json(struct json_reader *r, struct str text, size_t at, const char *why)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at && i < text.n; i++) {
		column = text.p[i] == '\n' ? 1 : column + 1;
		line += text.p[i] == '\n';
	}
	return diag_error(r->d, *r->place,
		"cannot read manifest %.*s: %s at line %zu, column %zu", STR_ARG(r->name),
		why, line, column);
}

/* ctest prints some messages on standard output too ("RegularExpression::compile():
 * ..."), in lines before the document, which begins with a brace on a line of its own. */
static size_t
complaints_before(struct str text)
{
	size_t at;

	if (str_begins(str_trim(text), STR("{")) || str_begins(text, STR("[")))
		return 0;
	at = str_search(text, STR("\n{\n"));
	return at < text.n ? at + 1 : 0;
}

/* ---- the arrays that are left out ------------------------------------------------ */

/* Returns an empty array, which takes the place of the array in the tree. */
static cJSON *
check_elements(struct json_cursor *c, struct json_elements *elements)
{
	struct json_elements found = {.at = c->at};

	for (bool more = json_cursor_enter(c); more; more = json_cursor_next(c, ']')) {
		cJSON_Delete(json_cursor_value(c));
		found.n++;
	}
	/* Of several members with one name the first is read. */
	if (elements->at == SIZE_MAX)
		*elements = found;
	return cJSON_CreateArray();
}

/* Parses the value of an object's member. doc: the object is the root. */
typedef cJSON *parse_member(
	struct json_cursor *c, struct json_document *doc, const char *name);

static cJSON *
parse_object(struct json_cursor *c, struct json_document *doc, parse_member *parse)
{
	cJSON *object = cJSON_CreateObject();

	for (bool more = json_cursor_enter(c); more; more = json_cursor_next(c, '}')) {
		cJSON *name = json_cursor_name(c);

		if (name && !c->failed)
			cJSON_AddItemToObject(object, name->valuestring,
				parse(c, doc, name->valuestring));
		cJSON_Delete(name);
	}
	return object;
}

static cJSON *
parse_graph_member(struct json_cursor *c, struct json_document *doc, const char *name)
{
	if (strcmp(name, "nodes") == 0 && json_cursor_is_at(c, '['))
		return check_elements(c, &doc->nodes);
	return json_cursor_value(c);
}

static cJSON *
parse_root_member(struct json_cursor *c, struct json_document *doc, const char *name)
{
	if (strcmp(name, "tests") == 0 && json_cursor_is_at(c, '['))
		return check_elements(c, &doc->tests);
	if (strcmp(name, "backtraceGraph") == 0 && json_cursor_is_at(c, '{'))
		return parse_object(c, doc, parse_graph_member);
	return json_cursor_value(c);
}

/* ---- the whole ------------------------------------------------------------------- */

bool
json_document_open(struct json_document *doc, struct json_reader *r, struct str text)
{
	size_t nul, from = complaints_before(text);
	struct json_cursor c = json_cursor_in(str_from(text, from));

	*doc = (struct json_document){
		.text = c.text, .nodes.at = SIZE_MAX, .tests.at = SIZE_MAX};
	if (holds_nul(text, &nul))
		return not_json(r, text, nul, "NUL character");
	doc->root = json_cursor_is_at(&c, '{') ? parse_object(&c, doc, parse_root_member)
					       : json_cursor_value(&c);
	if (c.failed)
		return not_json(r, text, from + c.at, "not JSON");
	if (str_trim(str_from(c.text, c.at)).n)
		return not_json(r, text, from + c.at, "more than one JSON value");
	return true;
}

void
json_document_close(struct json_document *doc)
{
	cJSON_Delete(doc->root);
	doc->root = NULL;
}

bool
json_document_each(const struct json_document *doc, struct json_elements elements,
	struct json_reader *r, const struct json_spot *array, json_read_element *read)
{
	struct json_cursor c = {.text = doc->text, .at = elements.at};
	struct json_spot here = {array, NULL, 0};
	bool right = true;

	for (bool more = json_cursor_enter(&c); more; more = json_cursor_next(&c, ']')) {
		cJSON *element = json_cursor_value(&c);

		INVARIANT(element); /* it was parsed when the document was opened */
		right = read(r, &here, element) && right;
		here.index++;
		cJSON_Delete(element);
	}
	return right;
}
