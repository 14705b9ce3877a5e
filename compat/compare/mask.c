/* A table of rules, which are tried on each line. See mask.h. */
#include "compat/compare/mask.h"

#include "compat/report/log_entries.h"
#include "runner/base/sort.h"

#define IN(kind) (1u << (kind))
#define IN_CONSOLE (IN(MASK_CONSOLE) | IN(MASK_OUTPUT_LOG))
#define MONTH "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
#define TAG "20[0-9][0-9][0-9][0-9][0-9][0-9]-[0-2][0-9][0-5][0-9]"
#define NUMBER "[0-9][0-9.e+-]*"

/* Group 1 of the pattern becomes the mark. A mark of one letter that ends with "*" fills
 * the width of the text, as far as a shorter number would have the same width. */
struct rule {
	unsigned kinds;
	const char *has; /* a part of every line with a match */
	const char *before; /* a part of the line before; NULL: any line may be before */
	const char *pattern, *mark;
};
static const struct rule rules[] = {
	{IN_CONSOLE | IN(MASK_LOG), " sec", NULL, "( *[0-9]+[.][0-9][0-9]) sec([^a-z]|$)",
		"T*"},
	{IN_CONSOLE, "computed to be: ", NULL, "computed to be: (99998[0-9][0-9])$",
		"99998NN"},
	{IN(MASK_LOG) | IN(MASK_DASHBOARD), ":", NULL,
		"(" MONTH " [0-9][0-9] [0-9][0-9]:[0-9][0-9] [A-Z+-][A-Z0-9]+)", "DATE"},
	{IN(MASK_LOG), " time elapsed: ", NULL,
		"\" time elapsed: ([0-9][0-9]:[0-9][0-9]:[0-9][0-9])$", "ELAPSED"},
	{IN(MASK_COST), " ", NULL, "^.* [1-9][0-9]* (" NUMBER ")$", "COST"},
	{IN(MASK_JUNIT), "time=\"", NULL, "[\t ]time=\"(" NUMBER ")\"", "T"},
	{IN(MASK_JUNIT), "timestamp=\"", NULL, "timestamp=\"([0-9:T-]+)\"", "DATE"},
	{IN(MASK_DASHBOARD), "Time>", NULL, "Time>(" NUMBER ")</", "N"},
	{IN(MASK_DASHBOARD), "<ElapsedMinutes>", NULL, "<ElapsedMinutes>(" NUMBER ")</",
		"N"},
	{IN(MASK_DASHBOARD), "<Value>", "name=\"Execution Time\"",
		"<Value>(" NUMBER ")</Value>", "N"},
	{IN(MASK_DASHBOARD), "<Value>H4sI", NULL,
		"<Value>H4sI([A-Za-z0-9+/][A-Za-z0-9+/][A-Za-z0-9+/][A-Za-z0-9+/]"
		"[A-Za-z0-9+/][A-Za-z0-9+/][A-Za-z0-9+/][A-Za-z0-9+/])",
		"TIMETIME"},
	{IN(MASK_COVERAGE), "Performing coverage: ", NULL,
		"^Performing coverage: ([0-9]+)$", "N"},
	{IN_CONSOLE | IN(MASK_DASHBOARD) | IN(MASK_TAG), "20", NULL, "(" TAG ")", "TAG"},
};
enum { RULES = sizeof rules / sizeof *rules };

struct mask {
	const struct matcher *rules[RULES], *tag, *counter, *channel;
};

static const struct matcher *
compile(struct match_set *patterns, const char *text)
{
	const struct pattern *p = match_set_get(patterns, str_of(text), NULL);

	INVARIANT(p->matcher);
	return p->matcher;
}

struct mask *
mask_new(struct arena *a, struct match_set *patterns)
{
	struct mask *m = NEW(a, struct mask);

	for (size_t i = 0; i < RULES; i++)
		m->rules[i] = compile(patterns, rules[i].pattern);
	m->tag = compile(patterns, "(" TAG ")");
	m->counter = compile(patterns, "^( *[0-9]+/ *[0-9]+) (Test|MemCheck:?) +#");
	m->channel = compile(patterns, "^\\[[A-Z_]+\\] $");
	return m;
}

/* ---- one line -------------------------------------------------------------------- */

/* ctest prints seconds in six places, and more only where they do not suffice. */
static void
add_mark(struct buf *out, const char *mark, struct str text)
{
	size_t digits = str_trim(text).n;

	if (mark[1] == '*')
		buf_fill(out, mark[0], digits > 6 ? text.n - (digits - 6) : text.n);
	else
		buf_z(out, mark);
}

/* Replaces every match in the line. */
static struct str
replace_all(
	struct arena *a, const struct matcher *matcher, struct str line, const char *mark)
{
	struct buf out = {.arena = a};
	struct match match;
	size_t at = 0;

	while (at < line.n && match_find(matcher, line, at, &match)) {
		struct str part = match.groups[1];
		size_t begin = (size_t)(part.p - line.p);

		buf_str(&out, str_cut(line.p + at, begin - at));
		add_mark(&out, mark, part);
		at = begin + part.n;
	}
	if (!out.n)
		return line;
	buf_str(&out, str_from(line, at));
	return buf_as_str(&out);
}

static struct str
mask_line(const struct mask *m, struct arena *a, enum mask_kind kind, struct str line,
	struct str before)
{
	for (size_t i = 0; i < RULES; i++) {
		const struct rule *r = &rules[i];

		if (r->kinds & IN(kind) && str_has(line, str_of(r->has)) &&
			(!r->before || str_has(before, str_of(r->before))))
			line = replace_all(a, m->rules[i], line, r->mark);
	}
	return line;
}

struct str_list
mask_lines(const struct mask *m, struct arena *a, enum mask_kind kind, struct str text)
{
	str_vec lines = {0};
	struct str line, before = STR("");

	while (str_take_line(&text, &line)) {
		/* Names of tests follow, not times. */
		if (kind == MASK_COST && str_is(line, "---"))
			kind = MASK_NOTHING;
		VEC_PUSH(a, &lines, mask_line(m, a, kind, line, before));
		before = line;
	}
	return str_vec_list(&lines);
}

/* ---- runs whose tests ran side by side ------------------------------------------- */

static void
sort_console(const struct mask *m, struct arena *a, struct str_list lines)
{
	for (size_t i = 0; i < lines.n; i++)
		lines.v[i] = replace_all(a, m->counter, lines.v[i], "N/N");
	str_list_sort(lines);
}

/* A channel's name and a newline are where the channel changes. So a result may be in the
 * line of its test, or in the next one. */
static struct str
drop_separators(const struct mask *m, struct arena *a, struct str text)
{
	struct buf out = {.arena = a};
	struct match match;
	struct str line;
	bool lacks_result = false;

	while (str_take_line(&text, &line)) {
		if (!line.n || match_find(m->channel, line, 0, &match))
			continue;
		if (out.n && !lacks_result)
			buf_char(&out, '\n');
		buf_str(&out, line);
		lacks_result = match_find(m->counter, line, 0, &match) &&
			       !str_ends(line, STR(" sec"));
	}
	return buf_as_str(&out);
}

static void
sort_failed(struct str_list lines)
{
	size_t i = 0;

	while (i < lines.n && !str_is(lines.v[i], "---"))
		i++;
	if (i < lines.n)
		str_list_sort((struct str_list){lines.v + i + 1, lines.n - i - 1});
}

SORT_BY(sort_entries, struct log_entry, ASCENDING(number) ASCENDING(begin))

/* The text before the first entry, the entries by number, and what is between and after
 * them. */
static struct str
sort_log(struct arena *a, struct str text)
{
	log_entries e = log_entries_of(a, text);
	struct buf out = {.arena = a}, rest = {.arena = a};
	uint64_t at = e.n ? e.v[0].begin : 0;

	buf_str(&out, str_cut(text.p, at));
	for (size_t i = 0; i < e.n; i++) {
		buf_str(&rest, str_cut(text.p + at, e.v[i].begin - at));
		at = e.v[i].end;
	}
	buf_str(&rest, str_from(text, at));
	sort_entries(e.v, e.n);
	for (size_t i = 0; i < e.n; i++)
		buf_str(&out, str_cut(text.p + e.v[i].begin, e.v[i].end - e.v[i].begin));
	buf_str(&out, buf_as_str(&rest));
	return buf_as_str(&out);
}

struct str_list
mask_unordered(
	const struct mask *m, struct arena *a, enum mask_kind kind, struct str text)
{
	struct str_list lines;

	if (kind == MASK_LOG)
		text = sort_log(a, text);
	else if (kind == MASK_OUTPUT_LOG)
		text = drop_separators(m, a, text);
	lines = mask_lines(m, a, kind, text);
	if (kind == MASK_CONSOLE || kind == MASK_OUTPUT_LOG)
		sort_console(m, a, lines);
	else if (kind == MASK_COST)
		sort_failed(lines);
	return lines;
}

/* ---- files ----------------------------------------------------------------------- */

static bool
is_of_dashboard(struct str path)
{
	return str_begins(path, STR("Testing/")) && str_ends(path, STR(".xml"));
}

enum mask_kind
mask_kind_of_file(struct str path, struct str text)
{
	static const struct {
		const char *head, *tail;
		enum mask_kind kind;
	} names[] = {
		{"Testing/Temporary/LastTest.log", "", MASK_LOG},
		{"Testing/Temporary/LastTest_", ".log", MASK_LOG},
		{"Testing/Temporary/LastDynamicAnalysis", ".log", MASK_LOG},
		{"Testing/Temporary/LastCoverage", ".log", MASK_COVERAGE},
		{"Testing/Temporary/CTestCostData.txt", "", MASK_COST},
	};

	if (str_begins(text, STR("<?xml")) && str_has(text, STR("<testsuite")))
		return MASK_JUNIT;
	if (str_is(path, "Testing/TAG"))
		return MASK_TAG;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_begins(path, str_of(names[i].head)) &&
			str_ends(path, str_of(names[i].tail)))
			return names[i].kind;
	return is_of_dashboard(path) ? MASK_DASHBOARD : MASK_NOTHING;
}

struct str
mask_path(const struct mask *m, struct arena *a, struct str path)
{
	return replace_all(a, m->tag, path, "TAG");
}
