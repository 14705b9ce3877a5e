/*
 * Reads DartConfiguration.tcl: one "Key: value" per line, '#' comments; a backslash at
 * the end of a line joins the next line. The last of two equal keys wins.
 */
#include "compat/settings/configuration.h"

#include <errno.h>

#include "runner/base/files.h"

static void
set_key(struct configuration *c, struct str key, struct str value)
{
	uint32_t at = map_number(&c->keys, str_dup(c->arena, key));

	if (at == c->values.n)
		VEC_PUSH(c->arena, &c->values, STR(""));
	c->values.v[at] = str_dup(c->arena, value);
}

/* The value in "key=value"; STR_NONE: text has another key. */
static struct str
value_for(struct str text, struct str key)
{
	size_t equals = str_find(text, '=');

	if (!str_eq(str_cut(text.p, equals), key))
		return STR_NONE;
	return str_from(text, equals < text.n ? equals + 1 : equals);
}

static void
keep_line(struct configuration *c, struct str line)
{
	size_t colon;

	line = str_trim(line);
	if (line.n == 0 || *line.p == '#')
		return;
	colon = str_find(line, ':');
	if (colon == line.n)
		return;
	set_key(c, str_cut(line.p, colon), str_trim(str_from(line, colon + 1)));
}

static void
parse_lines(struct configuration *c, struct str text)
{
	struct buf line = {.arena = c->arena};

	while (text.n) {
		size_t end = str_find(text, '\n');
		struct str part = str_trim(str_cut(text.p, end));
		bool joins = part.n && part.p[part.n - 1] == '\\';

		buf_add(&line, part.p, part.n - joins);
		text = str_from(text, end < text.n ? end + 1 : end);
		if (joins)
			continue;
		keep_line(c, buf_as_str(&line));
		line.n = 0;
	}
	keep_line(c, buf_as_str(&line));
}

void
configuration_load_into(struct configuration *c, struct str directory, struct str from)
{
	static const char *const names[] = {
		"CTestConfiguration.ini", "DartConfiguration.tcl"};
	struct str text, path;

	INVARIANT(c->arena);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		c->path = path =
			str_fmt(c->arena, "%.*s/%s", STR_ARG(directory), names[i]);
		if (from.n && path.p[0] != '/')
			path = str_fmt(
				c->arena, "%.*s/%.*s", STR_ARG(from), STR_ARG(c->path));
		c->was_read = file_read(c->arena, path.p, &text);
		if (c->was_read || !error_is_absence(errno))
			break;
	}
	c->error = 0;
	if (c->was_read)
		parse_lines(c, text);
	else if (!error_is_no_file(errno))
		c->error = errno;
}

struct configuration
configuration_load(struct arena *a, struct str directory)
{
	struct configuration c = {.arena = a, .keys = map_in(a)};

	configuration_load_into(&c, directory, STR(""));
	return c;
}

void
configuration_set(struct configuration *c, struct str text)
{
	struct str key = str_cut(text.p, str_find(text, '='));
	struct str value = value_for(text, key), stronger;

	for (size_t i = 0; c->overwrites && i < c->overwrites->n; i++) {
		stronger = value_for(c->overwrites->v[i], key);
		value = stronger.p ? stronger : value;
	}
	set_key(c, key, value);
}

struct str
configuration_get(const struct configuration *c, const char *key)
{
	uint32_t at = map_get(&c->keys, str_of(key));

	INVARIANT(key && *key);
	return at == MAP_NONE ? STR("") : c->values.v[at];
}
