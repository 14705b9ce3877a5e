/*
 * trace.py of Python: each line of the source after a count and a colon. As in ctest, the
 * count lacks its last digit.
 */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/files.h"

enum { LEAST_LINE = 12, SHORTEST_FRONT = 6, LONGEST_FRONT = 8 };

static bool
ends_front(struct str line, size_t n)
{
	return line.p[n - 1] == ' ' || line.p[n - 1] == ':';
}

static int
count_of(struct coverage *c, struct str line)
{
	size_t n = SHORTEST_FRONT;

	while (n < LONGEST_FRONT && !ends_front(line, n))
		n++;
	if (!ends_front(line, n))
		coverage_say(c, CHANNEL_ERROR,
			"Currently the limit is maximum coverage of 999999\n");
	return line.p[n - 1] == ':' ? coverage_number(str_cut(line.p, n - 2)) : 0;
}

static void
read_lines(struct coverage *c, struct source_coverage *s, struct str text)
{
	struct str line;
	size_t number = 0;

	while (str_take_crlf_line(&text, &line)) {
		int count;
		int *known;

		number++;
		if (line.n < LEAST_LINE)
			continue;
		count = count_of(c, line);
		known = coverage_line(c, s, number - 1);
		if (!known)
			continue;
		if (count >= 0 && *known < 0)
			*known = 0;
		coverage_count(known, count);
	}
}

/* "mod" of ".../mod.cover". */
static struct str
module_of(struct str path)
{
	struct str name = path_name(path);

	return str_cut(name.p, str_rfind(name, '.'));
}

static struct str
find_source(struct coverage *c, struct str cover)
{
	const struct str trees[] = {c->source, c->binary};

	for (size_t i = 0; i < 2; i++) {
		struct str path = str_fmt(c->arena, "%.*s/%.*s.py", STR_ARG(trees[i]),
			STR_ARG(module_of(cover)));

		if (path_exists(path.p))
			return path;
	}
	return STR("");
}

static bool
read_cover(struct coverage *c, struct str cover)
{
	struct str source = find_source(c, cover);
	struct arena *scratch;
	struct str text;

	if (!source.n) {
		coverage_say(c, CHANNEL_ERROR,
			"Cannot find source Python file corresponding to: %.*s\n",
			STR_ARG(cover));
		return false;
	}
	coverage_say(c, CHANNEL_VERBOSE, "   Check coverage for file: %.*s\n",
		STR_ARG(source));
	coverage_say(c, CHANNEL_VERBOSE, "   in file: %.*s\n", STR_ARG(cover));
	scratch = arena_open();
	if (coverage_file(c, scratch, cover, &text))
		read_lines(c, coverage_source(c, source), text);
	else
		coverage_say(
			c, CHANNEL_ERROR, "Cannot open file: %.*s\n", STR_ARG(cover));
	arena_close(scratch);
	return true;
}

size_t
coverage_trace(struct coverage *c)
{
	str_vec files = {0};
	size_t read = 0;

	coverage_glob(
		c, str_fmt(c->arena, "%.*s/*.cover", STR_ARG(c->binary)), false, &files);
	if (files.n)
		directory_try_make(c->arena, coverage_directory(c).p);
	else
		coverage_say(c, CHANNEL_VERBOSE,
			" Cannot find any Python Trace.py coverage files.\n");
	for (size_t i = 0; i < files.n; i++)
		read += read_cover(c, files.v[i]);
	return read;
}
