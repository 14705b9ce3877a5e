/* Reads JSON value by value. See json_cursor.h. */
#include "manifests/json/json_cursor.h"

#include <cjson/cJSON.h>

/* A fault after the end of the text is reported at its last byte. */
static bool
fail_at(struct json_cursor *c, size_t at)
{
	c->at = at < c->text.n ? at : c->text.n ? c->text.n - 1 : 0;
	c->failed = true;
	return false;
}

bool
json_cursor_is_at(const struct json_cursor *c, char byte)
{
	return c->at < c->text.n && c->text.p[c->at] == byte;
}

/* The characters that cJSON treats as blanks. */
static void
json_cursor_skip_blanks(struct json_cursor *c)
{
	while (c->at < c->text.n && (unsigned char)c->text.p[c->at] <= ' ')
		c->at++;
}

struct json_cursor
json_cursor_in(struct str text)
{
	const struct str mark = STR("\xef\xbb\xbf");
	struct json_cursor c = {.text = text};

	/* cJSON ignores the mark only in texts of at least five bytes. */
	if (text.n > mark.n + 1 && str_begins(text, mark))
		c.at = mark.n;
	json_cursor_skip_blanks(&c);
	return c;
}

cJSON *
json_cursor_value(struct json_cursor *c)
{
	struct str rest = str_from(c->text, c->at);
	const char *end = rest.p;
	cJSON *value = NULL;

	/* cJSON would skip a byte order mark before the value. */
	if (!json_cursor_is_at(c, '\xef'))
		value = cJSON_ParseWithLengthOpts(rest.p, rest.n, &end, 0);
	if (!value)
		(void)fail_at(c, c->at + (size_t)(end - rest.p));
	else
		c->at += (size_t)(end - rest.p);
	return value;
}

bool
json_cursor_enter(struct json_cursor *c)
{
	char closing = json_cursor_is_at(c, '[') ? ']' : '}';

	c->at++;
	json_cursor_skip_blanks(c);
	if (c->at == c->text.n)
		return fail_at(c, c->at);
	if (!json_cursor_is_at(c, closing))
		return true;
	c->at++;
	return false;
}

bool
json_cursor_next(struct json_cursor *c, char closing)
{
	if (c->failed)
		return false;
	json_cursor_skip_blanks(c);
	if (json_cursor_is_at(c, ',')) {
		c->at++;
		json_cursor_skip_blanks(c);
		return true;
	}
	if (!json_cursor_is_at(c, closing))
		return fail_at(c, c->at);
	c->at++;
	return false;
}

cJSON *
json_cursor_name(struct json_cursor *c)
{
	cJSON *name;

	/* cJSON reports the position after the missing quote. */
	if (!json_cursor_is_at(c, '"')) {
		(void)fail_at(c, c->at + 1);
		return NULL;
	}
	name = json_cursor_value(c);
	if (!name)
		return NULL;
	json_cursor_skip_blanks(c);
	if (!json_cursor_is_at(c, ':')) {
		(void)fail_at(c, c->at);
		cJSON_Delete(name);
		return NULL;
	}
	c->at++;
	json_cursor_skip_blanks(c);
	return name;
}
