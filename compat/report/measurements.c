/* See measurements.h. truncate.c must recognize the same elements, since it cuts them. */
#include "compat/report/measurements.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/format/encode.h"
#include "compat/format/truncate.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/base/xml_read.h"

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

/* ---- reading an element ---------------------------------------------------------- */

/* What is known of an element. ctest uses all that comes before a fault. */
struct element {
	struct xml *x;
	struct arena *arena;
	bool is_value, is_file;
	bool has_value; /* <Value> is open */
	struct str name, type;
	struct buf file;
};

static void
take_name(void *context, struct str name)
{
	struct element *e = context;

	e->is_value = str_is(name, "CTestMeasurement") || str_is(name, "DartMeasurement");
	e->is_file = str_is(name, "CTestMeasurementFile") ||
		     str_is(name, "DartMeasurementFile");
}

static void
take_attribute(void *context, struct str name, struct str value)
{
	struct element *e = context;

	if (str_is(name, "name"))
		e->name = str_dup(e->arena, value);
	if (str_is(name, "type"))
		e->type = str_dup(e->arena, value);
}

static void
open_value(struct element *e)
{
	if (e->has_value)
		return;
	e->has_value = true;
	xml_open(e->x, "NamedMeasurement");
	xml_attribute(e->x, "type", e->type);
	xml_attribute(e->x, "name", e->name);
	xml_open(e->x, "Value");
	xml_text(e->x, STR(""));
}

static void
take_text(void *context, struct str text)
{
	struct element *e = context;

	if (e->is_file)
		buf_str(&e->file, text);
	if (!e->is_value)
		return;
	open_value(e);
	xml_text(e->x, text);
	xml_drain(e->x);
}

/* The element is never copied as a whole, however long it is. */
static void
add_element(struct xml *x, struct arena *a, const struct long_text *element,
	const struct measurement_listener *l)
{
	struct element e = {.x = x, .arena = a, .file = {.arena = a}};
	const struct xml_events events = {&e, take_name, take_attribute, take_text, NULL};
	struct xml_reader *reader = xml_reader_open(&events, NULL);
	struct long_reader pieces = {.text = element};
	struct xml_fault fault = {0}, end;
	struct str piece;

	while (!fault.text && long_text_next(&pieces, &piece))
		fault = xml_reader_feed(reader, piece);
	end = xml_reader_close(reader);
	fault = fault.text ? fault : end;
	if (fault.text)
		l->fault(l->context, fault.line, fault.text);
	if (e.is_value) {
		open_value(&e);
		xml_close(x);
		xml_close(x);
	}
	/* Blanks around the name of a file do not belong to it. */
	if (e.is_file)
		l->file(l->context, &(struct measurement){e.name, e.type,
					    str_trim(buf_as_str(&e.file))});
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
	struct measurement_reader reader = {.arena = of_all, .output = output};
	struct long_text element;
	size_t read = 0;

	while (truncate_next_measurement(&reader, &element)) {
		struct arena_mark mark = arena_mark(of_one);

		if (is_new(&met, &element)) {
			add_element(x, of_one, &element, l);
			xml_drain(x);
		}
		arena_rewind(of_one, mark);
		read = long_text_pass(output, read, reader.at);
	}
	arena_close(of_one);
	arena_close(of_all);
}

static void
say_unread(const struct measured_files *f, struct str name)
{
	const char *form = f->dialect->has[DIALECT_UNREAD_FILE_IN_LINES]
				   ? "CMake Error: Unable to read from file:\n  %.*s\n"
				     "because:\n  Can't lstat %.*s\n"
				   : "CMake Error: Unable to read from file '%.*s': "
				     "Can't lstat %.*s\n";

	console_fmt(f->console, CHANNEL_ERROR, form, STR_ARG(name), STR_ARG(name));
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
		say_unread(f, path_name(path));
	console_fmt(c, CHANNEL_ERROR, "Error creating tar while encoding file: %.*s\n",
		STR_ARG(path));
	return STR("");
}

static void
add_archive(const struct measured_files *f, struct str name, struct str path)
{
	struct xml *x = f->x;

	xml_open(x, "NamedMeasurement");
	xml_attribute(x, "name", name.n ? name : STR("Attached File"));
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
		add_archive(f, STR(""), files.v[i]);
}
