/*
 * JUnit. The counters come before the cases, and the cases are in the order of test
 * numbers, while tests end in any order. So each case is formatted when its test ends,
 * and kept in a separate file.
 *
 * With --flaky a case also has its earlier attempts that failed, in the elements that
 * Maven's Surefire has for them. What they are called is known only when the last attempt
 * has ended.
 */
#include "compat/report/report_junit.h"

#include "compat/console/report_text.h"
#include "compat/format/truncate.h"
#include "compat/format/xml.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/local_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* An attempt that failed, and after which another one came. */
struct earlier {
	struct str message;
	const char *type;
	off_t at; /* of its output, as XML */
	uint64_t n;
};
struct kept {
	off_t at;
	uint64_t n;
	uint64_t head_n; /* of which so many come before the earlier attempts */
	off_t output_at;
	uint64_t output_n;
	bool is_there, is_flaky;
	VEC(struct earlier) earlier;
};

struct report_junit {
	struct report report;
	struct arena *arena, *scratch;
	const struct junit_options *o;
	const char *path, *shown, *directory;
	struct atomic_file atomic;
	FILE *cases;
	int error; /* why cases is missing or incomplete; 0: it is complete */
	bool has_begun;
	struct kept *kept; /* by index of the selection */
	int64_t started_s;
	uint64_t duration_ns;
	size_t tests, failures, disabled, skipped;
};

/* ---- one case -------------------------------------------------------------------- */

static const char *
status_of(enum verdict_kind k)
{
	switch (k) {
	case VERDICT_PASSED:
		return "run";
	case VERDICT_SKIPPED:
	case VERDICT_NOT_RUN:
		return "notrun";
	case VERDICT_DISABLED:
		return "disabled";
	case VERDICT_FAILED:
	case VERDICT_TIMEOUT:
	case VERDICT_BAD_COMMAND:
	case VERDICT_SEGFAULT:
	case VERDICT_ILLEGAL:
	case VERDICT_INTERRUPT:
	case VERDICT_NUMERICAL:
	case VERDICT_OTHER_FAULT:
		return "fail";
	case VERDICTS:
		break;
	}
	BUG("not a verdict");
}

static struct str
failure_message(struct report_junit *r, const struct event *e)
{
	struct buf reason = {.arena = r->scratch};

	if (r->o->dialect->has[DIALECT_JUNIT_STATUS_MESSAGE])
		return report_status(r->scratch, e->verdict, e->outcome);
	report_add_reason(&reason, e->attempt->test, e->verdict);
	return buf_as_str(&reason);
}

static void
add_message(struct report_junit *r, const struct event *e, struct xml *x)
{
	const char *status = status_of(e->verdict->kind);

	if (strcmp(status, "fail") == 0) {
		xml_open(x, "failure");
		xml_attribute(x, "message", failure_message(r, e));
		xml_close(x);
	} else if (strcmp(status, "notrun") == 0) {
		xml_open(x, "skipped");
		xml_attribute(x, "message",
			report_completion(
				r->scratch, e->attempt->test, e->verdict, e->outcome));
		xml_close(x);
	}
}

static void
add_property(struct xml *x, struct str name, struct str value)
{
	xml_open(x, "property");
	xml_attribute(x, "name", name);
	xml_attribute(x, "value", value);
	xml_close(x);
}

static void
add_properties(struct report_junit *r, const struct event *e, struct xml *x)
{
	struct str_list labels = report_labels(r->scratch, e->attempt->test, e->outcome);
	const char *node = e->outcome->node;
	struct str partition = e->attempt->partition;

	if (!r->o->dialect->has[DIALECT_JUNIT_PROPERTIES])
		labels.n = 0;
	if (!r->o->dialect->has[DIALECT_JUNIT_PROPERTIES] && !node && !partition.p)
		return;
	xml_open(x, "properties");
	if (labels.n)
		add_property(
			x, STR("cmake_labels"), str_join(r->scratch, labels, STR(";")));
	if (node)
		add_property(x, STR("cctr_node"), str_of(node));
	if (partition.p)
		add_property(x, STR("cctr_partition"), partition);
	xml_close(x);
}

/* A test that was not started has the reason in place of its output. */
static struct long_text
output_of(struct report_junit *r, const struct event *e, struct spool rooms[2])
{
	const struct output_limits *o = r->o->output;
	bool passed = e->verdict->kind == VERDICT_PASSED;
	struct long_text text = outcome_text(e->outcome);

	if (e->verdict->kind == VERDICT_DISABLED)
		return long_text_of(STR("Disabled"));
	if (event_was_refused(e)) {
		text = long_text_of(e->refusal->log);
		while (text.s.n && text.s.p[text.s.n - 1] == '\n')
			text.s.n--;
		return text;
	}
	text = truncate_measurements(&rooms[0], &text);
	return truncate_output(
		&rooms[1], &text, passed ? o->passed : o->failed, o->truncation);
}

static void
write_text(void *context, struct buf *out)
{
	struct report_junit *r = context;

	if (out->n && fwrite(out->p, 1, out->n, r->cases) != out->n && !r->error)
		r->error = errno;
	out->n = 0;
}

/* A writer into the file of cases. */
static struct xml
writer_of(struct report_junit *r, struct buf *out, size_t depth)
{
	struct xml x;

	xml_begin(&x, out, depth);
	x.drain = write_text;
	x.drain_context = r;
	return x;
}

static void
add_output(struct report_junit *r, const struct event *e, struct xml *x)
{
	struct spool rooms[2];
	struct long_text output;

	for (int i = 0; i < 2; i++)
		rooms[i] = spool_in(r->scratch, r->directory);
	output = output_of(r, e, rooms);
	xml_long_text(x, &output);
	for (int i = 0; i < 2; i++)
		spool_close(&rooms[i]);
}

static void
add_case(
	struct report_junit *r, const struct event *e, struct kept *kept, struct buf *out)
{
	struct str name = e->attempt->test->name;
	struct xml x = writer_of(r, out, 1);

	xml_open(&x, "testcase");
	xml_attribute(&x, "name", name);
	xml_attribute(&x, "classname", name);
	xml_attribute_fmt(&x, "time", "%g", (double)e->outcome->duration_ns / 1e9);
	xml_attribute(&x, "status", str_of(status_of(e->verdict->kind)));
	add_message(r, e, &x);
	xml_content(&x);
	kept->head_n = out->n;
	add_properties(r, e, &x);
	xml_open(&x, "system-out");
	xml_text(&x, STR(""));
	kept->output_at = file_position(r->cases, &r->error) + (off_t)out->n;
	add_output(r, e, &x);
	kept->output_n = (uint64_t)(file_position(r->cases, &r->error) + (off_t)out->n -
				    kept->output_at);
	xml_close(&x);
	if (e->outcome->hang.n) {
		xml_open(&x, "system-err");
		xml_text(&x, e->outcome->hang);
		xml_close(&x);
	}
	xml_close(&x);
}

/* One more, or one less. */
static void
count_status(struct report_junit *r, enum verdict_kind k, int by)
{
	const char *status = status_of(k);
	size_t *of = strcmp(status, "fail") == 0       ? &r->failures
		     : strcmp(status, "disabled") == 0 ? &r->disabled
		     : strcmp(status, "notrun") == 0   ? &r->skipped
						       : NULL;

	r->tests += (size_t)by;
	if (of)
		*of += (size_t)by;
}

static void
keep_case(struct report_junit *r, const struct event *e)
{
	struct buf text = {.arena = r->scratch};
	struct kept *kept = &r->kept[e->attempt->node];

	count_status(r, e->verdict->kind, 1);
	if (!r->cases)
		return;
	kept->at = file_position(r->cases, &r->error);
	add_case(r, e, kept, &text);
	write_text(r, &text);
	kept->n = (uint64_t)(file_position(r->cases, &r->error) - kept->at);
	kept->is_there = true;
	kept->is_flaky = e->flaky != FLAKY_NOT;
}

/* An attempt that somebody ended says nothing of its test. */
static bool
is_telling(const struct report_junit *r, const struct event *e)
{
	return r->cases && r->o->tells_attempts && !verdict_is_pass(e->verdict->kind) &&
	       !e->outcome->is_canceled;
}

static void
keep_earlier(struct report_junit *r, const struct event *e, off_t at, uint64_t n)
{
	struct earlier earlier = {
		.message = str_dup(
			r->arena, report_status(r->scratch, e->verdict, e->outcome)),
		.type = verdict_word(e->verdict->kind),
		.at = at,
		.n = n};

	VEC_PUSH(r->arena, &r->kept[e->attempt->node].earlier, earlier);
}

static void
keep_attempt(struct report_junit *r, const struct event *e)
{
	struct buf text = {.arena = r->scratch};
	struct xml x = writer_of(r, &text, 0);
	off_t at;

	if (!is_telling(r, e))
		return;
	at = file_position(r->cases, &r->error);
	add_output(r, e, &x);
	write_text(r, &text);
	keep_earlier(r, e, at, (uint64_t)(file_position(r->cases, &r->error) - at));
}

/* What was the case is an earlier attempt. One that did not start has no output. */
static void
withdraw_case(struct report_junit *r, const struct event *e)
{
	struct kept *kept = &r->kept[e->attempt->node];

	count_status(r, e->verdict->kind, -1);
	kept->is_there = false;
	if (is_telling(r, e) && e->outcome->ending != END_NOT_STARTED)
		keep_earlier(r, e, kept->output_at, kept->output_n);
}

/* ---- the file -------------------------------------------------------------------- */

struct str
report_build_name(struct arena *a, const struct dialect *dialect, struct str configured)
{
	static const char refused[] = "\\:*?\"<>|\n\r\t\f\v";
	struct buf name = {.arena = a};

	for (size_t i = 0; i < configured.n; i++)
		if (!dialect->has[DIALECT_BUILD_NAME_CLEANED] ||
			!memchr(refused, configured.p[i], sizeof refused - 1))
			buf_char(&name, configured.p[i]);
	return name.n ? buf_as_str(&name) : STR("(empty)");
}

static void
add_suite(struct report_junit *r, struct xml *x)
{
	char date[REPORT_DATE_BYTES] = "";
	struct tm broken;

	if (local_time(r->started_s, &broken))
		strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &broken);
	xml_declaration(x);
	xml_open(x, "testsuite");
	xml_break_attributes(x);
	xml_attribute(x, "name",
		report_build_name(r->scratch, r->o->dialect, r->o->build_name));
	xml_attribute_fmt(x, "tests", "%zu", r->tests);
	xml_attribute_fmt(x, "failures", "%zu", r->failures);
	xml_attribute_fmt(x, "disabled", "%zu", r->disabled);
	xml_attribute_fmt(x, "skipped", "%zu", r->skipped);
	xml_attribute(x, "hostname", r->o->site);
	xml_attribute_fmt(x, "time", "%" PRIu64, r->duration_ns / 1000000000);
	xml_attribute(x, "timestamp", str_of(date));
}

static bool
copy_part(struct report_junit *r, off_t at, uint64_t n, FILE *to)
{
	return fseeko(r->cases, at, SEEK_SET) == 0 && file_copy_part(to, r->cases, n);
}

static bool
copy_attempt(struct report_junit *r, const struct earlier *e, const char *name, FILE *to)
{
	struct buf text = {.arena = r->scratch};
	struct xml x;
	bool ok;

	xml_begin(&x, &text, 2);
	xml_open(&x, name);
	xml_attribute(&x, "message", e->message);
	xml_attribute(&x, "type", str_of(e->type));
	xml_open(&x, "system-out");
	xml_text(&x, STR(""));
	ok = fputc('\n', to) != EOF && fwrite(text.p, 1, text.n, to) == text.n &&
	     copy_part(r, e->at, e->n, to);
	text.n = 0;
	xml_close(&x);
	xml_close(&x);
	return ok && fwrite(text.p, 1, text.n, to) == text.n;
}

static bool
copy_case(struct report_junit *r, const struct kept *kept, FILE *to)
{
	const char *name = kept->is_flaky ? "flakyFailure" : "rerunFailure";
	uint64_t n = kept->earlier.n ? kept->head_n : kept->n;
	bool ok = fputc('\n', to) != EOF && copy_part(r, kept->at, n, to);

	for (size_t i = 0; ok && i < kept->earlier.n; i++)
		ok = copy_attempt(r, &kept->earlier.v[i], name, to);
	return ok && (n == kept->n || copy_part(r, kept->at + (off_t)n, kept->n - n, to));
}

static bool
copy_cases(struct report_junit *r, FILE *to)
{
	bool ok = true;

	for (size_t i = 0; r->kept && i < r->o->selection->n; i++)
		if (r->kept[i].is_there)
			ok = copy_case(r, &r->kept[i], to) && ok;
	return ok;
}

static bool
write_file(struct report_junit *r, FILE *to)
{
	struct buf head = {.arena = r->scratch};
	struct xml x;
	bool ok = true;

	xml_begin(&x, &head, 0);
	add_suite(r, &x);
	if (r->tests)
		xml_content(&x);
	fwrite(head.p, 1, head.n, to);
	if (r->tests)
		ok = !r->error && file_is_whole(r->cases) && copy_cases(r, to);
	head.n = 0;
	xml_close(&x);
	if (r->tests)
		fputc('\n', to);
	fwrite(head.p, 1, head.n, to);
	fputc('\n', to);
	return ok && file_is_whole(to);
}

/* Renames the file when it is complete. */
static bool
publish_file(struct report_junit *r, FILE *to, struct diag *d)
{
	bool ok = write_file(r, to);
	int error = ok ? 0 : r->error ? r->error : errno;

	if (fclose(to) != 0 && ok)
		error = errno;
	if (!atomic_file_close(&r->atomic, !error) && !error)
		error = errno;
	return !error || diag_system(d, str_of(r->shown), "cannot be written", error);
}

/* ---- the report ------------------------------------------------------------------ */

/* Opened in the directory of the final file, where there is room for it. */
static void
open_cases(struct report_junit *r)
{
	int fd = file_unnamed_in(r->directory);

	r->cases = fd < 0 ? NULL : file_stream(fd, "w+");
	if (r->cases)
		return;
	r->error = errno;
	file_close(&fd);
}

static void
make_directory(struct report_junit *r)
{
	struct str directory = path_parent(str_of(r->path));

	if (directory.n)
		directory_try_make(r->arena, str_z(r->arena, directory));
}

/* Called with the first event; for a listing, at the end. Without a plan no file is
 * made. */
static void
begin_report(struct report_junit *r)
{
	if (r->has_begun)
		return;
	r->has_begun = true;
	r->scratch = arena_open();
	make_directory(r);
	open_cases(r);
	r->kept = NEW_ARRAY(r->arena, struct kept, r->o->selection->n);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_junit *r = (struct report_junit *)report;
	struct arena_mark mark;

	begin_report(r);
	mark = arena_mark(r->scratch);
	if (e->kind == EVENT_END && e->is_last)
		keep_case(r, e);
	else if (e->kind == EVENT_END)
		keep_attempt(r, e);
	else if (e->kind == EVENT_WITHDRAW)
		withdraw_case(r, e);
	else if (e->kind == EVENT_FINISH)
		r->duration_ns = e->tally->duration_ns;
	arena_rewind(r->scratch, mark);
}

/* Reports the error in ctest's words. */
static void
cannot_open(struct report_junit *r, struct diag *d, int error)
{
	struct arena *a = d->arena;
	struct str path = path_normal(a, path_join(a, path_here(a), str_of(r->path)));

	diag_add(d, DIAG_RAISED, NO_PLACE,
		report_not_opened(a, str_fmt_z(a, "%.*s.tmp", STR_ARG(path)), error));
	diag_warning(d, NO_PLACE, "Problem opening file: %s", r->shown);
}

static bool
drop_report(struct report *report, struct diag *diag)
{
	struct report_junit *r = (struct report_junit *)report;

	(void)diag;
	if (r->cases)
		fclose(r->cases);
	arena_close(r->scratch);
	return true;
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_junit *r = (struct report_junit *)report;
	FILE *to;
	bool ok = false;

	begin_report(r);
	make_directory(r); /* A test may have removed the directory. */
	to = r->cases ? atomic_file_open_stream(r->arena, &r->atomic, r->path, ".tmp")
		      : NULL;
	if (to)
		ok = publish_file(r, to, d);
	else
		cannot_open(r, d, r->cases ? errno : r->error);
	(void)drop_report(report, d);
	return ok;
}

struct report *
report_junit_open(struct arena *a, const struct junit_options *o)
{
	static const struct report_type type = {.name = "junit",
		.event = handle_event,
		.close = close_report,
		.drop = drop_report};
	struct report_junit *r = NEW(a, struct report_junit);
	struct junit_options *copy = NEW(a, struct junit_options);

	*copy = *o;
	*r = (struct report_junit){
		.report = {.type = &type},
		.arena = a,
		.o = copy,
		.path = path_in(a, o->directory, o->path),
		.shown = str_z(a, o->path),
		.started_s = o->started_s ? o->started_s : time(NULL),
	};
	r->directory = path_join(a, path_parent(str_of(r->path)), STR(".")).p;
	return &r->report;
}
