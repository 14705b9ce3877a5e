/*
 * GT.M: gtm_coverage.mcov, and its profiler's data on lines after labels:
 *
 *   ^ZZCOVERAGE("ROUTINE","LABEL",2)="1:0:0:0:27"
 */
#include "compat/dashboard/coverage/coverage.h"

#include "compat/dashboard/coverage/coverage_mumps.h"

enum { ARGUMENTS = 3 };

struct gtm_line {
	struct str arguments[ARGUMENTS]; /* routine, label, line after the label */
	size_t n;
	int count;
};

/* The result for the last line, used again while the label is the same. */
struct gtm {
	struct mumps mumps;
	struct str routine, label, path;
	long offset;
	struct map labels; /* of routine and label; the line */
	struct map known; /* paths whose labels are in labels */
};

/* Splits at commas and removes quotes. false: there is no "(" or no "=". */
static bool
parse_line(struct arena *a, struct str line, struct gtm_line *l)
{
	size_t at = str_find(line, '('), equals = str_find(line, '=');
	struct buf argument = {.arena = a};

	*l = (struct gtm_line){.n = 0};
	for (bool done = at == line.n; !done && at < line.n; at++) {
		char c = line.p[at];

		done = c == ')';
		if (c != ',' && !done) {
			if (c != '"' && c != '(')
				buf_char(&argument, c);
			continue;
		}
		if (l->n < ARGUMENTS)
			l->arguments[l->n] = str_dup(a, buf_as_str(&argument));
		l->n++;
		argument.n = 0;
	}
	if (equals == line.n || str_find(line, '(') == line.n)
		return false;
	line = str_from(line, equals + 1);
	if (line.n && line.p[0] == '"')
		line = str_from(line, 1);
	l->count = coverage_number(line);
	return true;
}

static struct str
label_key(struct arena *a, struct str path, struct str label)
{
	return str_fmt(a, "%.*s\n%.*s", STR_ARG(path), STR_ARG(label));
}

static void
add_label(struct gtm *g, struct str path, struct str label, size_t line)
{
	uint32_t *at = map_at(&g->labels, label_key(g->mumps.c->arena, path, label));

	if (*at == MAP_NONE)
		*at = (uint32_t)line;
}

/* A label begins its line and ends at a blank or "("; a "%" before it may be omitted. */
static void
read_labels(struct gtm *g, struct str path)
{
	struct str text = coverage_read(g->mumps.c, path), line;

	for (size_t number = 0; str_take_crlf_line(&text, &line); number++) {
		size_t n = 0;

		while (n < line.n && !strchr(" \t(", line.p[n]))
			n++;
		if (n == line.n)
			continue;
		add_label(g, path, str_cut(line.p, n), number);
		if (n && line.p[0] == '%' && line.p[n] != '\t')
			add_label(g, path, str_cut(line.p + 1, n - 1), number);
	}
}

/* false: the routine has no such label; *line is unchanged. */
static bool
find_label(struct gtm *g, struct str path, struct str label, long *line)
{
	uint32_t found;

	if (map_add(&g->known, path))
		read_labels(g, path);
	found = map_get(&g->labels, label_key(g->mumps.c->arena, path, label));
	if (found != MAP_NONE)
		*line = (long)found;
	return found != MAP_NONE;
}

static void
say_no_file(const struct gtm *g, struct str routine, struct str line)
{
	coverage_say(g->mumps.c, CHANNEL_ERROR,
		"Can not find mumps file : %.*s  referenced in this line of mcov data:\n"
		"[%.*s]\n",
		STR_ARG(routine), STR_ARG(line));
}

/* For the same label again: counts only a line that exists, even one without code. */
static void
count_again(struct gtm *g, const struct gtm_line *l, struct str line)
{
	struct coverage *c = g->mumps.c;
	int *known;

	if (!g->path.n) {
		say_no_file(g, g->routine, line);
		return;
	}
	known = coverage_known_line(coverage_source(c, g->path),
		g->offset + coverage_number(l->arguments[2]));
	if (known)
		coverage_count(known, l->count);
}

static void
count_line(struct gtm *g, const struct gtm_line *l, struct str line)
{
	struct coverage *c = g->mumps.c;

	g->routine = l->arguments[0];
	g->label = l->arguments[1];
	g->path = mumps_find(&g->mumps, g->routine);
	if (!g->path.n && str_ends(g->routine, STR("%"))) {
		g->routine = str_from(g->routine, 1);
		g->path = mumps_find(&g->mumps, g->routine);
	}
	if (!g->path.n) {
		say_no_file(g, g->routine, line);
		return;
	}
	if (find_label(g, g->path, g->label, &g->offset))
		mumps_count(&g->mumps, g->path,
			g->offset + coverage_number(l->arguments[2]), l->count);
	else
		coverage_say(c, CHANNEL_ERROR,
			"Could not find entry point : %.*s in %.*s\n", STR_ARG(g->label),
			STR_ARG(g->path));
}

static void
take_line(struct gtm *g, struct str line)
{
	struct coverage *c = g->mumps.c;
	struct gtm_line l;
	bool has_all = parse_line(c->arena, line, &l);

	if (has_all && l.n < 2)
		coverage_say(c, CHANNEL_ERROR, "Error parsing mcov line: [%.*s]\n",
			STR_ARG(line));
	/* If the line number is missing, all arguments are ignored. */
	if (!has_all || l.n < ARGUMENTS)
		l = (struct gtm_line){
			.arguments = {STR(""), STR(""), STR("")}, .count = l.count};
	if (str_is(l.arguments[0], "RSEL"))
		return;
	if (str_eq(l.arguments[0], g->routine) && str_eq(l.arguments[1], g->label))
		count_again(g, &l, line);
	else
		count_line(g, &l, line);
}

static bool
read_data(struct mumps *m, struct str path, struct str text)
{
	struct gtm *g = (struct gtm *)m;
	struct str line;

	(void)path;
	g->routine = g->label = g->path = STR("");
	g->offset = 0;
	while (str_take_crlf_line(&text, &line))
		if (str_has(line, STR("^ZZCOVERAGE")))
			take_line(g, line);
	return true;
}

size_t
coverage_gtm(struct coverage *c)
{
	struct str path = str_fmt(c->arena, "%.*s/gtm_coverage.mcov", STR_ARG(c->top));
	struct gtm g = {.mumps = {.c = c, .read = read_data, .ending = ".mcov"},
		.labels = map_in(c->arena),
		.known = map_in(c->arena)};

	return mumps_read(&g.mumps, path, "GTM");
}
