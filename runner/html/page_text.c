/* See page_text.h. */
#include "runner/html/page_text.h"

#include "runner/base/local_time.h"
#include "runner/base/utf8.h"

/* ---- texts ----------------------------------------------------------------------- */

/* What no HTML may have becomes U+FFFD. */
static void
put_text(struct buf *b, struct str s)
{
	uint32_t code;
	size_t size;

	for (size_t i = 0; i < s.n; i += size ? size : 1) {
		char c = s.p[i];

		size = utf8_next(str_from(s, i), &code);
		if (!size || (code < ' ' && c != '\t' && c != '\n') || code == 127)
			buf_z(b, "\xef\xbf\xbd");
		else if (c == '&')
			buf_z(b, "&amp;");
		else if (c == '<')
			buf_z(b, "&lt;");
		else if (c == '>')
			buf_z(b, "&gt;");
		else if (c == '"')
			buf_z(b, "&quot;");
		else
			buf_add(b, s.p + i, size);
	}
}

static void
put_duration(struct buf *b, uint64_t ns)
{
	double s = (double)ns / 1e9;
	unsigned long long whole = (unsigned long long)(s + 0.5);

	if (s < 0.9995)
		buf_fmt(b, "%.0f ms", s * 1e3);
	else if (s < 59.995)
		buf_fmt(b, "%.2f s", s);
	else if (whole < 3600)
		buf_fmt(b, "%llu min %02llu s", whole / 60, whole % 60);
	else
		buf_fmt(b, "%llu h %02llu min", whole / 3600, whole / 60 % 60);
}

static void
put_date(struct buf *b, int64_t seconds)
{
	struct tm clock;
	char text[64];

	if (local_time(seconds, &clock) &&
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &clock))
		buf_z(b, text);
}

static void
flush_text(FILE *to, struct buf *b)
{
	if (b->n)
		fwrite(b->p, 1, b->n, to);
	b->n = 0;
}

/* ---- the summary ----------------------------------------------------------------- */

struct counts {
	size_t all, of[STANDINGS];
};
static struct counts
count_tests(const struct html_run *r, const enum standing *standings)
{
	struct counts c = {.all = r->spans->o.plan->n};

	for (size_t i = 0; i < c.all; i++)
		c.of[standings[i]]++;
	return c;
}

static void
put_verdict(struct buf *b, const struct html_run *r, const struct counts *c)
{
	size_t failed = c->of[STANDING_FAILED], open = c->of[STANDING_UNFINISHED];
	const char *tests = c->all == 1 ? "test" : "tests";

	if (r->spans->is_cut_off)
		buf_z(b, "Interrupted: ");
	if (failed)
		buf_fmt(b, "%zu of %zu %s failed", failed, c->all, tests);
	else if (open)
		buf_fmt(b, "%zu of %zu %s did not finish", open, c->all, tests);
	else if (r->flaky_fail)
		buf_fmt(b, "%zu of %zu %s failed before passing", c->of[STANDING_FLAKY],
			c->all, tests);
	else if (c->of[STANDING_PASSED] == c->all)
		buf_fmt(b, c->all == 1 ? "The test passed" : "All %zu tests passed",
			c->all);
	else
		buf_fmt(b, "None of %zu %s failed", c->all, tests);
}

static bool
is_bad(const struct html_run *r, const struct counts *c)
{
	return c->of[STANDING_FAILED] || c->of[STANDING_UNFINISHED] ||
	       r->spans->is_cut_off || r->flaky_fail;
}

void
page_title(FILE *to, const struct html_run *r, const enum standing *standings)
{
	struct counts c = count_tests(r, standings);
	struct buf b = {.arena = r->arena};
	struct str tree = r->o.tree;
	size_t slash = str_rfind(tree, '/');

	put_verdict(&b, r, &c);
	buf_z(&b, " - ");
	put_text(&b, slash < tree.n ? str_from(tree, slash + 1) : tree);
	flush_text(to, &b);
}

/* The shares of the results, as a line. */
static void
put_share(struct buf *b, const struct counts *c)
{
	buf_z(b, "<div class=\"share\" aria-hidden=\"true\">");
	for (unsigned i = 0; i < STANDINGS; i++)
		if (c->of[i])
			buf_fmt(b, "<span class=\"%s\" style=\"flex:%zu\"></span>",
				standing_name(i).class, c->of[i]);
	buf_z(b, "</div>\n");
}

static void
open_fact(struct buf *b, const char *name)
{
	buf_fmt(b, "<div><dt>%s</dt><dd>", name);
}

static void
close_fact(struct buf *b)
{
	buf_z(b, "</dd></div>\n");
}

static uint64_t
time_of_tests(const struct html_run *r)
{
	uint64_t all = 0;

	for (size_t i = 0; i < r->spans->v.n; i++)
		all += r->spans->v.v[i].duration_ns;
	return all;
}

static void
put_facts(struct buf *b, const struct html_run *r, const struct counts *c)
{
	buf_z(b, "<dl class=\"facts\">\n");
	for (unsigned i = 0; i < STANDINGS; i++)
		if (c->of[i])
			buf_fmt(b,
				"<div class=\"tally\"><dt class=\"mark "
				"%s\">%s</dt><dd>%zu</dd></div>\n",
				standing_name(i).class, standing_name(i).title, c->of[i]);
	open_fact(b, "Took");
	put_duration(b, r->duration_ns);
	close_fact(b);
	open_fact(b, "Tests together");
	put_duration(b, time_of_tests(r));
	close_fact(b);
	if (r->o.slots) {
		open_fact(b, "Slots");
		buf_fmt(b, "%zu", r->o.slots);
		close_fact(b);
	}
	open_fact(b, "Began");
	put_date(b, r->spans->began_us / 1000000);
	close_fact(b);
	buf_fmt(b, "<div><dt>cctr</dt><dd>%s</dd></div>\n</dl>\n", r->o.program);
}

void
page_summary(FILE *to, const struct html_run *r, const enum standing *standings)
{
	struct counts c = count_tests(r, standings);
	struct buf b = {.arena = r->arena};

	buf_fmt(&b, "<header class=\"summary %s\">\n<h1>",
		is_bad(r, &c) ? "failed" : "passed");
	put_verdict(&b, r, &c);
	buf_z(&b, "</h1>\n<p class=\"tree\">");
	put_text(&b, r->o.tree);
	buf_z(&b, "</p>\n");
	put_share(&b, &c);
	put_facts(&b, r, &c);
	if (r->spans->is_cut_off)
		buf_z(&b, "<p class=\"warning\">A signal ended the run before its "
			  "end.</p>\n");
	buf_z(&b, "</header>");
	flush_text(to, &b);
}

/* ---- the list -------------------------------------------------------------------- */

/* By node: the time of all its attempts, and the last of them. */
struct row {
	uint64_t duration_ns;
	const struct span *last;
};

static struct row *
make_rows(struct arena *a, const struct html_run *r)
{
	struct row *rows = NEW_ARRAY(a, struct row, r->spans->o.plan->n);

	for (size_t i = 0; i < r->spans->v.n; i++) {
		const struct span *s = &r->spans->v.v[i];

		rows[s->node].duration_ns += s->duration_ns;
		rows[s->node].last = s;
	}
	return rows;
}

static void
put_row(struct buf *b, const struct node *node, const struct row *row, enum standing s)
{
	const char *result = s == STANDING_FAILED && row->last ? row->last->result
							       : standing_name(s).class;

	buf_fmt(b, "<tr class=\"%s\"><td>%u<td>", standing_name(s).class, node->number);
	put_text(b, node->test->name);
	buf_fmt(b, "<td>%s<td>", result);
	if (row->last)
		put_duration(b, row->duration_ns);
	buf_char(b, '\n');
}

/* Failures first. */
void
page_list(FILE *to, const struct html_run *r, const enum standing *standings)
{
	const struct plan *p = r->spans->o.plan;
	const struct row *rows = make_rows(r->arena, r);
	struct buf b = {.arena = r->arena};

	buf_z(&b, "<table>\n<thead><tr><th>Number<th>Test<th>Result<th>Time\n<tbody>\n");
	for (unsigned s = 0; s < STANDINGS; s++)
		for (node_id i = 0; i < p->n; i++)
			if (standings[i] == s) {
				put_row(&b, &p->nodes[i], &rows[i], s);
				flush_text(to, &b);
			}
	fputs("</table>", to);
}
