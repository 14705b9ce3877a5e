/*
 * The log of a test is read when the test ends: it is appended to the test's output, and
 * the result of the tool's reader is kept in an unlinked file. Test.xml of the same run,
 * which is named DynamicAnalysis-Test.xml, gets the longer output. See report_memcheck.h.
 */
#include "compat/dashboard/memcheck/report_memcheck.h"

#include <stdio.h>
#include <time.h>

#include "compat/dashboard/memcheck/memcheck_files.h"
#include "compat/dashboard/step/report_testxml.h"
#include "compat/dashboard/step/result_element.h"
#include "compat/format/encode.h"
#include "compat/format/truncate.h"
#include "runner/base/files.h"

/* What is printed about a test at the end. */
struct found {
	struct str name;
	unsigned number;
	size_t defects;
	str_vec complaints;
};

struct report_memcheck {
	struct report report;
	const struct step_input *in;
	struct step_result *result;
	const struct memcheck *memcheck;
	struct memcheck_files *files; /* of the checker */
	/* DynamicAnalysis-Test.xml and, if it is written, JUnit's: they get the longer
	 * output. */
	struct report *tests, *junit;
	struct arena *scratch;
	struct result_element element;
	struct memcheck_kinds kinds;
	const char *directory; /* for large texts */
	FILE *pieces; /* <Test> elements */
	struct buf names;
	VEC(struct found) all;
	size_t defects, longest_name;
	int64_t started_s, ended_s;
	uint64_t duration_ns;
	bool is_written; /* DynamicAnalysis-Test.xml is written */
};

static const struct memcheck_tool *
tool_of(const struct report_memcheck *r)
{
	return r->memcheck->tool;
}

/* ---- one test -------------------------------------------------------------------- */

static void
add_results(struct report_memcheck *r, const struct memcheck_log *l, struct xml *x)
{
	xml_open(x, "Results");
	for (size_t i = 0; i < l->counts.n; i++) {
		xml_open(x, "Defect");
		xml_attribute(x, "type", r->kinds.v.v[l->counts.v[i].kind].name);
		xml_text(x, str_fmt(r->scratch, "%u", l->counts.v[i].n));
		xml_close(x);
	}
	xml_close(x);
}

/* The shown text, compressed even if that is longer. */
static void
add_log(struct report_memcheck *r, const struct memcheck_log *l, struct xml *x)
{
	enum { ROOMS = 3 };
	struct long_text text = long_text_of(buf_as_str(&l->shown));
	struct spool rooms[ROOMS];

	for (int i = 0; i < ROOMS; i++)
		rooms[i] = spool_in(r->scratch, r->directory);
	text = truncate_output(
		&rooms[0], &text, l->most, r->in->options->report.output.truncation);
	xml_open(x, "Log");
	if (!r->in->options->dashboard.keeps_output_plain &&
		encode_deflate(&rooms[1], &text)) {
		text = spool_text(&rooms[1]);
		encode_base64_long(&rooms[2], &text);
		text = spool_text(&rooms[2]);
		xml_attribute(x, "compression", STR("gzip"));
		xml_attribute(x, "encoding", STR("base64"));
	}
	xml_long_text(x, &text);
	xml_close(x);
	for (int i = 0; i < ROOMS; i++)
		spool_close(&rooms[i]);
}

static void
keep_element(struct report_memcheck *r, const struct event *e, struct memcheck_log *l)
{
	struct buf text = {.arena = r->scratch};
	struct xml x;

	xml_begin(&x, &text, 2);
	result_element_open(&r->element, e, &x);
	add_results(r, l, &x);
	add_log(r, l, &x);
	result_element_labels(&r->element, e, &x);
	xml_close(&x);
	if (!r->pieces)
		return;
	fputc('\n', r->pieces);
	fwrite(text.p, 1, text.n, r->pieces);
}

static void
keep_found(struct report_memcheck *r, const struct event *e, const struct memcheck_log *l)
{
	struct found found = {.name = e->attempt->test->name,
		.number = e->attempt->number,
		.defects = l->defects};

	for (size_t i = 0; i < l->complaints.n; i++)
		VEC_PUSH(r->in->arena, &found.complaints,
			str_dup(r->in->arena, l->complaints.v[i]));
	VEC_PUSH(r->in->arena, &r->all, found);
	r->defects += l->defects;
}

static void
keep_result(struct report_memcheck *r, const struct event *e)
{
	struct spool room = spool_in(r->scratch, r->directory);
	struct memcheck_log l = {.arena = r->scratch,
		.kinds = &r->kinds,
		.shape = tool_of(r)->shape,
		.text = result_element_output(&room, e).s,
		.most = r->in->options->report.output.failed};

	memcheck_log_read(tool_of(r)->reader, &l);
	result_element_list(&r->element, e, &r->names);
	if (l.defects || e->verdict->kind != VERDICT_PASSED)
		keep_element(r, e, &l);
	keep_found(r, e, &l);
	spool_close(&room);
}

static void
pass_event(struct report_memcheck *r, const struct event *e)
{
	r->tests->type->event(r->tests, e);
	if (r->junit)
		r->junit->type->event(r->junit, e);
}

/* A test that was not started adds nothing. */
static void
handle_end(struct report_memcheck *r, const struct event *e)
{
	bool was_started = !event_was_refused(e);
	struct outcome outcome = *e->outcome;
	struct event longer = *e;
	struct buf output = {.arena = r->scratch};

	if (was_started) {
		buf_str(&output, outcome.output);
		memcheck_files_gather(
			r->files, e->attempt->number, e->attempt->test->name, &output);
		outcome.output = buf_as_str(&output);
		outcome.output_file = 0;
	}
	longer.outcome = &outcome;
	if (e->is_last)
		keep_result(r, &longer);
	pass_event(r, &longer);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_memcheck *r = (struct report_memcheck *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_END) {
		handle_end(r, e);
	} else {
		pass_event(r, e);
		if (e->kind == EVENT_FINISH) {
			r->duration_ns = e->tally->duration_ns;
			r->ended_s = time(NULL);
		}
	}
	arena_rewind(r->scratch, mark);
}

static bool
close_report(struct report *report, struct diag *diag)
{
	struct report_memcheck *r = (struct report_memcheck *)report;

	r->is_written = r->tests->type->close(r->tests, diag);
	return (!r->junit || r->junit->type->close(r->junit, diag)) && r->is_written;
}

/* report_memcheck_finish closes the rest. */
static bool
drop_report(struct report *report, struct diag *diag)
{
	struct report_memcheck *r = (struct report_memcheck *)report;
	bool ok = r->tests->type->drop(r->tests, diag);

	return (!r->junit || r->junit->type->drop(r->junit, diag)) && ok;
}

/* ---- the end --------------------------------------------------------------------- */

static bool
is_quiet(const struct report_memcheck *r)
{
	return r->in->options->dashboard.is_quiet;
}

/* Aligned with the names of the tests above. */
static void
say_found(const struct report_memcheck *r, size_t i, size_t width)
{
	const struct found *f = &r->all.v[i];
	struct console *c = r->in->console;
	struct buf line = {.arena = r->scratch};

	for (size_t k = 0; k < f->complaints.n; k++)
		console_fmt(c, CHANNEL_ERROR, "%.*s\n", STR_ARG(f->complaints.v[k]));
	if (!f->defects || is_quiet(r))
		return;
	buf_fmt(&line, "%zu/%zu MemCheck: #%u: %.*s ", i + 1, r->all.n, f->number,
		STR_ARG(f->name));
	buf_fill(&line, '.', f->name.n + 1 < width ? width - f->name.n - 1 : 0);
	console_fmt(c, CHANNEL_OUTPUT, "%.*s   Defects: %zu\n",
		STR_ARG(buf_as_str(&line)), f->defects);
}

/* ctest leaves a field width set on its stream, even if it prints nothing. */
static void
say_results(const struct report_memcheck *r)
{
	enum { WIDTH_LEFT = 35 };
	struct console *c = r->in->console;
	struct str path =
		memcheck_path(r->memcheck, r->scratch, tool_of(r)->log, STR("<#>"));

	for (size_t i = 0; i < r->kinds.v.n; i++)
		if (r->kinds.v.v[i].n)
			console_widen_next_error(c, WIDTH_LEFT);
	if (is_quiet(r))
		return;
	console_fmt(c, CHANNEL_OUTPUT,
		"MemCheck log files can be found here: (<#> corresponds to test number)\n"
		"%.*s\nMemory checking results:\n",
		STR_ARG(path));
	for (size_t i = 0; i < r->kinds.v.n; i++)
		if (r->kinds.v.v[i].n)
			console_fmt(c, CHANNEL_OUTPUT, "%.*s - %llu\n",
				STR_ARG(r->kinds.v.v[i].name),
				(unsigned long long)r->kinds.v.v[i].n);
}

static bool
put_elements(void *context, FILE *to)
{
	struct report_memcheck *r = context;
	off_t n = ftello(r->pieces);

	if (n < 0 || !file_is_whole(r->pieces))
		return false;
	rewind(r->pieces);
	return file_copy_part(to, r->pieces, (uint64_t)n);
}

static void
add_kinds(void *context, struct xml *x)
{
	const struct report_memcheck *r = context;

	xml_open(x, "DefectList");
	for (size_t i = 0; i < r->kinds.v.n; i++)
		if (r->kinds.v.v[i].n) {
			xml_open(x, "Defect");
			xml_attribute(x, "Type", r->kinds.v.v[i].name);
			xml_close(x);
		}
	xml_close(x);
}

static bool
write_file(struct report_memcheck *r)
{
	struct test_frame frame = {.file = "DynamicAnalysis",
		.name = "DynamicAnalysis",
		.checker = tool_of(r)->style,
		.part = PART_MEMCHECK,
		.names = buf_as_str(&r->names),
		.started_s = r->started_s,
		.ended_s = r->ended_s,
		.duration_ns = r->duration_ns,
		.put = put_elements,
		.add = add_kinds,
		.context = r};

	return r->pieces && test_frame_write(r->in, r->result, r->scratch, &frame);
}

static size_t
name_width(const struct report_memcheck *r)
{
	size_t width = r->in->options->report.max_width > 0
			       ? (size_t)r->in->options->report.max_width
			       : 0;

	for (size_t i = 0; i < r->all.n; i++)
		if (r->all.v[i].name.n > width)
			width = r->all.v[i].name.n;
	return width + 4;
}

bool
report_memcheck_finish(struct report_memcheck *r)
{
	size_t width = name_width(r);
	bool is_good = r->is_written;

	if (is_good && !is_quiet(r))
		console_say(r->in->console, CHANNEL_OUTPUT,
			STR("-- Processing memory checking output:\n"));
	for (size_t i = 0; is_good && i < r->all.n; i++)
		say_found(r, i, width);
	if (is_good)
		say_results(r);
	is_good = is_good && write_file(r);
	if (r->pieces)
		fclose(r->pieces);
	memcheck_files_close(r->files);
	arena_close(r->scratch);
	return is_good;
}

size_t
report_memcheck_defects(const struct report_memcheck *r)
{
	return r->defects;
}

struct report *
report_memcheck_report(struct report_memcheck *r)
{
	return &r->report;
}

struct report_memcheck *
report_memcheck_open(const struct step_input *in, struct step_result *result,
	const struct memcheck *m, struct report *junit)
{
	static const struct report_type type = {.name = "memcheck",
		.event = handle_event,
		.close = close_report,
		.drop = drop_report};
	struct report_memcheck *r = NEW(in->arena, struct report_memcheck);

	INVARIANT(result && m);
	*r = (struct report_memcheck){.report = {.type = &type, .is_final = true},
		.in = in,
		.result = result,
		.memcheck = m,
		.files = memcheck_files_open(in->arena, m, in->console),
		.scratch = arena_open(),
		.kinds = memcheck_kinds_open(in->arena, m->tool->has_faults),
		.directory = path_join(in->arena, in->binary, STR("Testing/Temporary")).p,
		.pieces = file_unnamed(),
		.names = {.arena = in->arena},
		.started_s = time(NULL),
		.junit = junit};
	r->ended_s = r->started_s;
	r->element = (struct result_element){in, r->scratch, false};
	r->tests = report_testxml_open(in, result,
		&(struct testxml_options){
			.file = "DynamicAnalysis-Test", .is_of_memcheck = true});
	return r;
}
