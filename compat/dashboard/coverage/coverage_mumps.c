/* See coverage_mumps.h. */
#include "compat/dashboard/coverage/coverage_mumps.h"

#include "runner/base/files.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* true: after a label, the dots of a block and blanks comes something other than a
 * comment. */
static bool
is_code(struct str line)
{
	size_t i = 0;

	while (i < line.n && !is_blank(line.p[i]) && line.p[i] != ';')
		i++;
	while (i < line.n && (is_blank(line.p[i]) || line.p[i] == '.'))
		i++;
	return i < line.n && line.p[i] != ';';
}

/* Appends the lines of a routine, code or not. The first line names the routine. */
static void
add_lines(struct coverage *c, struct source_coverage *s, struct str text)
{
	struct str line;

	for (bool is_first = true; str_take_crlf_line(&text, &line); is_first = false) {
		int *count = coverage_line(c, s, s->lines);

		if (count && !is_first && is_code(line))
			*count = 0;
	}
}

/* Adds a routine and its lines. */
static void
add_routine(struct mumps *m, struct str path)
{
	struct coverage *c = m->c;
	struct str name = path_name(path);
	struct arena *scratch = arena_open();
	struct str text;

	map_set(&m->routines, str_cut(name.p, str_rfind(name, '.')),
		(uint32_t)m->paths.n);
	VEC_PUSH(c->arena, &m->paths, path);
	if (coverage_file(c, scratch, path, &text))
		add_lines(c, coverage_source(c, path), text);
	arena_close(scratch);
}

static void
read_packages(struct mumps *m, struct str directory)
{
	struct coverage *c = m->c;
	str_vec files = {0};

	coverage_glob(c, str_fmt(c->arena, "%s/*.m", step_path(c->in, directory)), true,
		&files);
	for (size_t i = 0; i < files.n; i++)
		add_routine(m, files.v[i]);
}

static bool
read_data(struct mumps *m, struct str path)
{
	struct arena *scratch = arena_open();
	struct str text;
	bool ok = coverage_file(m->c, scratch, path, &text);

	if (ok)
		ok = m->read(m, path, text);
	else
		coverage_say(m->c, CHANNEL_ERROR, "Can not open : %.*s\n", STR_ARG(path));
	arena_close(scratch);
	return ok;
}

static void
read_directory(struct mumps *m, struct str directory)
{
	str_vec files = {0};

	coverage_list(m->c, directory, m->ending, &files);
	for (size_t i = 0; i < files.n; i++)
		if (!read_data(m, files.v[i]))
			return;
}

size_t
mumps_read(struct mumps *m, struct str path, const char *what)
{
	struct coverage *c = m->c;
	struct str text, line;

	if (!path_exists(path.p)) {
		coverage_say(c, CHANNEL_VERBOSE, " Cannot find %s coverage file: %s\n",
			what, path.p);
		return c->sources.n;
	}
	coverage_say(c, CHANNEL_VERBOSE, "Parsing Cache Coverage: %s\n", path.p);
	text = coverage_read(c, path);
	m->routines = map_in(c->arena);
	while (str_take_crlf_line(&text, &line)) {
		size_t colon = str_find(line, ':');
		struct str type = str_cut(line.p, colon), value;

		if (colon == line.n)
			continue;
		value = str_from(line, colon + 1);
		if (str_is(type, "packages"))
			read_packages(m, value);
		else if (str_is(type, "coverage_dir"))
			read_directory(m, value);
		else
			coverage_say(c, CHANNEL_ERROR,
				"Parse Error in Mumps coverage file :\n%.*s\n"
				"type: [%.*s]\npath:[%.*s]\ninput line: [%.*s]\n",
				STR_ARG(path), STR_ARG(type), STR_ARG(value),
				STR_ARG(line));
	}
	return c->sources.n;
}

struct str
mumps_find(const struct mumps *m, struct str routine)
{
	static const char *const endings[] = {"GUX", "GTM", "ONT"};
	uint32_t known = map_get(&m->routines, routine);

	for (size_t i = 0; known == MAP_NONE && i < sizeof endings / sizeof *endings; i++)
		known = map_get(&m->routines,
			str_fmt(m->c->arena, "%.*s%s", STR_ARG(routine), endings[i]));
	return known == MAP_NONE ? STR("") : m->paths.v[known];
}

void
mumps_count(struct mumps *m, struct str path, long line, int count)
{
	int *known = coverage_known_line(coverage_source(m->c, path), line);

	if (!known)
		return;
	if (*known == COVERAGE_NO_CODE && count > 0)
		*known = 0;
	coverage_count(known, count);
}
