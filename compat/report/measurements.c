/* See measurements.h. truncate.c must recognize the same elements, since it cuts them. */
#include "compat/report/measurements.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/format/encode.h"
#include "compat/format/truncate.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/base/utf8.h"

/* ---- the property ---------------------------------------------------------------- */

SORT_BY(sort_measurements, struct measurement, TEXTUAL(name))

size_t
measurements_declared(struct arena *a, struct str_list property, struct measurement **v)
{
	struct map seen = map_in(a);
	size_t n = 0;

	INVARIANT(v);
	*v = NEW_ARRAY(a, struct measurement, property.n);
	for (size_t i = property.n; i-- > 0;) {
		struct str entry = property.v[i];
		size_t equals = str_find(entry, '=');
		struct measurement m = {.name = str_cut(entry.p, equals),
			.value = equals < entry.n ? str_from(entry, equals + 1)
						  : STR("1")};

		if (map_add(&seen, m.name))
			(*v)[n++] = m;
	}
	sort_measurements(*v, n);
	return n;
}

/* ---- reading an element ---------------------------------------------------------- */

static const struct {
	const char *entity;
	char c;
} entities[] = {
	{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

static struct str
unescape_text(struct arena *a, struct str text)
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

/* The value of name="value" in an opening tag, or "". */
static struct str
find_attribute(struct arena *a, struct str tag, const char *name)
{
	struct str wanted = str_fmt(a, " %s=", name);
	size_t at = str_search(tag, wanted);
	struct str rest;

	if (at == tag.n || at + wanted.n >= tag.n)
		return STR("");
	rest = str_from(tag, at + wanted.n);
	if (rest.p[0] != '"' && rest.p[0] != '\'')
		return STR("");
	return unescape_text(
		a, str_cut(rest.p + 1, str_find(str_from(rest, 1), rest.p[0])));
}

/* The opening tag without its '>'; *value: the text up to the next '<'. */
static struct str
tag_of(const struct long_text *element, struct long_text *value)
{
	size_t end = long_text_search(element, 0, STR(">"));

	*value = long_text_from(element, end < element->s.n ? end + 1 : end);
	value->s = str_cut(value->s.p, long_text_search(value, 0, STR("<")));
	return str_cut(element->s.p, end);
}

/* ---- writing --------------------------------------------------------------------- */

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
	INVARIANT(type);
	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "type", str_of(type));
	xml_attribute(x, "name", name);
	add_value(x, value);
	xml_close(x);
}

/* The longest prefix of text that cuts no entity and no character in two. */
static size_t
piece_of(struct str text)
{
	enum { PIECE = 1 << 15, LONGEST = 6 };

	if (text.n <= PIECE)
		return text.n;
	for (size_t k = 1; k < LONGEST; k++)
		if (text.p[PIECE - k] == '&')
			return PIECE - k;
	return utf8_piece(text, PIECE);
}

/* The element is never copied as a whole, however long it is. */
static void
add_plain_element(struct xml *x, struct arena *a, struct str tag, struct long_text value)
{
	struct str rest = value.s;

	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "type", find_attribute(a, tag, "type"));
	xml_attribute(x, "name", find_attribute(a, tag, "name"));
	xml_open(x, "Value");
	xml_text(x, STR(""));
	while (rest.n) {
		struct arena_mark mark = arena_mark(a);
		size_t n = piece_of(rest);

		xml_text(x, unescape_text(a, str_cut(rest.p, n)));
		xml_drain(x);
		arena_rewind(a, mark);
		rest = str_from(rest, n);
		long_text_let_go(&value, 0, value.s.n - rest.n);
	}
	xml_close(x);
	xml_close(x);
}

static void
add_element(struct xml *x, struct arena *a, const struct long_text *element,
	const struct measurement_listener *l)
{
	struct long_text value;
	struct str tag = tag_of(element, &value);

	if (!str_has(tag, STR("MeasurementFile"))) {
		add_plain_element(x, a, tag, value);
		return;
	}
	/* Blanks around the name of a file do not belong to it. */
	l->file(l->context, &(struct measurement){.name = find_attribute(a, tag, "name"),
				    .type = find_attribute(a, tag, "type"),
				    .value = str_trim(unescape_text(a, value.s))});
}

/* Elements that have been seen. A long one is not hashed, since that would read all of it
 * at once; there cannot be many. */
struct met {
	struct arena *a;
	struct map small;
	VEC(struct long_text) large;
};

static bool
is_new(struct met *met, const struct long_text *element)
{
	if (element->s.n < LONG_TEXT_PIECE)
		return map_add(&met->small, element->s);
	for (size_t i = 0; i < met->large.n; i++)
		if (long_text_equal(&met->large.v[i], element))
			return false;
	VEC_PUSH(met->a, &met->large, *element);
	return true;
}

void
measurements_add(struct xml *x, const struct long_text *output,
	const struct measurement_listener *l)
{
	struct arena *of_all = arena_open(), *of_one = arena_open();
	struct met met = {.a = of_all, .small = map_in(of_all)};
	struct long_text element = {STR_NONE, output->is_mapped};
	size_t at = 0, read = 0;

	while (truncate_next_measurement(output, &at, &element.s)) {
		struct arena_mark mark = arena_mark(of_one);

		if (is_new(&met, &element)) {
			add_element(x, of_one, &element, l);
			xml_drain(x);
		}
		arena_rewind(of_one, mark);
		read = long_text_pass(output, read, at);
	}
	arena_close(of_one);
	arena_close(of_all);
}

static struct str
archive_of(const struct measured_files *f, struct str path)
{
	struct buf bytes = {.arena = f->arena}, text = {.arena = f->arena};
	struct console *c = f->console;

	if (encode_archive(&bytes, str_of(path_in(f->arena, f->directory, path)))) {
		encode_base64(&text, buf_as_str(&bytes), false);
		return buf_as_str(&text);
	}
	if (errno == EFBIG)
		console_fmt(c, CHANNEL_ERROR,
			"File \"%.*s\" is too large to be encoded\n", STR_ARG(path));
	else
		console_fmt(c, CHANNEL_ERROR,
			"CMake Error: Unable to read from file '%.*s': Can't lstat "
			"%.*s\n",
			STR_ARG(path_name(path)), STR_ARG(path_name(path)));
	console_fmt(c, CHANNEL_ERROR, "Error creating tar while encoding file: %.*s\n",
		STR_ARG(path));
	return STR("");
}

static void
add_archive(const struct measured_files *f, struct str name, struct str path)
{
	struct xml *x = f->x;

	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "name", name);
	xml_attribute(x, "encoding", STR("base64"));
	xml_attribute(x, "compression", STR("tar/gzip"));
	xml_attribute(x, "filename", path_name(path));
	xml_attribute(x, "type", STR("file"));
	add_value(x, archive_of(f, path));
	xml_close(x);
}

/* The file has no contents. why: such as "not found". */
static void
add_reason(const struct measured_files *f, const struct measurement *m, const char *why)
{
	struct xml *x = f->x;

	console_fmt(f->console, CHANNEL_OUTPUT, "File \"%.*s\" %s.\n", STR_ARG(m->value),
		why);
	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "name", m->name);
	xml_attribute(x, "text", STR("text/string"));
	add_value(x, str_fmt(f->arena, "File %.*s %s", STR_ARG(m->value), why));
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

/* For ctest a FIFO or a device is an empty file; a folder becomes an archive without
 * contents. */
void
measurement_add_file(const struct measured_files *f, const struct measurement *m)
{
	const char *path = path_in(f->arena, f->directory, m->value);
	struct str bytes = STR("");
	struct stat s;

	if (stat(path, &s) != 0)
		add_reason(f, m, "not found");
	else if (s.st_size > ENCODE_MOST)
		add_reason(f, m, "is too large");
	else if (S_ISDIR(s.st_mode) ||
		 (S_ISREG(s.st_mode) && !file_read(f->arena, path, &bytes)))
		add_reason(f, m, "not found");
	else if (bytes.n && str_is(m->type, "file"))
		add_archive(f, m->name, m->value);
	else
		add_plain(f->x, f->arena, m, bytes);
}

void
measurements_attach(const struct measured_files *f, struct str_list files)
{
	INVARIANT(f->x && f->console);
	for (size_t i = 0; i < files.n; i++)
		add_archive(f, STR("Attached File"), files.v[i]);
}
