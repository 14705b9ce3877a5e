/*
 * Xdebug of PHP: an array in the format of serialize(), with the lines of each source
 * and how often they ran; -1 and less: never.
 *
 *   a:1:{s:10:"/src/x.php";a:2:{i:3;i:1;i:4;i:-1;}}
 */
#include "compat/dashboard/coverage/coverage.h"

#include "runner/base/files.h"

struct php {
	struct coverage *c;
	struct str rest;
};

static bool
report_error(const struct php *p, const char *why, struct str found, const char *end)
{
	coverage_say(p->c, CHANNEL_ERROR, "%s%.*s%s\n", why, STR_ARG(found), end);
	return false;
}

static struct str
take_bytes(struct php *p, size_t n)
{
	struct str taken = str_cut(p->rest.p, n < p->rest.n ? n : p->rest.n);

	p->rest = str_from(p->rest, taken.n);
	return taken;
}

/* What comes before a colon or a semicolon, whichever it is. */
static int
take_number(struct php *p)
{
	size_t colon = str_find(p->rest, ':'), semicolon = str_find(p->rest, ';');
	int number =
		coverage_number(take_bytes(p, colon < semicolon ? colon : semicolon));

	take_bytes(p, 1);
	return number;
}

static int
take_number_after_colon(struct php *p)
{
	take_bytes(p, str_find(p->rest, ':'));
	take_bytes(p, 1);
	return take_number(p);
}

/* "i:3;i:1;": a line and its count; missing numbers mean the first line, never run. */
static void
take_line(struct php *p, struct source_coverage *s)
{
	int line = take_number_after_colon(p), count = take_number_after_colon(p);
	int *known = coverage_line(p->c, s, line > 0 ? (size_t)line - 1 : 0);

	if (!known)
		return;
	*known = *known == COVERAGE_NO_CODE ? 0 : *known;
	coverage_count(known, count > 0 ? count : 0);
}

/* ";a:2:{i:3;i:1;i:4;i:-1;" */
static bool
take_lines(struct php *p, struct str name)
{
	struct source_coverage *s = coverage_source(p->c, name);
	struct str front = take_bytes(p, 3);
	bool is_more = true;
	int n;

	if (!str_is(front, ";a:")) {
		report_error(
			p, "failed to read start of coverage array, found : ", front, "");
		return report_error(
			p, "failed to read coverage array for file: ", name, "");
	}
	n = take_number(p);
	take_bytes(p, 1);
	for (int i = 0; i < n && is_more; i++) {
		is_more = p->rest.n > 0;
		take_line(p, s);
	}
	return true;
}

/* s:5:"x.php" and its lines */
static bool
take_source(struct php *p)
{
	struct str front = take_bytes(p, 2), quote, name;
	int n;

	if (!str_is(front, "s:"))
		return report_error(
			p, "failed to read start of file info found: [", front, "]");
	n = take_number(p);
	quote = take_bytes(p, 1);
	if (quote.n && !str_is(quote, "\""))
		return false;
	name = take_bytes(p, n > 0 ? (size_t)n : 0);
	quote = take_bytes(p, 1);
	if (!quote.n || str_is(quote, "\""))
		return take_lines(p, name);
	report_error(p, "failed to read close quote", STR(""), "");
	return report_error(p, "read [", quote, "]");
}

/* false: malformed; what comes before the error counts. As in ctest, the end of the file
 * closes all arrays but the first. */
static bool
read_text(struct coverage *c, struct str text)
{
	struct php p = {c, text};
	int n = 0;

	if (str_is(take_bytes(&p, 1), "a") && str_is(take_bytes(&p, 1), ":"))
		n = take_number(&p);
	if (!str_is(take_bytes(&p, 1), "{"))
		return report_error(&p, "failed to read open array", STR(""), "");
	for (int i = 0; i < n; i++) {
		if (!take_source(&p))
			return report_error(&p, "Failed to read file #",
				str_fmt(c->arena, "%d", i), "");
		if (!(i && !p.rest.n) && !str_is(take_bytes(&p, 1), "}"))
			return report_error(
				&p, "failed to read close array", STR(""), "");
	}
	return true;
}

/* false: later files of the directory are not read. */
static bool
read_file(struct coverage *c, struct str path)
{
	struct arena *scratch = arena_open();
	struct str text;
	bool ok;

	if (!coverage_file(c, scratch, path, &text))
		text = STR("");
	ok = read_text(c, text);
	arena_close(scratch);
	return ok;
}

size_t
coverage_php(struct coverage *c)
{
	struct str path = str_fmt(c->arena, "%.*s/xdebugCoverage", STR_ARG(c->top));
	str_vec names = {0};
	bool goes_on = true;

	console_read_directory(c->in->console, c->arena, path, &names);
	for (size_t i = 0; i < names.n && goes_on; i++)
		goes_on = read_file(c, path_join(c->arena, path, names.v[i]));
	return c->sources.n;
}
