/*
 * coverage.xml of Cobertura and coverage.py: classes with the names of their sources,
 * below directories that the file names or the trees, and their lines.
 */
#include "compat/dashboard/coverage/coverage.h"

#include <stdlib.h>

#include "runner/base/files.h"
#include "runner/base/xml_read.h"

struct cobertura {
	struct coverage *c;
	str_vec directories;
	struct str current; /* path of the source, "" if there is none */
	bool in_sources, in_source, in_class, in_line;
	int number, hits; /* of the line; -1: not read yet */
};

static void
begin_element(void *context, struct str name)
{
	struct cobertura *x = context;

	x->in_class = str_is(name, "class");
	x->in_line = str_is(name, "line");
	x->number = x->hits = -1;
	if (str_is(name, "sources"))
		x->in_sources = true;
	else if (str_is(name, "source"))
		x->in_source = true;
}

static void
end_element(void *context, struct str name)
{
	struct cobertura *x = context;

	if (str_is(name, "sources"))
		x->in_sources = false;
	else if (str_is(name, "source"))
		x->in_source = false;
}

static void
add_directory(struct cobertura *x, struct str path)
{
	coverage_say(x->c, CHANNEL_VERBOSE, "Adding Source: %.*s\n", STR_ARG(path));
	VEC_PUSH(x->c->arena, &x->directories, str_dup(x->c->arena, path));
}

/* An end of line comes as its own piece. */
static void
take_text(void *context, struct str text)
{
	struct cobertura *x = context;

	if (!x->in_sources || !x->in_source)
		return;
	while (text.n) {
		size_t n = str_find(text, '\n');

		n = n ? n : 1;
		add_directory(x, str_cut(text.p, n));
		text = str_from(text, n);
	}
}

/* As in ctest: a name that begins with a directory is the file's own; other names are
 * looked for in all directories. What cannot be read is looked for in the build tree. "":
 * it is not there, either. */
static struct str
find_source(struct cobertura *x, struct str name)
{
	const struct coverage *c = x->c;
	struct str found = STR("");

	for (size_t i = 0; i < x->directories.n && !found.n; i++)
		if (str_begins(name, x->directories.v[i]))
			found = str_dup(c->arena, name);
	for (size_t i = 0; i < x->directories.n && !found.n; i++) {
		struct str path = str_fmt(c->arena, "%.*s/%.*s",
			STR_ARG(x->directories.v[i]), STR_ARG(name));

		if (path_exists(step_path(c->in, path)))
			found = path;
	}
	if (found.n && path_is_readable(step_path(c->in, found)))
		return found;
	found = str_fmt(c->arena, "%.*s/%.*s", STR_ARG(c->binary), STR_ARG(name));
	return path_is_readable(step_path(c->in, found)) ? found : STR("");
}

static void
take_class(struct cobertura *x, struct str name)
{
	struct coverage *c = x->c;

	coverage_say(c, CHANNEL_VERBOSE, "Reading file: %.*s\n", STR_ARG(name));
	x->current = find_source(x, name);
	if (!x->current.n) {
		coverage_say(
			c, CHANNEL_VERBOSE, "Skipping system file %.*s\n", STR_ARG(name));
		return;
	}
	coverage_add_lines(c, coverage_source(c, x->current), 0);
}

static void
take_line(struct cobertura *x)
{
	if (x->hits < 0 || x->number <= 0 || !x->current.n)
		return;
	coverage_set_count(coverage_source(x->c, x->current), x->number, x->hits);
	x->in_line = false;
}

static void
take_attribute(void *context, struct str name, struct str value)
{
	struct cobertura *x = context;

	if (x->in_class && str_is(name, "filename")) {
		take_class(x, value);
		x->in_class = false;
	}
	if (!x->in_line)
		return;
	if (str_is(name, "hits"))
		x->hits = coverage_number(value);
	else if (str_is(name, "number"))
		x->number = coverage_number(value);
	take_line(x);
}

static void
read_text(struct coverage *c, struct str text)
{
	struct cobertura x = {.c = c, .current = STR("")};
	const struct xml_events events = {
		&x, begin_element, take_attribute, take_text, end_element};

	VEC_PUSH(c->arena, &x.directories, c->source);
	VEC_PUSH(c->arena, &x.directories, c->binary);
	coverage_read_xml(c, text, &events);
}

size_t
coverage_cobertura(struct coverage *c)
{
	const char *directory = getenv("COBERTURADIR");
	struct str path = str_fmt(c->arena, "%.*s/coverage.xml",
		STR_ARG(directory && *directory ? str_of(directory) : c->top));

	if (!path_exists(path.p)) {
		coverage_say(c, CHANNEL_VERBOSE, " Cannot find Cobertura XML file: %s\n",
			path.p);
		return c->sources.n;
	}
	coverage_say(c, CHANNEL_VERBOSE, "Parsing Cobertura XML file: %s\n", path.p);
	read_text(c, coverage_read(c, path));
	return c->sources.n;
}
