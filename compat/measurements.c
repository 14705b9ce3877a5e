/* See measurements.h. What is an element is truncate.c's business too: it cuts them. */
#include "compat/measurements.h"

#include "compat/encode.h"
#include "compat/truncate.h"
#include "runner/files.h"

#include <string.h>

/* ---- reading an element --------------------------------------------------------------
 */

static const struct {
	const char *entity;
	char c;
} entities[] = {
	{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

static struct str
unescape(struct arena *a, struct str text)
{
	struct buf out = {.arena = a};

	buf_z(&out, "");
	while (text.n) {
		size_t taken = 0;

		for (size_t i = 0; i < sizeof entities / sizeof *entities && !taken; i++)
			if (str_begins(text, str_of(entities[i].entity))) {
				buf_char(&out, entities[i].c);
				taken = strlen(entities[i].entity);
			}
		if (!taken) {
			buf_char(&out, text.p[0]);
			taken = 1;
		}
		text = str_from(text, taken);
	}
	return buf_as_str(&out);
}

/* name="value" in an opening tag, or "". */
static struct str
attribute(struct arena *a, struct str tag, const char *name)
{
	struct str wanted = str_fmt(a, " %s=", name);
	size_t at = str_search(tag, wanted);
	struct str rest;

	if (at == tag.n || at + wanted.n >= tag.n)
		return STR("");
	rest = str_from(tag, at + wanted.n);
	if (rest.p[0] != '"' && rest.p[0] != '\'')
		return STR("");
	return unescape(a, str_cut(rest.p + 1, str_find(str_from(rest, 1), rest.p[0])));
}

static struct measurement
read_element(struct arena *a, struct str element)
{
	size_t end = str_find(element, '>');
	struct str tag = {element.p, end};
	struct str rest = str_from(element, end < element.n ? end + 1 : end);
	struct str value = unescape(a, str_cut(rest.p, str_find(rest, '<')));
	bool is_file = str_has(tag, STR("MeasurementFile"));

	/* Blanks around the name of a file are none of its. */
	return (struct measurement){.name = attribute(a, tag, "name"),
		.type = attribute(a, tag, "type"),
		.value = is_file ? str_trim(value) : value,
		.is_file = is_file};
}

struct measurements
measurements_of(struct arena *a, struct str output)
{
	VEC(struct measurement) found = {0};
	struct map seen = map_in(a);
	struct str element;

	while (truncate_next_measurement(&output, &element)) {
		if (map_get(&seen, element) != MAP_NONE)
			continue;
		map_set(&seen, str_dup(a, element), 1);
		VEC_PUSH(a, &found, read_element(a, element));
	}
	return (struct measurements){found.v, found.n};
}

/* ---- writing -------------------------------------------------------------------------
 */

static void
add_value(struct xml *x, struct str value)
{
	xml_open(x, "Value");
	xml_text(x, value);
	xml_close(x);
}

void
measurement_add(struct xml *x, const char *type, struct str name, struct str value)
{
	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "type", str_of(type));
	xml_attribute(x, "name", name);
	add_value(x, value);
	xml_close(x);
}

static struct str
archive_of(struct console *c, struct arena *a, struct str path)
{
	struct buf bytes = {.arena = a}, text = {.arena = a};

	if (encode_archive(&bytes, path)) {
		encode_base64(&text, buf_as_str(&bytes), false);
		return buf_as_str(&text);
	}
	console_fmt(c, CHANNEL_ERROR,
		"CMake Error: Unable to read from file '%.*s': Can't lstat %.*s\n",
		STR_ARG(path_name(path)), STR_ARG(path_name(path)));
	console_fmt(c, CHANNEL_ERROR, "Error creating tar while encoding file: %.*s\n",
		STR_ARG(path));
	return STR("");
}

static void
add_archive(struct xml *x, struct console *c, struct arena *a, struct str name,
	struct str path)
{
	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "name", name);
	xml_attribute(x, "encoding", STR("base64"));
	xml_attribute(x, "compression", STR("tar/gzip"));
	xml_attribute(x, "filename", path_name(path));
	xml_attribute(x, "type", STR("file"));
	add_value(x, archive_of(c, a, path));
	xml_close(x);
}

static void
add_missing(
	struct xml *x, struct console *c, struct arena *a, const struct measurement *m)
{
	console_fmt(c, CHANNEL_OUTPUT, "File \"%.*s\" not found.\n", STR_ARG(m->value));
	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "name", m->name);
	xml_attribute(x, "text", STR("text/string"));
	add_value(x, str_fmt(a, "File %.*s not found", STR_ARG(m->value)));
	xml_close(x);
}

static void
add_plain(struct xml *x, struct arena *a, const struct measurement *m, struct str bytes)
{
	struct buf text = {.arena = a};

	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "name", m->name);
	xml_attribute(x, "type", bytes.n ? m->type : STR("text/string"));
	xml_attribute(x, "encoding", bytes.n ? STR("base64") : STR("none"));
	if (bytes.n)
		encode_base64(&text, bytes, true);
	else
		buf_fmt(&text, "Image %.*s is empty", STR_ARG(m->value));
	add_value(x, buf_as_str(&text));
	xml_close(x);
}

static void
add_file(struct xml *x, struct console *c, struct arena *a, const struct measurement *m)
{
	struct str bytes;

	if (!file_read(a, str_z(a, m->value), &bytes))
		add_missing(x, c, a, m);
	else if (str_is(m->type, "file"))
		add_archive(x, c, a, m->name, m->value);
	else
		add_plain(x, a, m, bytes);
}

void
measurements_add(
	struct xml *x, struct console *c, struct arena *a, const struct measurements *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct measurement *one = &m->v[i];

		if (one->is_file)
			add_file(x, c, a, one);
		else
			measurement_add(x, str_z(a, one->type), one->name, one->value);
	}
}

void
measurements_attach(
	struct xml *x, struct console *c, struct arena *a, struct str_list files)
{
	for (size_t i = 0; i < files.n; i++)
		add_archive(x, c, a, STR("Attached File"), files.v[i]);
}
