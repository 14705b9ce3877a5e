/*
 * LastTest.log: a frame, and one entry per attempt, written when the attempt ends.
 * Nothing is kept in memory, however much the tests write. "i/TOTAL" is the test's number
 * and the number of all loaded tests, not the console's counter.
 */
#include "compat/report/report_log.h"

#include "compat/console/report_text.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define RULE "----------------------------------------------------------\n"

struct report_log {
	struct report report;
	struct arena *scratch; /* for one entry */
	const struct report_options *options;
	const struct selection *selection;
	const char *path;
	struct atomic_file atomic;
	struct arena *text_arena;
	struct buf text; /* that is not written yet */
	int64_t dated_s; /* the second that date shows */
	char date[REPORT_DATE_BYTES];
	bool has_ended;
	bool is_cut; /* another process has truncated the file */
	off_t written; /* in bytes: the end of the file, unless others change it */
	int error; /* of the first failed write; 0: none */
};

static void
note_error(struct report_log *r, bool ok)
{
	if (!ok && !r->error)
		r->error = errno ? errno : EIO;
}

static void
note_written(struct report_log *r, size_t bytes, bool ok)
{
	note_error(r, ok);
	r->written = ok ? r->written + (off_t)bytes : lseek(r->atomic.file, 0, SEEK_CUR);
}

static void
write_text(struct report_log *r)
{
	note_written(r, r->text.n, file_put(r->atomic.file, buf_as_str(&r->text)));
	r->text.n = 0;
}

/* Cached, since many entries have the same second. */
static const char *
date_of(struct report_log *r, int64_t seconds)
{
	if (r->dated_s != seconds)
		report_date(r->date, seconds);
	r->dated_s = seconds;
	return r->date;
}

static void
add_quoted(struct buf *out, struct str text)
{
	buf_char(out, '"');
	buf_str(out, text);
	buf_char(out, '"');
}

static void
add_command(struct report_log *r, const struct event *e, struct buf *out)
{
	struct str_list arguments = report_arguments(r->scratch, e);

	buf_z(out, "Command: ");
	add_quoted(out, report_executable(e));
	for (size_t i = 0; i < arguments.n; i++) {
		buf_char(out, ' ');
		add_quoted(out, arguments.v[i]);
	}
	buf_char(out, '\n');
}

static void
add_title(
	struct report_log *r, const struct attempt *a, const char *word, struct buf *out)
{
	buf_number(out, a->number, 0);
	buf_char(out, '/');
	buf_number(out, r->selection->loaded, 0);
	buf_z(out, word);
	buf_str(out, a->test->name);
	buf_char(out, '\n');
}

static void
add_head(struct report_log *r, const struct event *e, struct buf *out)
{
	const struct test *t = e->attempt->test;
	int64_t started =
		e->outcome->started_us ? e->outcome->started_us / 1000000 : time(NULL);

	if (e->refusal && e->refusal->kind != REFUSED_DISABLED)
		report_add_line(out, e->refusal->log);
	add_title(r, e->attempt, " Testing: ", out);
	add_title(r, e->attempt, " Test: ", out);
	add_command(r, e, out);
	buf_z(out, "Directory: ");
	buf_str(out, t->directory);
	buf_char(out, '\n');
	if (e->outcome->node)
		buf_fmt(out, "Node: %s\n", e->outcome->node);
	if (e->attempt->partition.p)
		buf_fmt(out, "Partition: %.*s\n", STR_ARG(e->attempt->partition));
	add_quoted(out, t->name);
	buf_z(out, " start time: ");
	buf_z(out, event_was_tried(e) ? date_of(r, started) : "");
	buf_z(out, "\nOutput:\n" RULE);
}

/* ctest writes "Passed" for tests that did not run, too. */
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
		buf_z(out, passed ? "Test Passed.\n" : "Test Failed.\n");
}

static void
add_two_digits(struct buf *out, uint64_t n)
{
	if (n < 10)
		buf_char(out, '0');
	buf_number(out, n, 0);
}

/* "01:02:03" */
static void
add_elapsed(struct buf *out, uint64_t seconds)
{
	add_two_digits(out, seconds / 3600);
	buf_char(out, ':');
	add_two_digits(out, seconds / 60 % 60);
	buf_char(out, ':');
	add_two_digits(out, seconds % 60);
}

static void
add_tail(struct report_log *r, const struct event *e, struct buf *out)
{
	struct str name = e->attempt->test->name;

	buf_z(out, "<end of output>\nTest time = ");
	report_add_seconds(out, e->outcome->duration_ns);
	buf_z(out, "\n" RULE);
	if (e->outcome->hang.n) {
		buf_z(out, "Hang report of cctr:\n");
		buf_str(out, e->outcome->hang);
		buf_z(out, RULE);
	}
	add_verdict(r, e, out);
	add_quoted(out, name);
	buf_z(out, " end time: ");
	buf_z(out, date_of(r, time(NULL)));
	buf_char(out, '\n');
	add_quoted(out, name);
	buf_z(out, " time elapsed: ");
	add_elapsed(out, e->outcome->duration_ns / 1000000000);
	buf_z(out, "\n" RULE "\n");
}

/* Large output bypasses the buffer. */
static void
put_output(struct report_log *r, const struct outcome *o)
{
	enum { LARGE = 1 << 16 };
	int to = r->atomic.file;

	if (!o->output_file && o->output.n < LARGE) {
		buf_str(&r->text, o->output);
		return;
	}
	write_text(r);
	note_written(r, o->output.n,
		o->output_file ? file_copy(to, o->output_file, o->output.n)
			       : file_put(to, o->output));
}

static void
add_entry(struct report_log *r, const struct event *e)
{
	add_head(r, e, &r->text);
	if (event_was_tried(e) && e->outcome->output.n)
		put_output(r, e->outcome);
	add_tail(r, e, &r->text);
}

static void
add_labels(struct report_log *r, const struct tally *t, bool are_subprojects)
{
	struct label_times times = report_label_times(
		r->scratch, r->selection, t, r->options->subprojects, are_subprojects);

	for (size_t i = 0; i < times.n; i++)
		buf_fmt(&r->text, "\n%.*s = %6.2f sec*proc\n", STR_ARG(times.v[i].label),
			times.v[i].seconds);
	if (times.n)
		buf_char(&r->text, '\n');
}

static void
add_end(struct report_log *r, const struct tally *t)
{
	char date[REPORT_DATE_BYTES];

	buf_fmt(&r->text, "End testing: %s\n", report_date(date, time(NULL)));
	r->has_ended = true;
	if (!t || t->passed + t->failed == 0)
		return;
	if (!r->options->no_subproject_summary)
		add_labels(r, t, true);
	if (!r->options->no_label_summary)
		add_labels(r, t, false);
}

/* Tests may know the log's path. Bytes that they append are cut off or overwritten. */
static void
check_size(struct report_log *r)
{
	off_t size = lseek(r->atomic.file, 0, SEEK_END);

	if (size == r->written)
		return;
	if (size < 0)
		note_error(r, false);
	else if (size < r->written)
		r->is_cut = true;
	else
		note_error(r, ftruncate(r->atomic.file, r->written) == 0);
	note_error(r, lseek(r->atomic.file, r->written, SEEK_SET) >= 0);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_log *r = (struct report_log *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_END) {
		check_size(r);
		add_entry(r, e);
		write_text(r);
	} else if (e->kind == EVENT_FINISH)
		add_end(r, e->tally);
	arena_rewind(r->scratch, mark);
}

static bool
say_not_written(struct diag *d, const char *path, int error)
{
	return diag_system(d, str_of(path), "cannot be written", error);
}

static bool
publish_log(struct report_log *r, struct diag *d)
{
	write_text(r);
	check_size(r);
	note_error(r, close(r->atomic.file) == 0);
	note_error(r, atomic_file_close(&r->atomic, !r->error));
	if (r->error)
		say_not_written(d, r->path, r->error);
	if (r->is_cut)
		diag_error(d, (struct place){.file = str_of(r->path)},
			"is not whole: another program truncated it while tests ran");
	arena_close(r->scratch);
	arena_close(r->text_arena);
	return r->error == 0 && !r->is_cut;
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_log *r = (struct report_log *)report;

	if (!r->has_ended)
		add_end(r, NULL);
	return publish_log(r, d);
}

bool
report_log_close_empty(struct report *report, struct diag *d)
{
	struct report_log *r = (struct report_log *)report;

	INVARIANT(d);
	write_text(r);
	r->written = 0;
	note_error(r, ftruncate(r->atomic.file, 0) == 0 &&
			      lseek(r->atomic.file, 0, SEEK_SET) == 0);
	return publish_log(r, d);
}

static bool
drop_log(struct report *report, struct diag *d)
{
	return publish_log((struct report_log *)report, d);
}

static bool
stop_log(struct report *report, struct diag *d)
{
	struct report_log *r = (struct report_log *)report;

	write_text(r);
	arena_close(r->scratch);
	arena_close(r->text_arena);
	return !r->error || say_not_written(d, r->path, r->error);
}

void
report_log_resumes(struct report *report)
{
	struct report_log *r = (struct report_log *)report;

	buf_z(&r->text, "Resuming previously interrupted test set\n" RULE);
}

static void
add_start(struct report_log *r, const struct log_options *o)
{
	char date[REPORT_DATE_BYTES];

	buf_fmt(&r->text, "Start testing: %s\n" RULE, report_date(date, time(NULL)));
	if (o->dialect->has[DIALECT_RANDOM_SEED_OPTION] && o->schedule->random)
		buf_fmt(&r->text, "Test order random seed: %u\n", o->schedule->seed);
}

struct report *
report_log_open(struct arena *a, const struct log_options *o, const struct selection *s,
	struct diag *d)
{
	static const struct report_type type = {.name = "log",
		.event = handle_event,
		.close = close_report,
		.drop = drop_log,
		.stop = stop_log,
		.only_results = true};
	struct report_log *r = NEW(a, struct report_log);

	INVARIANT(s && d);
	*r = (struct report_log){
		.report = {.type = &type},
		.options = o->report,
		.selection = s,
		.path = str_z(a, o->path),
	};
	if (!atomic_file_open(a, &r->atomic, r->path, ".tmp")) {
		say_not_written(d, r->path, errno);
		return NULL;
	}
	r->scratch = arena_open();
	r->text_arena = arena_open();
	r->text.arena = r->text_arena;
	add_start(r, o);
	return &r->report;
}
