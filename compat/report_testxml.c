/* See report_testxml.h. */
#include "compat/report_testxml.h"

#include "compat/encode.h"
#include "compat/measurements.h"
#include "compat/report_text.h"
#include "compat/test_element.h"
#include "compat/truncate.h"
#include "runner/files.h"

#include <stdio.h>
#include <time.h>

/* Spelled when the test ended: up to its measurements, up to its attached files, the
 * rest. */
enum { PIECES = 3 };
struct entry {
	uint64_t sizes[PIECES];
	struct measurements measurements;
	struct str_list attached, attached_on_fail;
};

struct report_testxml {
	struct report report;
	struct dashboard *d;
	struct arena *scratch;
	struct test_element element;
	struct testxml_options options;
	FILE *pieces;
	struct buf names; /* <Test> elements of the list */
	VEC(struct entry) entries;
	int64_t started_s, ended_s;
	uint64_t duration_ns;
};

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

	if (!test_element_has_run(e->verdict->kind) ||
		(e->verdict->kind == VERDICT_PASSED && !code))
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

	if (!test_element_has_run(e->verdict->kind))
		return;
	if (r->d->dialect->has[DIALECT_TEST_START_TIME] && !r->options.is_of_memcheck)
		buf_fmt(&time, "%.6f", (double)e->outcome->duration_ns / 1e9);
	else
		report_add_number(&time, (double)e->outcome->duration_ns / 1e9);
	measurement_add(x, "numeric/double", STR("Execution Time"), buf_as_str(&time));
	report_add_reason(&reason, e->attempt->test, e->verdict);
	if (reason.n)
		add_text(x, passed ? "Pass Reason" : "Fail Reason", buf_as_str(&reason));
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
	str_list_sort((struct str_list){names, n});
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
	struct str text = test_element_output(&r->element, e);

	if (r->options.is_of_memcheck || (e->refusal && e->refusal->kind != REFUSED_NOT))
		return text;
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
		   !r->d->options->output_junit.n && !r->options.is_of_memcheck;

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
	add_text(x, "Command Line", test_element_command(&r->element, e));
	add_text(x, "Environment", e->launch ? e->launch->environment_changes : STR(""));
	add_declared(r, t->properties->measurements, x);
	add_output(r, e, x);
	xml_close(x);
}

static void
drain(void *context, struct buf *out)
{
	struct report_testxml *r = context;

	fwrite(out->p, 1, out->n, r->pieces);
	out->n = 0;
}

/* How far the pieces are, with what is not written yet. */
static off_t
at_now(const struct report_testxml *r, const struct buf *text)
{
	return ftello(r->pieces) + (off_t)text->n;
}

static void
keep(struct report_testxml *r, const struct event *e)
{
	const struct properties *p = e->attempt->test->properties;
	struct buf text = {.arena = r->scratch};
	struct entry entry = {0};
	off_t at[PIECES + 1];
	struct xml x;

	test_element_list(&r->element, e, &r->names);
	if (!r->pieces)
		return;
	at[0] = ftello(r->pieces);
	xml_begin(&x, &text, 2);
	x.drain = drain;
	x.drain_context = r;
	test_element_open(&r->element, e, &x);
	xml_open(&x, "Results");
	add_exit(r, e, &x);
	xml_content(&x);
	at[1] = at_now(r, &text);
	add_results(r, e, &x);
	at[2] = at_now(r, &text);
	test_element_labels(&r->element, e, &x);
	xml_close(&x);
	drain(r, &text);
	at[3] = at_now(r, &text);
	for (int i = 0; i < PIECES; i++)
		entry.sizes[i] = (uint64_t)(at[i + 1] - at[i]);
	if (test_element_has_run(e->verdict->kind))
		entry.measurements = measurements_of(r->d->arena, e->outcome->output);
	entry.attached = str_list_dup(r->d->arena, p->attached_files);
	if (e->verdict->kind != VERDICT_PASSED)
		entry.attached_on_fail =
			str_list_dup(r->d->arena, p->attached_files_on_fail);
	VEC_PUSH(r->d->arena, &r->entries, entry);
}

/* ---- the file ------------------------------------------------------------------------
 */

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
		ok = file_copy_part(to, r->pieces, e->sizes[i]);
		put_late(r, e, i, to);
	}
	return ok;
}

static bool
put_entries(void *context, FILE *to)
{
	struct report_testxml *r = context;
	bool ok = file_is_whole(r->pieces);

	rewind(r->pieces);
	for (size_t i = 0; i < r->entries.n && ok; i++)
		ok = put_entry(r, &r->entries.v[i], to);
	return ok;
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
	struct test_frame frame = {.file = r->options.file,
		.name = "Testing",
		.part = PART_TEST,
		.names = buf_as_str(&r->names),
		.append = r->options.append,
		.has_old_numbers = r->options.is_of_memcheck,
		.started_s = r->started_s,
		.ended_s = r->ended_s,
		.duration_ns = r->duration_ns,
		.put = put_entries,
		.context = r};
	bool ok = r->pieces && test_frame_write(r->d, r->scratch, &frame);

	(void)diag;
	if (!ok)
		console_say(r->d->console, CHANNEL_ERROR,
			STR("Cannot create testing XML file\n"));
	if (r->pieces)
		fclose(r->pieces);
	arena_close(r->scratch);
	return ok;
}

void
report_testxml_drop(struct report *report)
{
	struct report_testxml *r = (struct report_testxml *)report;

	if (r->pieces)
		fclose(r->pieces);
	arena_close(r->scratch);
}

struct report *
report_testxml_open(struct dashboard *d, const struct testxml_options *o)
{
	static const struct report_type type = {"testxml", event, close_report};
	struct report_testxml *r = NEW(d->arena, struct report_testxml);

	*r = (struct report_testxml){.report = {.type = &type},
		.d = d,
		.scratch = arena_open(),
		.pieces = file_unnamed(),
		.names = {.arena = d->arena},
		.started_s = time(NULL),
		.options = *o};
	r->ended_s = r->started_s;
	r->element = (struct test_element){d, r->scratch, o->is_of_memcheck};
	return &r->report;
}
