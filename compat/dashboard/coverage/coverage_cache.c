/*
 * Caché: cache_coverage.cmcov, and tables of routines with their lines:
 *
 *   Routine,Line,RtnLine,Code
 *   ROUTINE,1,0,"ROUTINE ;"
 *   ,2,1," S X=1"
 *   Totals for ROUTINE,,1,
 */
#include "compat/dashboard/coverage/coverage.h"

#include "compat/dashboard/coverage/coverage_mumps.h"
#include "runner/base/files.h"

enum { FIELDS = 4 };

struct cache_line {
	struct str fields[FIELDS];
	size_t n; /* may be larger than the array */
};

/* A comma directly after another belongs to the field that begins with it. */
static struct cache_line
split_line(struct str line)
{
	struct cache_line l = {.n = 0};
	size_t end = str_find(line, ',');

	if (!line.n)
		return l;
	for (;;) {
		if (l.n < FIELDS)
			l.fields[l.n] = str_cut(line.p, end);
		l.n++;
		if (end >= line.n)
			return l;
		line = str_from(line, end + 1);
		end = line.n ? 1 + str_find(str_from(line, 1), ',') : 0;
	}
}

static void
check_head(const struct mumps *m, struct str path, struct str line)
{
	static const char *const head[FIELDS] = {"Routine", "Line", "RtnLine", "Code"};
	struct cache_line l = split_line(line);
	bool is_good = l.n == FIELDS;

	for (size_t i = 0; i < FIELDS && is_good; i++)
		is_good = str_is(l.fields[i], head[i]);
	if (!is_good)
		coverage_say(m->c, CHANNEL_ERROR,
			"Bad first line of cmcov file : %.*s  line:\n[%.*s]\n",
			STR_ARG(path), STR_ARG(line));
}

static void
say_bad(const struct mumps *m, struct str path, struct str line,
	const struct cache_line *l)
{
	struct buf text = {.arena = m->c->arena};

	for (size_t i = 0; i < l->n; i++)
		buf_fmt(&text, "%.*s ", STR_ARG(l->fields[1]));
	coverage_say(m->c, CHANNEL_ERROR,
		"Bad line of cmcov file expected at least 4 found: %zu %.*s  line:\n"
		"[%.*s]\n%.*s\n",
		l->n, STR_ARG(path), STR_ARG(line), STR_ARG(buf_as_str(&text)));
}

static void
take_line(struct mumps *m, struct str path, const struct cache_line *l)
{
	struct coverage *c = m->c;
	long number = coverage_number(l->fields[1]) - 1L;
	struct source_coverage *s = coverage_source(c, path);

	if (number < 0 || (size_t)number > s->lines) {
		coverage_say(c, CHANNEL_ERROR,
			"Parse error line is greater than number of lines in file: %zu "
			"%.*s\n",
			(size_t)number, STR_ARG(path));
		return;
	}
	coverage_line(c, s, (size_t)number);
	mumps_count(m, path, number, coverage_number(l->fields[2]));
}

static bool
read_data(struct mumps *m, struct str path, struct str text)
{
	struct str line, routine = STR(""), file = STR("");

	if (!str_take_crlf_line(&text, &line)) {
		coverage_say(m->c, CHANNEL_ERROR,
			"Empty file : %.*s  referenced in this line of cmcov data:\n"
			"[]\n",
			STR_ARG(path));
		return false;
	}
	check_head(m, path, line);
	while (str_take_crlf_line(&text, &line)) {
		struct cache_line l = split_line(line);

		if (l.n < FIELDS) {
			say_bad(m, path, line, &l);
			return false;
		}
		if (!routine.n) {
			routine = l.fields[0];
			file = mumps_find(m, routine);
			if (!file.n)
				coverage_say(m->c, CHANNEL_ERROR,
					"Could not find mumps file for routine: %.*s\n",
					STR_ARG(routine));
		} else if (str_begins(l.fields[0], STR("Totals"))) {
			routine = file = STR("");
		}
		if (file.n)
			take_line(m, file, &l);
	}
	return true;
}

size_t
coverage_cache(struct coverage *c)
{
	struct str path = str_fmt(c->arena, "%.*s/cache_coverage.cmcov", STR_ARG(c->top));
	struct mumps m = {.c = c, .read = read_data, .ending = ".cmcov"};

	/* Only one of the two tools is used. */
	if (path_exists(str_fmt_z(c->arena, "%.*s/gtm_coverage.mcov", STR_ARG(c->top))))
		return c->sources.n;
	return mumps_read(&m, path, "Cache");
}
