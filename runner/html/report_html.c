/* The page of a run. See report_html.h. */
#include "runner/html/report_html.h"

#include <errno.h>
#include <stdio.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/html/page.h"
#include "runner/html/page_data.h"
#include "runner/html/page_text.h"

/* Attempts of each test, and of all tests, as far as each has a few. */
enum { ATTEMPTS_MOST = 30, ATTEMPTS_LEAST = 5, ALL_MOST = 200000 };

struct report_html {
	struct report report;
	struct html_run run;
};

/* ---- earlier runs ----------------------------------------------------------------- */

static size_t
attempts_of_each(size_t tests)
{
	size_t most = ALL_MOST / (tests ? tests : 1);

	if (most > ATTEMPTS_MOST)
		return ATTEMPTS_MOST;
	return most < ATTEMPTS_LEAST ? ATTEMPTS_LEAST : most;
}

/* By node; the latest attempts first, those of this run among them. NULL: there is no
 * history. Where it cannot be read, d has a warning. */
static const struct history_of_test *
read_earlier_runs(struct arena *a, const struct html_run *r, struct diag *d)
{
	const struct plan *p = r->spans->o.plan;
	struct str *names = NEW_ARRAY(a, struct str, p->n);
	struct history_content content;
	struct diag found = diag_in(a);

	if (!r->o.history.n || !path_may_exist(r->o.history.p))
		return NULL;
	for (node_id i = 0; i < p->n; i++)
		names[i] = p->nodes[i].test->name;
	switch (history_read(a, r->o.history, r->o.configuration, names, p->n,
		attempts_of_each(p->n), &content, &found)) {
	case HISTORY_FOUND:
		return content.tests;
	case HISTORY_ABSENT:
		break;
	case HISTORY_UNREADABLE:
		diag_warning(d, (struct place){.file = str_of(r->o.path)},
			"has no earlier runs: %.*s", STR_ARG(found.entries.v[0].text));
	}
	return NULL;
}

/* ---- the page -------------------------------------------------------------------- */

static void
put_file(FILE *to, struct str text)
{
	fwrite(text.p, 1, text.n, to);
}

/* Parts of the page that page.html names in double braces. */
static int
write_part(FILE *to, struct str name, struct html_run *r, const enum standing *standings)
{
	if (str_is(name, "title"))
		page_title(to, r, standings);
	else if (str_is(name, "style"))
		put_file(to, page_css);
	else if (str_is(name, "summary"))
		page_summary(to, r, standings);
	else if (str_is(name, "list"))
		page_list(to, r, standings);
	else if (str_is(name, "data"))
		return page_data(to, r, standings);
	else if (str_is(name, "script"))
		put_file(to, page_js);
	else
		BUG("a part of the page has another name");
	return 0;
}

/* 0, or the errno of what could not be read. */
static int
write_page(FILE *to, struct html_run *r)
{
	enum standing *standings = html_run_standings(r->arena, r);
	struct str rest = page_html;
	size_t begin, end;
	int error = 0;

	while ((begin = str_search(rest, STR("{{"))) < rest.n && !error) {
		put_file(to, str_cut(rest.p, begin));
		rest = str_from(rest, begin + 2);
		end = str_search(rest, STR("}}"));
		error = write_part(to, str_cut(rest.p, end), r, standings);
		rest = str_from(rest, end + 2);
	}
	put_file(to, rest);
	return error;
}

static bool
publish_page(struct html_run *r)
{
	struct atomic_file f;
	FILE *to = atomic_file_open_stream(r->arena, &f, r->o.path, ".tmp");
	int error;

	if (!to)
		return false;
	error = write_page(to, r);
	if (!error)
		return atomic_file_close_stream(&f, to);
	fclose(to);
	(void)atomic_file_close(&f, false);
	errno = error;
	return false;
}

/* ---- the report ------------------------------------------------------------------ */

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_html *r = (struct report_html *)report;

	html_run_note(&r->run, e);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct html_run *r = &((struct report_html *)report)->run;
	bool has_begun = r->spans->has_begun, is_written;
	int error;

	if (has_begun) {
		r->earlier = read_earlier_runs(r->arena, r, d);
		r->duration_ns = loop_now_ns() - r->spans->began_ns;
	}
	is_written = !has_begun || publish_page(r);
	error = errno;
	spool_close(&r->outputs);
	arena_close(r->arena);
	return is_written ||
	       diag_system(d, str_of(r->o.path), "cannot be written", error);
}

/* Tests that still ran have no END. */
static bool
stop_report(struct report *report, struct diag *d)
{
	struct html_run *r = &((struct report_html *)report)->run;

	spans_cut_off(r->spans);
	while (r->details.n < r->spans->v.n)
		VEC_PUSH(r->arena, &r->details, (struct span_detail){0});
	return close_report(report, d);
}

struct report *
report_html_open(struct arena *a, const struct html_options *o)
{
	static const struct report_type type = {
		.name = "html",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
	};
	struct report_html *r = NEW(a, struct report_html);

	r->report.type = &type;
	r->run.o = *o;
	r->run.arena = arena_open();
	r->run.spans = spans_new(r->run.arena, &o->spans);
	r->run.outputs = spool_in(r->run.arena, P_tmpdir);
	return &r->report;
}
