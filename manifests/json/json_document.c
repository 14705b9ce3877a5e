/*
 * Text to JSON, with two arrays left out. See json_document.h.
 *
 * cJSON reads the values; a cursor reads the brackets, commas, colons and names around
 * them, accepts what cJSON accepts, and fails where cJSON fails. Only nesting differs:
 * cJSON's limit of 1000 applies to each value.
 */
#include "manifests/json/json_document.h"

#include <cjson/cJSON.h>

/* ---- value by value -------------------------------------------------------------- */

struct cursor {
	struct str text;
	size_t at; /* the next byte; after a failure the position of the fault */
	bool failed;
};

/* A fault after the end of the text is reported at its last byte. */
static bool
fail_at(struct cursor *c, size_t at)
{
	c->at = at < c->text.n ? at : c->text.n ? c->text.n - 1 : 0;
	c->failed = true;
	return false;
}

static bool
is_at(const struct cursor *c, char byte)
{
	return c->at < c->text.n && c->text.p[c->at] == byte;
}

/* The characters that cJSON treats as blanks. */
static void
skip_blanks(struct cursor *c)
{
	while (c->at < c->text.n && (unsigned char)c->text.p[c->at] <= ' ')
		c->at++;
}

/* A cursor at the first byte of the text's value. */
static struct cursor
open_cursor(struct str text)
{
	const struct str mark = STR("\xef\xbb\xbf");
	struct cursor c = {.text = text};

	/* cJSON ignores the mark only in texts of at least five bytes. */
	if (text.n > mark.n + 1 && str_begins(text, mark))
		c.at = mark.n;
	skip_blanks(&c);
	return c;
}

/* Reads the value at the cursor, which moves after it. The caller deletes the value.
 * NULL: failed. */
static cJSON *
parse_value(struct cursor *c)
{
	struct str rest = str_from(c->text, c->at);
	const char *end = rest.p;
	cJSON *value = NULL;

	/* cJSON would skip a byte order mark before the value. */
	if (!is_at(c, '\xef'))
		value = cJSON_ParseWithLengthOpts(rest.p, rest.n, &end, 0);
	if (!value)
		(void)fail_at(c, c->at + (size_t)(end - rest.p));
	else
		c->at += (size_t)(end - rest.p);
	return value;
}

/* Moves from '[' or '{' to the first element or name. false: there is none, or failed. */
static bool
enter_brackets(struct cursor *c)
{
	char closing = is_at(c, '[') ? ']' : '}';

	c->at++;
	skip_blanks(c);
	if (c->at == c->text.n)
		return fail_at(c, c->at);
	if (!is_at(c, closing))
		return true;
	c->at++;
	return false;
}

/* Moves from the end of a value to the next element or name. false: the cursor is after
 * the closing bracket, or failed. */
static bool
next_child(struct cursor *c, char closing)
{
	if (c->failed)
		return false;
	skip_blanks(c);
	if (is_at(c, ',')) {
		c->at++;
		skip_blanks(c);
		return true;
	}
	if (!is_at(c, closing))
		return fail_at(c, c->at);
	c->at++;
	return false;
}

/* Reads the name at the cursor, a string, and moves to its value. The caller deletes the
 * name. NULL: failed. */
static cJSON *
parse_name(struct cursor *c)
{
	cJSON *name;

	/* cJSON reports the position after the missing quote. */
	if (!is_at(c, '"')) {
		(void)fail_at(c, c->at + 1);
		return NULL;
	}
	name = parse_value(c);
	if (!name)
		return NULL;
	skip_blanks(c);
	if (!is_at(c, ':')) {
		(void)fail_at(c, c->at);
		cJSON_Delete(name);
		return NULL;
	}
	c->at++;
	skip_blanks(c);
	return name;
}

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
check_elements(struct cursor *c, struct json_elements *elements)
{
	struct json_elements found = {.at = c->at};

	for (bool more = enter_brackets(c); more; more = next_child(c, ']')) {
		cJSON_Delete(parse_value(c));
		found.n++;
	}
	/* Of several members with one name the first is read. */
	if (elements->at == SIZE_MAX)
		*elements = found;
	return cJSON_CreateArray();
}

/* Parses the value of an object's member. doc: the object is the root. */
typedef cJSON *parse_member(
	struct cursor *c, struct json_document *doc, const char *name);

static cJSON *
parse_object(struct cursor *c, struct json_document *doc, parse_member *parse)
{
	cJSON *object = cJSON_CreateObject();

	for (bool more = enter_brackets(c); more; more = next_child(c, '}')) {
		cJSON *name = parse_name(c);

		if (name && !c->failed)
			cJSON_AddItemToObject(object, name->valuestring,
				parse(c, doc, name->valuestring));
		cJSON_Delete(name);
	}
	return object;
}

static cJSON *
parse_graph_member(struct cursor *c, struct json_document *doc, const char *name)
{
	if (strcmp(name, "nodes") == 0 && is_at(c, '['))
		return check_elements(c, &doc->nodes);
	return parse_value(c);
}

static cJSON *
parse_root_member(struct cursor *c, struct json_document *doc, const char *name)
{
	if (strcmp(name, "tests") == 0 && is_at(c, '['))
		return check_elements(c, &doc->tests);
	if (strcmp(name, "backtraceGraph") == 0 && is_at(c, '{'))
		return parse_object(c, doc, parse_graph_member);
	return parse_value(c);
}

/* ---- the whole ------------------------------------------------------------------- */

bool
json_document_open(struct json_document *doc, struct json_reader *r, struct str text)
{
	size_t nul, from = complaints_before(text);
	struct cursor c = open_cursor(str_from(text, from));

	INVARIANT(r);
	*doc = (struct json_document){
		.text = c.text, .nodes.at = SIZE_MAX, .tests.at = SIZE_MAX};
	if (holds_nul(text, &nul))
		return not_json(r, text, nul, "NUL character");
	doc->root = is_at(&c, '{') ? parse_object(&c, doc, parse_root_member)
				   : parse_value(&c);
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
	struct cursor c = {.text = doc->text, .at = elements.at};
	struct json_spot here = {array, NULL, 0};
	bool right = true;

	for (bool more = enter_brackets(&c); more; more = next_child(&c, ']')) {
		cJSON *element = parse_value(&c);

		INVARIANT(element); /* it was parsed when the document was opened */
		right = read(r, &here, element) && right;
		here.index++;
		cJSON_Delete(element);
	}
	return right;
}
