/*
 * LastTest.log: a frame, and one entry per attempt, written as it ends. Nothing is kept,
 * however much the tests write. "i/TOTAL" is the test's number and the number of all
 * loaded tests, not the console's counter.
 */
#include "compat/report_log.h"

#include "compat/report_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RULE "----------------------------------------------------------\n"

struct report_log {
	struct report report;
	struct arena *scratch; /* of one entry */
	const struct options *options;
	const struct selection *selection;
	const char *path, *temporary;
	FILE *file;
	bool has_ended;
};

static void
put(struct report_log *r, const struct buf *text)
{
	fwrite(text->p, 1, text->n, r->file);
}

static void
add_command(struct report_log *r, const struct event *e, struct buf *out)
{
	struct str_list arguments = report_arguments(r->scratch, e);

	buf_fmt(out, "Command: \"%.*s\"", STR_ARG(report_executable(e)));
	for (size_t i = 0; i < arguments.n; i++)
		buf_fmt(out, " \"%.*s\"", STR_ARG(arguments.v[i]));
	buf_char(out, '\n');
}

/* A test that nobody tried to start has no start time. */
static bool
was_tried(const struct event *e)
{
	enum refusal_kind k = e->refusal ? e->refusal->kind : REFUSED_NOT;

	return k == REFUSED_NOT || k == REFUSED_START || k == REFUSED_ENVIRONMENT;
}

static void
add_head(struct report_log *r, const struct event *e, struct buf *out)
{
	const struct test *t = e->attempt->test;
	char date[REPORT_DATE_BYTES] = "";
	int64_t started = e->outcome->started_s ? e->outcome->started_s : time(NULL);

	if (e->refusal && e->refusal->kind != REFUSED_DISABLED)
		report_add_line(out, e->refusal->log);
	for (int i = 0; i < 2; i++)
		buf_fmt(out, "%u/%zu %s: %.*s\n", e->attempt->number,
			r->selection->loaded, i ? "Test" : "Testing", STR_ARG(t->name));
	add_command(r, e, out);
	buf_fmt(out, "Directory: %.*s\n", STR_ARG(t->directory));
	buf_fmt(out, "\"%.*s\" start time: %s\n", STR_ARG(t->name),
		was_tried(e) ? report_date(date, started) : "");
	buf_z(out, "Output:\n" RULE);
}

/* "Passed" is said of what did not run, too. */
static bool
is_called_passed(enum verdict_kind k)
{
	return k == VERDICT_PASSED || k == VERDICT_SKIPPED || k == VERDICT_DISABLED ||
	       k == VERDICT_NOT_RUN;
}

static void
add_verdict(struct report_log *r, const struct event *e, struct buf *out)
{
	bool passed = is_called_passed(e->verdict->kind);
	struct buf reason = {.arena = r->scratch};

	report_add_reason(&reason, e->attempt->test, e->verdict);
	if (reason.n)
		buf_fmt(out, "Test %s Reason:\n%s\n", passed ? "Pass" : "Fail", reason.p);
	else
		buf_fmt(out, "Test %s.\n", passed ? "Passed" : "Failed");
}

static void
add_tail(struct report_log *r, const struct event *e, struct buf *out)
{
	struct str name = e->attempt->test->name;
	char date[REPORT_DATE_BYTES];
	uint64_t s = e->outcome->duration_ns / 1000000000;

	buf_fmt(out, "<end of output>\nTest time = %6.2f sec\n" RULE,
		(double)e->outcome->duration_ns / 1e9);
	add_verdict(r, e, out);
	buf_fmt(out, "\"%.*s\" end time: %s\n", STR_ARG(name),
		report_date(date, time(NULL)));
	buf_fmt(out,
		"\"%.*s\" time elapsed: %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "\n" RULE
		"\n",
		STR_ARG(name), s / 3600, s / 60 % 60, s % 60);
}

/* The output goes past the buffer: it may be large. */
static void
add_entry(struct report_log *r, const struct event *e)
{
	struct buf head = {.arena = r->scratch}, tail = {.arena = r->scratch};

	add_head(r, e, &head);
	put(r, &head);
	if (was_tried(e) && e->outcome->output.n)
		fwrite(e->outcome->output.p, 1, e->outcome->output.n, r->file);
	add_tail(r, e, &tail);
	put(r, &tail);
}

static void
add_end(struct report_log *r, const struct tally *t)
{
	struct label_times times = {NULL, 0, 0};
	char date[REPORT_DATE_BYTES];

	fprintf(r->file, "End testing: %s\n", report_date(date, time(NULL)));
	r->has_ended = true;
	if (t && t->passed + t->failed && !r->options->no_label_summary)
		times = report_label_times(r->scratch, r->selection, t);
	for (size_t i = 0; i < times.n; i++)
		fprintf(r->file, "\n%.*s = %6.2f sec*proc\n", STR_ARG(times.v[i].label),
			times.v[i].seconds);
	if (times.n)
		fputc('\n', r->file);
}

static void
event(struct report *report, const struct event *e)
{
	struct report_log *r = (struct report_log *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_END)
		add_entry(r, e);
	else if (e->kind == EVENT_FINISH)
		add_end(r, e->tally);
	arena_rewind(r->scratch, mark);
}

static bool
fail(struct diag *d, const char *path)
{
	return diag_error(d, (struct place){.file = str_of(path)},
		"cannot be written: %s", strerror(errno));
}

static bool
publish(struct report_log *r, struct diag *d)
{
	bool ok = !ferror(r->file);

	ok = fclose(r->file) == 0 && ok;
	ok = ok && rename(r->temporary, r->path) == 0;
	if (!ok) {
		fail(d, r->path);
		unlink(r->temporary);
	}
	arena_close(r->scratch);
	return ok;
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_log *r = (struct report_log *)report;

	if (!r->has_ended)
		add_end(r, NULL);
	return publish(r, d);
}

bool
report_log_close_empty(struct report *report, struct diag *d)
{
	struct report_log *r = (struct report_log *)report;
	bool ok = fflush(r->file) == 0 && ftruncate(fileno(r->file), 0) == 0;

	return publish(r, d) && ok;
}

static void
add_start(struct report_log *r, const struct dialect *dialect)
{
	char date[REPORT_DATE_BYTES];

	fprintf(r->file, "Start testing: %s\n" RULE, report_date(date, time(NULL)));
	if (dialect->has[DIALECT_RANDOM_SEED] && r->options->schedule_random)
		fprintf(r->file, "Test order random seed: %u\n",
			r->options->schedule_random_seed);
}

struct report *
report_log_open(struct arena *a, struct str path, const struct options *o,
	const struct dialect *dialect, const struct selection *s, struct diag *d)
{
	static const struct report_type type = {"log", event, close_report};
	struct report_log *r = NEW(a, struct report_log);

	*r = (struct report_log){
		.report = {.type = &type},
		.options = o,
		.selection = s,
		.path = str_z(a, path),
		.temporary = str_fmt(a, "%.*s.tmp", STR_ARG(path)).p,
	};
	r->file = fopen(r->temporary, "we");
	if (!r->file) {
		fail(d, r->path);
		return NULL;
	}
	r->scratch = arena_open();
	add_start(r, dialect);
	return &r->report;
}
