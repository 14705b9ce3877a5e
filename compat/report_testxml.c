/* See report_testxml.h. */
#include "compat/report_testxml.h"

#include "compat/encode.h"
#include "compat/executable.h"
#include "compat/measurements.h"
#include "compat/report_text.h"
#include "compat/site.h"
#include "compat/truncate.h"
#include "runner/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Spelled when the test ended: up to its measurements, up to its attached files, the
 * rest. */
enum { PIECES = 3 };
struct entry {
	size_t sizes[PIECES];
	struct measurements measurements;
	struct str_list attached, attached_on_fail;
};

struct report_testxml {
	struct report report;
	struct dashboard *d;
	struct arena *scratch;
	FILE *pieces;
	struct buf names; /* <Test> elements of the list */
	VEC(struct entry) entries;
	int64_t started_s, ended_s;
	uint64_t duration_ns;
	bool append;
};

/* ---- words ---------------------------------------------------------------------------
 */

static bool
has_run(enum verdict_kind k)
{
	return k != VERDICT_SKIPPED && k != VERDICT_DISABLED && k != VERDICT_NOT_RUN;
}

static const char *
status_of(enum verdict_kind k)
{
	return k == VERDICT_PASSED ? "passed" : has_run(k) ? "failed" : "notrun";
}

/* "./sub" where the directory holds the path, else "". */
static struct str
within(struct arena *a, struct str directory, struct str path)
{
	struct str top = path_normal(a, directory);

	if (!directory.n || !str_begins(path, top) ||
		(path.n > top.n && path.p[top.n] != '/'))
		return STR("");
	return str_fmt(a, ".%.*s", STR_ARG(str_from(path, top.n)));
}

/* The shorter one of what the path is below the source and below the build directory. */
static struct str
short_path(const struct report_testxml *r, struct str path)
{
	const struct dashboard *d = r->d;
	struct arena *a = r->scratch;
	struct str source = within(a, d->source, path);
	struct str binary = within(a, d->binary, path);
	struct str best = source.n && (!binary.n || source.n < binary.n) ? source
			  : binary.n                                     ? binary
									 : path;
	struct str copy = str_dup(a, best);

	for (size_t i = 0; i < copy.n; i++)
		if (copy.p[i] == ':' || copy.p[i] == ' ')
			((char *)copy.p)[i] = '_';
	return copy;
}

static struct str
full_name(const struct report_testxml *r, const struct test *t)
{
	return short_path(r, str_fmt(r->scratch, "%.*s/%.*s", STR_ARG(t->directory),
				     STR_ARG(t->name)));
}

/* Of what ctest did not try to start it knows no command. */
static bool
has_command(const struct event *e)
{
	enum refusal_kind k = e->refusal ? e->refusal->kind : REFUSED_NOT;

	return k == REFUSED_NOT || k == REFUSED_START || k == REFUSED_ENVIRONMENT;
}

static struct str
command_line(const struct report_testxml *r, const struct event *e)
{
	struct str path = has_command(e) ? report_executable(e) : STR("");
	struct str_list arguments = report_arguments(r->scratch, e);

	return path.n ? executable_command_line(
				r->scratch, path, arguments.v, arguments.n)
		      : STR("");
}

/* ---- one test ------------------------------------------------------------------------
 */

static void
add_text(struct xml *x, const char *name, struct str value)
{
	measurement_add(x, "text/string", str_of(name), value);
}

static void
add_exit(struct report_testxml *r, const struct event *e, struct xml *x)
{
	int code = e->outcome->ending == END_EXITED ? e->outcome->exit_code : 0;

	if (e->refusal && e->refusal->kind == REFUSED_ENVIRONMENT)
		code = -1;

	if (!has_run(e->verdict->kind) || (e->verdict->kind == VERDICT_PASSED && !code))
		return;
	add_text(x, "Exit Code",
		e->verdict->kind == VERDICT_PASSED
			? STR("Completed")
			: report_status(r->scratch, e->verdict, e->outcome));
	add_text(x, "Exit Value", str_fmt(r->scratch, "%d", code));
}

static void
add_time(struct report_testxml *r, const struct event *e, struct xml *x)
{
	bool passed = e->verdict->kind == VERDICT_PASSED;
	struct buf time = {.arena = r->scratch}, reason = {.arena = r->scratch};

	if (!has_run(e->verdict->kind))
		return;
	if (r->d->dialect->has[DIALECT_TEST_START_TIME])
		buf_fmt(&time, "%.6f", (double)e->outcome->duration_ns / 1e9);
	else
		report_add_number(&time, (double)e->outcome->duration_ns / 1e9);
	measurement_add(x, "numeric/double", STR("Execution Time"), buf_as_str(&time));
	report_add_reason(&reason, e->attempt->test, e->verdict);
	if (reason.n)
		add_text(x, passed ? "Pass Reason" : "Fail Reason", buf_as_str(&reason));
}

static int
by_text(const void *a, const void *b)
{
	return str_order(*(const struct str *)a, *(const struct str *)b);
}

/* Entries of MEASUREMENT: the last of a name counts, and they go by name. */
static void
add_declared(struct report_testxml *r, struct str_list declared, struct xml *x)
{
	struct map at = map_in(r->scratch);
	struct str *names = NEW_ARRAY(r->scratch, struct str, declared.n);
	size_t n = 0;

	for (size_t i = 0; i < declared.n; i++) {
		struct str d = declared.v[i], name = str_cut(d.p, str_find(d, '='));

		if (map_get(&at, name) == MAP_NONE)
			names[n++] = name;
		map_set(&at, name, (uint32_t)i);
	}
	if (n)
		qsort(names, n, sizeof *names, by_text);
	for (size_t i = 0; i < n; i++) {
		struct str d = declared.v[map_get(&at, names[i])];
		size_t equals = str_find(d, '=');

		measurement_add(x, "text/string", names[i],
			equals < d.n ? str_from(d, equals + 1) : STR(""));
	}
}

static struct str
output_of(struct report_testxml *r, const struct event *e)
{
	const struct options *o = r->d->options;
	bool passed = e->verdict->kind == VERDICT_PASSED;
	struct str text;

	if (e->verdict->kind == VERDICT_DISABLED)
		return STR("Disabled");
	if (e->refusal && e->refusal->kind != REFUSED_NOT) {
		text = e->refusal->log;
		while (text.n && text.p[text.n - 1] == '\n')
			text.n--;
		return text;
	}
	text = truncate_measurements(r->scratch, e->outcome->output);
	return truncate_output(r->scratch, text,
		passed ? o->output_size_passed : o->output_size_failed,
		o->output_truncation);
}

/* Compressed where that is shorter. */
static void
add_output(struct report_testxml *r, const struct event *e, struct xml *x)
{
	struct str text = output_of(r, e);
	struct buf bytes = {.arena = r->scratch}, encoded = {.arena = r->scratch};
	bool may = !r->d->options->dashboard.keeps_output_plain &&
		   !r->d->options->output_junit.n;

	if (may && text.n && encode_deflate(&bytes, text))
		encode_base64(&encoded, buf_as_str(&bytes), false);
	xml_open(x, "Measurement");
	xml_open(x, "Value");
	if (encoded.n && encoded.n < text.n) {
		xml_attribute(x, "encoding", STR("base64"));
		xml_attribute(x, "compression", STR("gzip"));
		text = buf_as_str(&encoded);
	}
	xml_text(x, text);
	xml_close(x);
	xml_close(x);
}

static void
add_results(struct report_testxml *r, const struct event *e, struct xml *x)
{
	const struct test *t = e->attempt->test;

	add_time(r, e, x);
	measurement_add(x, "numeric/double", STR("Processors"),
		str_fmt(r->scratch, "%d", t->properties->processors));
	add_text(x, "Completion Status",
		report_completion(r->scratch, t, e->verdict, e->outcome));
	add_text(x, "Command Line", command_line(r, e));
	add_text(x, "Environment", e->launch ? e->launch->environment_changes : STR(""));
	add_declared(r, t->properties->measurements, x);
	add_output(r, e, x);
	xml_close(x);
}

static void
add_labels(struct report_testxml *r, const struct event *e, struct xml *x)
{
	struct str_list declared = e->attempt->test->properties->labels;
	struct str_list added = e->outcome->labels;
	struct str *all = NEW_ARRAY(r->scratch, struct str, declared.n + added.n);
	size_t n = declared.n + added.n;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		all[i] = i < declared.n ? declared.v[i] : added.v[i - declared.n];
	qsort(all, n, sizeof *all, by_text);
	xml_open(x, "Labels");
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !str_eq(all[i], all[i - 1]))
			site_text(x, "Label", all[i]);
	xml_close(x);
}

static void
add_head(struct report_testxml *r, const struct event *e, struct xml *x)
{
	const struct test *t = e->attempt->test;

	xml_open(x, "Test");
	xml_attribute(x, "Status", str_of(status_of(e->verdict->kind)));
	site_text(x, "Name", t->name);
	site_text(x, "Path", short_path(r, t->directory));
	site_text(x, "FullName", full_name(r, t));
	site_text(x, "FullCommandLine", command_line(r, e));
	if (r->d->dialect->has[DIALECT_TEST_START_TIME] && e->outcome->started_s)
		site_text(x, "StartTestTime",
			str_fmt(r->scratch, "%.6f", (double)e->outcome->started_s));
	xml_open(x, "Results");
	add_exit(r, e, x);
	xml_content(x);
}

static struct str_list
copied(struct arena *a, struct str_list files)
{
	struct str_list copy = {NEW_ARRAY(a, struct str, files.n), files.n};

	for (size_t i = 0; i < files.n; i++)
		copy.v[i] = str_dup(a, files.v[i]);
	return copy;
}

static void
keep(struct report_testxml *r, const struct event *e)
{
	const struct properties *p = e->attempt->test->properties;
	struct buf text = {.arena = r->scratch};
	struct entry entry = {0};
	struct xml x;

	xml_begin(&x, &r->names, 3);
	buf_char(&r->names, '\n');
	buf_fill(&r->names, '\t', 3);
	buf_z(&r->names, "<Test>");
	xml_escape(&r->names, full_name(r, e->attempt->test), false);
	buf_z(&r->names, "</Test>");
	if (!r->pieces)
		return;
	xml_begin(&x, &text, 2);
	add_head(r, e, &x);
	entry.sizes[0] = text.n;
	add_results(r, e, &x);
	entry.sizes[1] = text.n - entry.sizes[0];
	add_labels(r, e, &x);
	xml_close(&x);
	entry.sizes[2] = text.n - entry.sizes[0] - entry.sizes[1];
	if (has_run(e->verdict->kind))
		entry.measurements = measurements_of(r->d->arena, e->outcome->output);
	entry.attached = copied(r->d->arena, p->attached_files);
	if (e->verdict->kind != VERDICT_PASSED)
		entry.attached_on_fail = copied(r->d->arena, p->attached_files_on_fail);
	VEC_PUSH(r->d->arena, &r->entries, entry);
	fwrite(text.p, 1, text.n, r->pieces);
}

/* ---- the file ------------------------------------------------------------------------
 */

static bool
copy_piece(struct report_testxml *r, size_t n, FILE *to)
{
	struct arena_mark mark = arena_mark(r->scratch);
	char *text = arena_alloc(r->scratch, n + 1);
	bool ok = fread(text, 1, n, r->pieces) == n && fwrite(text, 1, n, to) == n;

	arena_rewind(r->scratch, mark);
	return ok;
}

/* What is read from files now, as it stands between two pieces. */
static void
put_late(struct report_testxml *r, const struct entry *e, int piece, FILE *to)
{
	struct arena_mark mark = arena_mark(r->scratch);
	struct console *c = r->d->console;
	struct buf text = {.arena = r->scratch};
	struct xml x;

	buf_char(&text, '\n'); /* so that each element has one before it */
	xml_begin(&x, &text, piece == 0 ? 4 : 3);
	if (piece == 0)
		measurements_add(&x, c, r->scratch, &e->measurements);
	if (piece == 1) {
		measurements_attach(&x, c, r->scratch, e->attached);
		measurements_attach(&x, c, r->scratch, e->attached_on_fail);
	}
	if (text.n > 1)
		fwrite(text.p + 1, 1, text.n - 1, to);
	arena_rewind(r->scratch, mark);
}

static bool
put_entry(struct report_testxml *r, const struct entry *e, FILE *to)
{
	bool ok = fputc('\n', to) != EOF;

	for (int i = 0; i < PIECES && ok; i++) {
		ok = copy_piece(r, e->sizes[i], to);
		put_late(r, e, i, to);
	}
	return ok;
}

static void
add_end(struct report_testxml *r, struct xml *x)
{
	int64_t minutes = (int64_t)(r->duration_ns / 1000000000 / 60);

	site_time(x, "EndDateTime", "EndTestTime", r->ended_s);
	site_number(x, "ElapsedMinutes", minutes);
	xml_close(x);
	xml_close(x);
	buf_char(x->out, '\n');
}

static bool
put_file(struct report_testxml *r, FILE *to)
{
	struct buf text = {.arena = r->scratch};
	struct xml x;
	bool ok = true;

	xml_begin(&x, &text, 0);
	site_open(&x, r->d, r->append);
	xml_open(&x, "Testing");
	site_time(&x, "StartDateTime", "StartTestTime", r->started_s);
	xml_open(&x, "TestList");
	if (r->names.n)
		xml_content(&x);
	buf_str(&text, buf_as_str(&r->names));
	xml_close(&x);
	fwrite(text.p, 1, text.n, to);
	rewind(r->pieces);
	for (size_t i = 0; i < r->entries.n && ok; i++)
		ok = put_entry(r, &r->entries.v[i], to);
	text.n = 0;
	buf_char(&text, '\n');
	add_end(r, &x);
	fwrite(text.p + 1, 1, text.n - 1, to);
	return ok && !ferror(to);
}

/* ---- the report ----------------------------------------------------------------------
 */

static void
event(struct report *report, const struct event *e)
{
	struct report_testxml *r = (struct report_testxml *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_END && e->is_last)
		keep(r, e);
	else if (e->kind == EVENT_FINISH) {
		r->duration_ns = e->tally->duration_ns;
		r->ended_s = time(NULL);
	}
	arena_rewind(r->scratch, mark);
}

static bool
close_report(struct report *report, struct diag *diag)
{
	struct report_testxml *r = (struct report_testxml *)report;
	struct dashboard *d = r->d;
	struct str directory = dashboard_directory(d);
	struct str file = dashboard_file(d, "Test");
	struct str path = path_join(d->arena, directory, file);
	const char *temporary = str_fmt(d->arena, "%.*s.tmp", STR_ARG(path)).p;
	FILE *to = r->pieces && directory.n ? fopen(temporary, "we") : NULL;
	bool ok = to && put_file(r, to);

	(void)diag;
	ok = to && fclose(to) == 0 && ok && rename(temporary, path.p) == 0;
	if (to && !ok)
		unlink(temporary);
	if (ok)
		dashboard_note_file(d, file);
	else
		console_say(d->console, CHANNEL_ERROR,
			STR("Cannot create testing XML file\n"));
	if (r->pieces)
		fclose(r->pieces);
	arena_close(r->scratch);
	return ok;
}

struct report *
report_testxml_open(struct dashboard *d, bool append)
{
	static const struct report_type type = {"testxml", event, close_report};
	struct report_testxml *r = NEW(d->arena, struct report_testxml);

	*r = (struct report_testxml){.report = {.type = &type},
		.d = d,
		.scratch = arena_open(),
		.pieces = tmpfile(),
		.names = {.arena = d->arena},
		.started_s = time(NULL),
		.append = append};
	r->ended_s = r->started_s;
	return &r->report;
}
