/* See report_testxml.h. */
#include "compat/dashboard/step/report_testxml.h"

#include "compat/console/report_text.h"
#include "compat/dashboard/step/result_element.h"
#include "compat/format/encode.h"
#include "compat/format/truncate.h"
#include "compat/instrument/cdash.h"
#include "compat/report/measurements.h"
#include "runner/base/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A measurement or file that is read after all tests have ended, and its position in the
 * text that was written when its own test ended. */
struct late {
	uint64_t at;
	struct measurement measurement; /* if there is a value */
	struct str recorded; /* a test whose snippet is wanted; "": none */
	struct str fault; /* only a complaint; "": none */
	struct str_list attached;
};
struct entry {
	node_id node;
	bool is_withdrawn; /* another attempt follows */
	uint64_t size;
	VEC(struct late) late;
};

struct report_testxml {
	struct report report;
	const struct step_input *in;
	struct step_result *result;
	struct arena *scratch;
	struct result_element element;
	struct testxml_options options;
	bool may_be_recorded; /* tests may have snippets */
	/* While the file is written. NULL: tests have no snippets. */
	const struct instrumentation *recorded;
	struct cdash_tests snippets;
	struct buf complaints; /* about snippets */
	const char *directory; /* for large texts */
	FILE *pieces;
	int error; /* why a place in the pieces is not known; 0: all are */
	struct buf names; /* <Test> elements of the list */
	VEC(struct entry) entries;
	int64_t started_s, ended_s;
	uint64_t duration_ns;
};

/* ---- one test -------------------------------------------------------------------- */

static void
add_text(struct xml *x, const char *name, struct str value)
{
	measurement_add(x, "text/string", str_of(name), value);
}

static void
add_exit(struct report_testxml *r, const struct event *e, struct xml *x)
{
	int code = e->outcome->exit_code;

	if (e->refusal && e->refusal->kind == REFUSED_ENVIRONMENT)
		code = -1;

	if (!result_element_has_run(e->verdict->kind) ||
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

	if (!result_element_has_run(e->verdict->kind))
		return;
	if (r->in->dialect->has[DIALECT_XML_TEST_START_TIME] &&
		!r->options.is_of_memcheck)
		buf_fmt(&time, "%.6f", (double)e->outcome->duration_ns / 1e9);
	else
		report_add_number(&time, (double)e->outcome->duration_ns / 1e9);
	measurement_add(x, "numeric/double", STR("Execution Time"), buf_as_str(&time));
	report_add_reason(&reason, e->attempt->test, e->verdict);
	if (reason.n)
		add_text(x, passed ? "Pass Reason" : "Fail Reason", buf_as_str(&reason));
}

static void
add_declared(struct report_testxml *r, struct str_list property, struct xml *x)
{
	struct measurement *v;
	size_t n = measurements_declared(r->scratch, property, &v);

	for (size_t i = 0; i < n; i++)
		measurement_add(x, "text/string", v[i].name, v[i].value);
}

/* The part of the test's output that the file contains. */
static struct long_text
output_of(struct report_testxml *r, const struct event *e, struct spool rooms[2])
{
	const struct options *o = r->in->options;
	bool passed = e->verdict->kind == VERDICT_PASSED;
	struct long_text text = result_element_output(&rooms[0], e);

	if (r->options.is_of_memcheck || event_was_refused(e))
		return text;
	return truncate_output(&rooms[1], &text,
		passed ? o->report.output.passed : o->report.output.failed,
		o->report.output.truncation);
}

/* Compressed if that is shorter. Why a test was refused is never compressed. */
static struct long_text
encoded_of(struct report_testxml *r, const struct event *e, const struct long_text *text,
	struct spool rooms[2])
{
	bool may = !r->in->options->dashboard.keeps_output_plain &&
		   !r->options.is_of_memcheck && !event_was_refused(e);
	struct long_text bytes, encoded = {STR_NONE, false};

	if (!may || !text->s.n || !encode_deflate(&rooms[0], text))
		return encoded;
	bytes = spool_text(&rooms[0]);
	encode_base64_long(&rooms[1], &bytes);
	encoded = spool_text(&rooms[1]);
	if (encoded.s.n >= text->s.n)
		encoded.s = STR_NONE;
	return encoded;
}

static void
add_output(struct report_testxml *r, const struct event *e, struct xml *x)
{
	enum { ROOMS = 4 };
	struct spool rooms[ROOMS];
	struct long_text text, encoded;

	for (int i = 0; i < ROOMS; i++)
		rooms[i] = spool_in(r->scratch, r->directory);
	text = output_of(r, e, rooms);
	encoded = encoded_of(r, e, &text, rooms + 2);
	xml_open(x, "Measurement");
	xml_open(x, "Value");
	if (encoded.s.n) {
		xml_attribute(x, "encoding", STR("base64"));
		xml_attribute(x, "compression", STR("gzip"));
	}
	xml_long_text(x, encoded.s.n ? &encoded : &text);
	xml_close(x);
	xml_close(x);
	for (int i = 0; i < ROOMS; i++)
		spool_close(&rooms[i]);
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
	add_text(x, "Command Line", result_element_command(&r->element, e));
	add_text(x, "Environment", e->launch ? e->launch->environment_changes : STR(""));
	if (e->outcome->node)
		add_text(x, "Node", str_of(e->outcome->node));
	if (e->attempt->partition.p)
		add_text(x, "Partition", e->attempt->partition);
	if (e->outcome->hang.n)
		add_text(x, "Hang report", e->outcome->hang);
	add_declared(r, t->properties->measurements, x);
	add_output(r, e, x);
}

static void
drain_text(void *context, struct buf *out)
{
	struct report_testxml *r = context;

	fwrite(out->p, 1, out->n, r->pieces);
	out->n = 0;
}

/* The test whose element is being written. */
struct spelling {
	struct report_testxml *r;
	struct entry *entry;
	struct buf *text; /* not yet in the pieces */
	off_t began;
};

static void
note_late(const struct spelling *s, struct late late)
{
	late.at = (uint64_t)(file_position(s->r->pieces, &s->r->error) - s->began) +
		  s->text->n;
	VEC_PUSH(s->r->in->arena, &s->entry->late, late);
}

static void
note_file(void *context, const struct measurement *m)
{
	const struct spelling *s = context;
	struct arena *a = s->r->in->arena;

	note_late(s, (struct late){.measurement = {.name = str_dup(a, m->name),
					   .type = str_dup(a, m->type),
					   .value = str_dup(a, m->value)}});
}

static void
note_fault(void *context, size_t line, const char *text)
{
	const struct spelling *s = context;

	note_late(
		s, (struct late){.fault = str_fmt(s->r->in->arena,
					 "Error parsing XML in stream at line %zu: %s\n",
					 line, text)});
}

static void
note_attached(const struct spelling *s, struct str_list files)
{
	if (files.n)
		note_late(s,
			(struct late){.attached = str_list_dup(s->r->in->arena, files)});
}

static void
spell_test(const struct spelling *s, const struct event *e)
{
	const struct properties *p = e->attempt->test->properties;
	struct report_testxml *r = s->r;
	struct long_text output = outcome_text(e->outcome);
	struct measurement_listener listener = {drop_const(s), note_file, note_fault};
	struct xml x;

	xml_begin(&x, s->text, 2);
	x.drain = drain_text;
	x.drain_context = r;
	result_element_open(&r->element, e, &x);
	xml_open(&x, "Results");
	add_exit(r, e, &x);
	xml_content(&x);
	if (result_element_has_run(e->verdict->kind))
		measurements_add(&x, &output, &listener);
	add_results(r, e, &x);
	if (r->may_be_recorded && result_element_has_run(e->verdict->kind)) {
		xml_content(&x);
		note_late(s, (struct late){.recorded = e->attempt->test->name});
	}
	xml_close(&x);
	note_attached(s, p->attached_files);
	if (e->verdict->kind != VERDICT_PASSED)
		note_attached(s, p->attached_files_on_fail);
	result_element_labels(&r->element, e, &x);
	xml_close(&x);
}

static void
keep_test(struct report_testxml *r, const struct event *e)
{
	struct buf text = {.arena = r->scratch};
	struct entry entry = {.node = e->attempt->node};
	struct spelling s = {.r = r, .entry = &entry, .text = &text};

	result_element_list(&r->element, e, &r->names);
	if (!r->pieces)
		return;
	s.began = file_position(r->pieces, &r->error);
	spell_test(&s, e);
	drain_text(r, &text);
	entry.size = (uint64_t)(file_position(r->pieces, &r->error) - s.began);
	VEC_PUSH(r->in->arena, &r->entries, entry);
}

/* The list has the test once, and its name says nothing of the attempt. */
static void
withdraw_test(struct report_testxml *r, const struct event *e)
{
	struct buf listed = {.arena = r->scratch};
	size_t at;

	result_element_list(&r->element, e, &listed);
	at = str_search(buf_as_str(&r->names), buf_as_str(&listed));
	INVARIANT(at < r->names.n);
	r->names.n -= listed.n;
	memmove(r->names.p + at, r->names.p + at + listed.n, r->names.n - at);
	for (size_t i = 0; i < r->entries.n; i++)
		if (r->entries.v[i].node == e->attempt->node)
			r->entries.v[i].is_withdrawn = true;
}

/* ---- the file -------------------------------------------------------------------- */

/* Reads the files now, and writes their text between two elements. */
static void
put_late(struct report_testxml *r, const struct late *late, FILE *to)
{
	struct arena_mark mark = arena_mark(r->scratch);
	struct buf text = {.arena = r->scratch};
	struct xml x;
	const struct measured_files files = {
		&x, r->in->console, r->scratch, r->in->directory, r->in->dialect};

	buf_char(&text, '\n'); /* so that each element begins on a new line */
	xml_begin(&x, &text, late->attached.n ? 3 : 4);
	if (late->recorded.n) {
		if (r->recorded)
			cdash_add_test(&x, r->scratch, r->recorded, &r->snippets,
				late->recorded, &r->complaints);
	} else if (late->fault.n)
		console_raw_error(r->in->console, late->fault);
	else if (late->attached.n)
		measurements_attach(&files, late->attached);
	else
		measurement_add_file(&files, &late->measurement);
	fwrite(text.p + 1, 1, text.n - 1, to);
	arena_rewind(r->scratch, mark);
}

static bool
put_entry(struct report_testxml *r, const struct entry *e, FILE *to)
{
	bool ok = e->is_withdrawn || fputc('\n', to) != EOF;
	uint64_t at = 0;

	if (e->is_withdrawn)
		return fseeko(r->pieces, (off_t)e->size, SEEK_CUR) == 0;
	for (size_t i = 0; i < e->late.n && ok; i++) {
		ok = file_copy_part(to, r->pieces, e->late.v[i].at - at);
		at = e->late.v[i].at;
		put_late(r, &e->late.v[i], to);
	}
	return ok && file_copy_part(to, r->pieces, e->size - at);
}

static bool
put_entries(void *context, FILE *to)
{
	struct report_testxml *r = context;
	bool ok = !r->error && file_is_whole(r->pieces);

	r->recorded = r->may_be_recorded ? step_instrumentation(r->in) : NULL;
	if (r->recorded)
		r->snippets = cdash_tests(r->in->arena, r->recorded, &r->complaints);
	rewind(r->pieces);
	for (size_t i = 0; i < r->entries.n && ok; i++)
		ok = put_entry(r, &r->entries.v[i], to);
	step_complain(r->in, &r->complaints);
	if (r->error)
		errno = r->error;
	return ok;
}

/* ---- the report ------------------------------------------------------------------ */

static void
take_event(struct report *report, const struct event *e)
{
	struct report_testxml *r = (struct report_testxml *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_END && e->is_last)
		keep_test(r, e);
	else if (e->kind == EVENT_WITHDRAW)
		withdraw_test(r, e);
	else if (e->kind == EVENT_FINISH) {
		r->duration_ns = e->tally->duration_ns;
		r->ended_s = r->options.ended_s ? r->options.ended_s : time(NULL);
	}
	arena_rewind(r->scratch, mark);
}

static bool
drop_report(struct report *report, struct diag *diag)
{
	struct report_testxml *r = (struct report_testxml *)report;

	(void)diag;
	if (r->pieces)
		fclose(r->pieces);
	arena_close(r->scratch);
	return true;
}

static bool
close_report(struct report *report, struct diag *diag)
{
	struct report_testxml *r = (struct report_testxml *)report;
	struct test_frame frame = {.file = r->options.file,
		.name = "Testing",
		.part = PART_TEST,
		.names = buf_as_str(&r->names),
		.has_old_numbers = r->options.is_of_memcheck,
		.started_s = r->started_s,
		.ended_s = r->ended_s,
		.duration_ns = r->duration_ns,
		.put = put_entries,
		.context = r};
	bool ok = r->pieces && test_frame_write(r->in, r->result, r->scratch, &frame);

	if (!ok)
		console_say(r->in->console, CHANNEL_ERROR,
			STR("Cannot create testing XML file\n"));
	return drop_report(report, diag) && ok;
}

struct report *
report_testxml_open(const struct step_input *in, struct step_result *result,
	const struct testxml_options *o)
{
	static const struct report_type type = {.name = "testxml",
		.event = take_event,
		.close = close_report,
		.drop = drop_report};
	struct report_testxml *r = NEW(in->arena, struct report_testxml);

	*r = (struct report_testxml){.report = {.type = &type},
		.in = in,
		.result = result,
		.scratch = arena_open(),
		.directory = path_join(in->arena, in->binary, STR("Testing/Temporary")).p,
		.pieces = file_unnamed(),
		.names = {.arena = in->arena},
		.complaints = {.arena = in->arena},
		.may_be_recorded = !o->is_of_memcheck && step_may_be_recorded(in),
		.started_s = o->started_s ? o->started_s : time(NULL),
		.options = *o};
	r->ended_s = r->started_s;
	r->element = (struct result_element){in, r->scratch, o->is_of_memcheck};
	return &r->report;
}
