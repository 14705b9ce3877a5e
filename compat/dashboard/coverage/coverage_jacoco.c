/*
 * JaCoCo: files whose names end in jacoco.xml. They name packages, and files in packages.
 * A source is a file with this name in a directory whose path ends like the package. Once
 * it is found, the other files of the package are looked for, too.
 */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/xml_read.h"

struct jacoco {
	struct coverage *c;
	struct str package, directory;
	struct str current; /* path of the source, "" if not found */
	enum { IN_OTHER, IN_PACKAGE, IN_SOURCE, IN_LINE } in;
	int number, covered; /* of the line; -1: not read yet */
};

static void
begin_element(void *context, struct str name)
{
	struct jacoco *x = context;

	x->in = str_is(name, "package")      ? IN_PACKAGE
		: str_is(name, "sourcefile") ? IN_SOURCE
		: str_is(name, "line")       ? IN_LINE
					     : IN_OTHER;
	x->number = x->covered = -1;
}

static struct coverage_names *
names_of_trees(struct coverage *c)
{
	const struct str patterns[] = {str_fmt(c->arena, "%.*s/*", STR_ARG(c->source)),
		str_fmt(c->arena, "%.*s/*", STR_ARG(c->binary))};

	return coverage_names_build(c, patterns, 2);
}

static bool
find_package(struct jacoco *x, struct str file)
{
	struct coverage *c = x->c;
	struct str_list directories;

	if (!c->names)
		c->names = names_of_trees(c);
	directories = coverage_names_find(c->names, file);

	for (size_t i = 0; i < directories.n; i++)
		if (str_ends(directories.v[i], x->package)) {
			x->directory = directories.v[i];
			coverage_say(c, CHANNEL_VERBOSE,
				"Found package directory for %.*s: %.*s\n", STR_ARG(file),
				STR_ARG(x->directory));
			return true;
		}
	coverage_say(c, CHANNEL_ERROR, "Cannot find file: %.*s/%.*s\n",
		STR_ARG(x->package), STR_ARG(file));
	c->errors++;
	return false;
}

static void
take_source(struct jacoco *x, struct str file)
{
	struct coverage *c = x->c;
	struct source_coverage *s;

	x->current = STR("");
	if (!x->directory.n && !find_package(x, file))
		return;
	coverage_say(c, CHANNEL_VERBOSE, "Reading file: %.*s\n", STR_ARG(file));
	x->current = str_fmt(c->arena, "%.*s/%.*s", STR_ARG(x->directory), STR_ARG(file));
	s = coverage_source(c, x->current);
	if (path_is_readable(x->current.p))
		coverage_add_lines(c, s, 1);
	else
		coverage_say(c, CHANNEL_ERROR, "Jacoco Coverage: Error opening %.*s\n",
			STR_ARG(x->current));
}

static void
take_line(struct jacoco *x)
{
	if (x->covered < 0 || x->number <= 0)
		return;
	coverage_set_count(coverage_source(x->c, x->current), x->number, x->covered);
	x->in = IN_OTHER;
}

/* The first attribute of a package or a file is its name, whatever it is called. */
static void
take_attribute(void *context, struct str name, struct str value)
{
	struct jacoco *x = context;

	switch (x->in) {
	case IN_PACKAGE:
		x->package = str_dup(x->c->arena, value);
		x->directory = STR("");
		x->in = IN_OTHER;
		break;
	case IN_SOURCE:
		x->in = IN_OTHER;
		take_source(x, value);
		break;
	case IN_LINE:
		if (str_is(name, "ci"))
			x->covered = coverage_number(value);
		else if (str_is(name, "nr"))
			x->number = coverage_number(value);
		take_line(x);
		break;
	case IN_OTHER:
		break;
	}
}

static void
read_text(struct coverage *c, struct str file)
{
	struct jacoco x = {
		.c = c, .package = STR(""), .directory = STR(""), .current = STR("")};
	const struct xml_events events = {
		.context = &x, .begin = begin_element, .attribute = take_attribute};

	coverage_read_xml(c, file, &events);
}

size_t
coverage_jacoco(struct coverage *c)
{
	str_vec files = {0};
	struct str pattern = str_fmt(c->arena, "%.*s/*jacoco.xml",
		STR_ARG(step_key(c->in, "SourceDirectory")));
	struct str below = str_fmt(
		c->arena, "%.*s/*jacoco.xml", STR_ARG(step_key(c->in, "BuildDirectory")));

	coverage_glob(c, pattern, true, &files);
	coverage_glob(c, below, true, &files);
	if (files.n)
		coverage_say(
			c, CHANNEL_VERBOSE, "Found Jacoco Files, Performing Coverage\n");
	else
		coverage_say(c, CHANNEL_VERBOSE,
			" Cannot find Jacoco coverage files: %s\n", pattern.p);
	for (size_t i = 0; i < files.n; i++) {
		coverage_say(c, CHANNEL_VERBOSE, "Reading XML File %.*s\n",
			STR_ARG(files.v[i]));
		read_text(c, coverage_read(c, files.v[i]));
	}
	return c->sources.n;
}
