/*
 * DelphiCodeCoverage: a page for each source, "UNIT(UNIT.pas).html", with a row for each
 * line. The page does not distinguish code that did not run from other lines; the source
 * does.
 */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/files.h"

/* ---- the source ------------------------------------------------------------------ */

struct pascal {
	size_t depth; /* of "begin" */
	bool in_comment;
};

static bool
is_code(struct pascal *p, struct str line)
{
	size_t comment = str_search(line, STR("//")), blanks = 0;
	bool is_commented = comment < line.n && comment < str_find(line, ';');

	while (blanks < line.n && line.p[blanks] == ' ')
		blanks++;
	if (str_begins(str_from(line, blanks), STR("begin"))) {
		p->depth++;
		return false;
	}
	if (str_find(line, '{') < line.n) {
		p->in_comment = true;
	} else if (str_find(line, '}') < line.n) {
		p->in_comment = false;
		return false;
	} else if (str_has(line, STR("end;")) && p->depth) {
		p->depth--;
		return false;
	}
	return p->depth && line.n && !p->in_comment && !is_commented;
}

static void
add_lines(struct coverage *c, struct source_coverage *s)
{
	struct arena *scratch = arena_open();
	struct pascal p = {0, false};
	struct str text, line;

	if (coverage_file(c, scratch, s->path, &text))
		while (str_take_crlf_line(&text, &line)) {
			int *count = coverage_line(c, s, s->lines);

			if (is_code(&p, line) && count)
				*count = 0;
		}
	arena_close(scratch);
}

/* ---- the page -------------------------------------------------------------------- */

/* `<tr class="covered"><td>39</td>...`: the number of the line, 0 for other rows. */
static int
covered_line(struct str row)
{
	size_t at = str_search(row, STR("class="));
	struct str class, rest;
	size_t end;

	if (!str_has(row, STR("inline")) || at == row.n)
		return 0;
	rest = str_from(row, at + strlen("class="));
	end = str_find(rest, '>');
	class = str_cut(rest.p, end);
	/* Any quotes. */
	if (class.n < 2 || !str_is(str_cut(class.p + 1, class.n - 2), "covered"))
		return 0;
	rest = str_from(rest, end);
	return rest.n > strlen("><td>") ? coverage_number(str_from(rest, strlen("><td>")))
					: 0;
}

static void
read_rows(struct coverage *c, struct source_coverage *s, struct str html)
{
	struct str row;

	add_lines(c, s);
	while (str_take_crlf_line(&html, &row))
		coverage_set_count(s, covered_line(row), 1);
}

/* ---- files ----------------------------------------------------------------------- */

/* The unit in parentheses in the page's path; "" after a message that there is none. */
static struct str
unit_of(struct coverage *c, struct str page)
{
	size_t end = 0;

	for (size_t at = str_find(page, '('); at < page.n;) {
		struct str unit = str_from(page, at + 1);

		unit.n = str_find(unit, ')');
		end = at + 1 + unit.n;
		if (str_has(unit, STR(".pas"))) {
			coverage_say(c, CHANNEL_VERBOSE,
				"Coverage found for file:  %.*s\n", STR_ARG(unit));
			return unit;
		}
		at = end < page.n ? end + str_find(str_from(page, end), '(') : page.n;
	}
	coverage_say(c, CHANNEL_VERBOSE, "%zuFile not found  %zu\n", end, SIZE_MAX);
	return STR("");
}

static void
read_page(struct coverage *c, const struct coverage_names *names, struct str page)
{
	struct str unit, html;
	struct str_list directories;
	struct arena *scratch;

	coverage_say(c, CHANNEL_VERBOSE, "Reading HTML File %.*s\n", STR_ARG(page));
	unit = unit_of(c, page);
	if (!unit.n)
		return;
	directories = coverage_names_find(names, unit);
	if (!directories.n) {
		coverage_say(c, CHANNEL_VERBOSE,
			"Unable to find file matching%.*s*/%.*s\n", STR_ARG(c->source),
			STR_ARG(unit));
		return;
	}
	scratch = arena_open();
	if (!coverage_file(c, scratch, page, &html))
		html = STR("");
	read_rows(
		c, coverage_source(c, path_join(c->arena, directories.v[0], unit)), html);
	arena_close(scratch);
}

size_t
coverage_delphi(struct coverage *c)
{
	struct str pattern = str_fmt(c->arena, "%.*s/*(*.pas).html", STR_ARG(c->top));
	struct str sources = str_fmt(c->arena, "%.*s*/*", STR_ARG(c->source));
	const struct coverage_names *names;
	str_vec files = {0};

	coverage_glob(c, pattern, true, &files);
	if (!files.n) {
		coverage_say(c, CHANNEL_VERBOSE,
			" Cannot find Delphi coverage files: %s\n", pattern.p);
		return c->sources.n;
	}
	coverage_say(
		c, CHANNEL_VERBOSE, "Found Delphi HTML Files, Performing Coverage\n");
	names = coverage_names_build(c, &sources, 1);
	for (size_t i = 0; i < files.n; i++)
		read_page(c, names, files.v[i]);
	return c->sources.n;
}
