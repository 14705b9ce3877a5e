/*
 * BlanketJS: JSON in the source directory, not below it, in which a file's second line
 * has "node-jscoverage". mocha writes no separators between two sources, so that it is
 * not valid JSON; but each name and each count is on its own line.
 *
 *       "filename": "/src/x.js",
 *         "1": {
 *           "source": "f()",
 *           "coverage": 1
 */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/files.h"

/* The text after the colon. */
static struct str
value_of(struct str line)
{
	size_t colon = str_find(line, ':');

	return str_from(line, colon < line.n ? colon + 1 : colon);
}

/* The name in ` "/src/x.js",`. */
static struct str
name_of(struct str value)
{
	size_t comma = str_rfind(value, ',');

	value = str_from(value, value.n < 2 ? value.n : 2);
	comma = comma < 2 ? value.n : comma - 2;
	return str_cut(value.p, comma && comma <= value.n ? comma - 1 : 0);
}

static void
add_count(struct coverage *c, struct source_coverage *s, struct str value)
{
	int *count = coverage_line(c, s, s->lines);

	value = str_from(value, value.n > 0);
	if (count && !str_is(value, "\"\""))
		*count = coverage_number(value);
}

/* If a file comes twice, the last data count. */
static struct source_coverage *
begin_source(struct coverage *c, struct str name)
{
	struct source_coverage *s = coverage_source(c, name);

	s->counts.n = s->lines = 0;
	return s;
}

static void
read_lines(struct coverage *c, struct str text)
{
	struct source_coverage *s = NULL;
	bool in_source = false;
	struct str line;

	/* ctest reports even a file without any name. */
	if (!str_has(text, STR("filename")))
		begin_source(c, STR(""));
	for (size_t number = 0; str_take_crlf_line(&text, &line); number++) {
		if (number < 2)
			continue;
		if (str_has(line, STR("filename"))) {
			s = begin_source(c, name_of(value_of(line)));
			in_source = false;
		} else if (s && in_source && str_has(line, STR("coverage"))) {
			add_count(c, s, value_of(line));
		} else if (str_has(line, STR("source"))) {
			in_source = true;
		}
	}
}

/* The second line names the tool. */
static bool
is_blanket(struct str text)
{
	struct str line = STR("");

	return str_take_crlf_line(&text, &line) && str_take_crlf_line(&text, &line) &&
	       str_has(line, STR("node-jscoverage"));
}

/* A directory has no text. */
static bool
read_text(struct coverage *c, struct arena *a, struct str path, struct str *text)
{
	*text = STR("");
	return path_is_directory(path.p) || coverage_file(c, a, path, text);
}

static bool
is_blanket_file(struct coverage *c, struct str path)
{
	struct arena *scratch = arena_open();
	struct str text;
	bool is_one = read_text(c, scratch, path, &text) && is_blanket(text);

	arena_close(scratch);
	return is_one;
}

static void
read_file(struct coverage *c, struct str path)
{
	struct arena *scratch = arena_open();
	struct str text;

	coverage_say(c, CHANNEL_VERBOSE, "Reading JSON File %.*s\n", STR_ARG(path));
	coverage_say(c, CHANNEL_VERBOSE, "Parsing %.*s\n", STR_ARG(path));
	if (read_text(c, scratch, path, &text))
		read_lines(c, text);
	arena_close(scratch);
}

/* If one file is BlanketJS's, ctest takes all of them for BlanketJS's. */
size_t
coverage_blanket(struct coverage *c)
{
	struct str directory = step_key(c->in, "SourceDirectory");
	struct str pattern = str_fmt(c->arena, "%.*s/*.json", STR_ARG(directory));
	str_vec files = {0};
	bool is_one = false;

	coverage_list(c, directory, ".json", &files);
	for (size_t i = 0; i < files.n && !is_one; i++)
		is_one = is_blanket_file(c, files.v[i]);
	if (!is_one) {
		coverage_say(c, CHANNEL_VERBOSE,
			" Cannot find BlanketJS coverage files: %s\n", pattern.p);
		return c->sources.n;
	}
	coverage_say(
		c, CHANNEL_VERBOSE, "Found BlanketJS output JSON, Performing Coverage\n");
	coverage_say(c, CHANNEL_VERBOSE, "Found %zu Files\n", files.n);
	for (size_t i = 0; i < files.n; i++)
		read_file(c, files.v[i]);
	return c->sources.n;
}
