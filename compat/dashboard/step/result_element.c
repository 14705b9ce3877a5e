/* See result_element.h. */
#include "compat/dashboard/step/result_element.h"

#include <errno.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/format/truncate.h"
#include "compat/launch/executable.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

/* ---- words ----------------------------------------------------------------------- */

bool
result_element_has_run(enum verdict_kind k)
{
	INVARIANT(k < VERDICTS);
	return k != VERDICT_SKIPPED && k != VERDICT_DISABLED && k != VERDICT_NOT_RUN;
}

static const char *
status_of(enum verdict_kind k)
{
	if (k == VERDICT_PASSED)
		return "passed";
	return result_element_has_run(k) ? "failed" : "notrun";
}

/* A source directory that is not known or is relative counts from the working directory.
 * As in ctest a backslash is a slash. Two slashes are not one where a path begins. */
static struct str
short_path(const struct result_element *t, struct str path)
{
	struct arena *a = t->scratch;
	struct str here = t->in->directory, full;

	path = str_dup(a, path);
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '\\')
			str_own(path)[i] = '/';
	full = path_join(a, here, path);
	if (str_begins(path, STR("//")))
		full = str_fmt(a, "/%.*s", STR_ARG(full));
	return step_short_path(a, path_join(a, here, t->in->source),
		path_join(a, here, step_build_directory(t->in)), full);
}

static struct str
full_name(const struct result_element *t, const struct test *test)
{
	return short_path(t, str_fmt(t->scratch, "%.*s/%.*s", STR_ARG(test->directory),
				     STR_ARG(test->name)));
}

struct str
result_element_command(const struct result_element *t, const struct event *e)
{
	struct str path = event_was_tried(e) ? report_executable(e) : STR("");
	struct str_list arguments = report_arguments(t->scratch, e);

	return path.n ? executable_command_line(
				t->scratch, path, arguments.v, arguments.n)
		      : STR("");
}

struct long_text
result_element_output(struct spool *room, const struct event *e)
{
	struct long_text output = outcome_text(e->outcome);
	struct str text;

	if (e->verdict->kind == VERDICT_DISABLED)
		return long_text_of(STR("Disabled"));
	if (!event_was_refused(e))
		return truncate_measurements(room, &output);
	text = e->refusal->log;
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	return long_text_of(text);
}

/* ---- elements -------------------------------------------------------------------- */

void
result_element_list(
	const struct result_element *t, const struct event *e, struct buf *names)
{
	buf_char(names, '\n');
	buf_fill(names, '\t', 3);
	buf_z(names, "<Test>");
	xml_escape(names, full_name(t, e->attempt->test), false);
	buf_z(names, "</Test>");
}

/* A test that the system refused to start counts as started; one that was not tried does
 * not. */
static bool
has_started(const struct outcome *o)
{
	return o->started_us && o->refusal != REFUSED_ENVIRONMENT;
}

static struct str
start_time(const struct result_element *t, int64_t us)
{
	if (t->has_old_numbers)
		return str_fmt(t->scratch, "%g", (double)us / 1e6);
	return str_fmt(t->scratch, "%lld.%06lld", (long long)(us / 1000000),
		(long long)(us % 1000000));
}

void
result_element_open(const struct result_element *t, const struct event *e, struct xml *x)
{
	const struct test *test = e->attempt->test;

	xml_open(x, "Test");
	xml_attribute(x, "Status", str_of(status_of(e->verdict->kind)));
	site_text(x, "Name", test->name);
	site_text(x, "Path", short_path(t, test->directory));
	site_text(x, "FullName", full_name(t, test));
	site_text(x, "FullCommandLine", result_element_command(t, e));
	if (t->in->dialect->has[DIALECT_XML_TEST_START_TIME] && has_started(e->outcome))
		site_text(x, "StartTestTime", start_time(t, e->outcome->started_us));
}

void
result_element_labels(
	const struct result_element *t, const struct event *e, struct xml *x)
{
	struct str_list labels = report_labels(t->scratch, e->attempt->test, e->outcome);

	if (!labels.n)
		return;
	xml_open(x, "Labels");
	for (size_t i = 0; i < labels.n; i++)
		site_text(x, "Label", labels.v[i]);
	xml_close(x);
}

/* ---- the file -------------------------------------------------------------------- */

static void
add_head(const struct step_input *in, const struct test_frame *f, struct xml *x)
{
	if (in->dialect->has[DIALECT_XML_TEST_START_TIME] && !f->has_old_numbers)
		x->digits = 6;
	site_open(x, in);
	site_subprojects(x, in);
	xml_open(x, f->name);
	if (f->checker)
		xml_attribute(x, "Checker", str_of(f->checker));
	site_time(x, "StartDateTime", "StartTestTime", f->started_s);
	xml_open(x, "TestList");
	if (f->names.n)
		xml_content(x);
	buf_str(x->out, f->names);
	xml_close(x);
}

static void
add_tail(const struct test_frame *f, struct xml *x)
{
	if (f->add)
		f->add(f->context, x);
	site_time(x, "EndDateTime", "EndTestTime", f->ended_s);
	site_number(x, "ElapsedMinutes", (int64_t)(f->duration_ns / 1000000000 / 60));
	xml_close(x);
	xml_close(x);
	buf_char(x->out, '\n');
}

static bool
put_frame(const struct step_input *in, struct arena *scratch, const struct test_frame *f,
	FILE *to)
{
	struct buf text = {.arena = scratch};
	struct xml x;
	bool is_good;

	xml_begin(&x, &text, 0);
	add_head(in, f, &x);
	fwrite(text.p, 1, text.n, to);
	is_good = f->put(f->context, to);
	text.n = 0;
	buf_char(&text, '\n'); /* so that each element begins on a new line */
	add_tail(f, &x);
	fwrite(text.p + 1, 1, text.n - 1, to);
	return is_good && file_is_whole(to);
}

bool
test_frame_write(const struct step_input *in, struct step_result *r,
	struct arena *scratch, const struct test_frame *f)
{
	struct str directory = step_directory(in, r);
	struct str file = step_file_name(in, f->file);
	struct str path = path_join(scratch, directory, file);
	struct atomic_file atomic;
	FILE *to = directory.n ? atomic_file_open_stream(scratch, &atomic, path.p, ".tmp")
			       : NULL;
	bool is_good = to && put_frame(in, scratch, f, to);

	int error = is_good ? 0 : errno ? errno : EIO;

	if (to && fclose(to) != 0 && is_good)
		error = errno;
	if (to && !atomic_file_close(&atomic, !error) && !error)
		error = errno;
	if (!directory.n)
		console_fmt(in->console, CHANNEL_ERROR,
			"Cannot create resulting XML file: %.*s\n", STR_ARG(file));
	else if (error)
		console_lost_file(in->console, path, error);
	else
		VEC_PUSH(in->arena, &r->files, (struct step_file){f->part, file});
	return !error;
}
