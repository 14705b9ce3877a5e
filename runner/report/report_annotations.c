/* See report_annotations.h. Of each test that failed only short texts are kept. */
#include "runner/report/report_annotations.h"

#include <errno.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/json_line.h"
#include "runner/base/streams.h"
#include "runner/report/fault_place.h"
#include "runner/report/why.h"

/* GitHub shows ten of a kind for each step, and drops the others. */
enum { GITHUB_MOST = 10, TAIL_MOST = 600, WHY_MOST = 600 };

struct annotation {
	node_id node;
	bool is_flaky; /* else it failed */
	struct str name, message;
	struct str folder; /* where the test is declared */
	struct str path; /* "": the place is not known */
	unsigned line;
};
struct report_annotations {
	struct report report;
	struct arena *arena;
	struct annotations_options o;
	VEC(struct annotation) v;
	int error; /* why a file could not be looked for; 0: all could */
};

/* ---- one test -------------------------------------------------------------------- */

static struct str
relative_path(const struct report_annotations *r, struct str path)
{
	struct str root = r->o.root;

	if (root.n && str_begins(path, root) && path.n > root.n + 1 &&
		path.p[root.n] == '/')
		return str_from(path, root.n + 1);
	return path;
}

/* Where the test is declared: the innermost frame of its add_test(). */
static void
place_of_declaration(struct annotation *n, const struct test *t)
{
	struct str rest = t->backtrace, path = str_take(&rest, ';'),
		   line = str_take(&rest, ';');
	uint64_t number;

	if (path.n && str_unsigned(line, INT_MAX, &number)) {
		n->path = path;
		n->line = (unsigned)number;
	}
}

static struct str
last_text(struct str output)
{
	struct str tail =
		str_from(output, output.n > TAIL_MOST ? output.n - TAIL_MOST : 0);
	size_t line = str_find(tail, '\n');

	if (tail.n < output.n && line + 1 < tail.n)
		tail = str_from(tail, line + 1);
	return str_trim(tail);
}

static void
find_place(struct report_annotations *r, struct annotation *n, const struct event *e,
	struct buf *message)
{
	const struct test *t = e->attempt->test;
	struct str folders[] = {path_join(r->arena, r->o.tree, t->directory), r->o.root,
		path_join(r->arena, r->o.tree, t->declared_in)};
	struct str_list list = {folders, sizeof folders / sizeof *folders};
	struct fault_place place;
	struct str text;

	place_of_declaration(n, t);
	if (fault_place_find(r->arena, e->outcome->output, list, &place)) {
		n->path = place.path;
		n->line = place.line;
		text = place.text;
	} else
		text = last_text(e->outcome->output);
	r->error = r->error ? r->error : place.error;
	buf_z(message, text.n ? "\n" : "");
	buf_str(message, text);
	n->path = str_dup(r->arena, relative_path(r, n->path));
}

static void
add_head(struct buf *out, const struct event *e)
{
	struct str name = e->attempt->test->name;

	if (e->flaky != FLAKY_NOT) {
		buf_fmt(out, "test %.*s passed after %u failures", STR_ARG(name),
			e->attempt->failures);
		return;
	}
	buf_fmt(out, "test %.*s: %s", STR_ARG(name), verdict_word(e->verdict->kind));
	why_add_exit_code(out, e);
}

static void
add_annotation(struct report_annotations *r, const struct event *e)
{
	struct buf message = {.arena = r->arena}, why = {.arena = r->arena};
	struct annotation n = {.node = e->attempt->node,
		.is_flaky = e->flaky != FLAKY_NOT,
		.name = str_dup(r->arena, e->attempt->test->name),
		.folder = relative_path(r,
			path_join(r->arena, r->o.tree, e->attempt->test->declared_in))};

	add_head(&message, e);
	why_add(&why, e);
	buf_z(&message, why.n ? "\n" : "");
	buf_str(&message, str_cut(why.p, why.n < WHY_MOST ? why.n : WHY_MOST));
	if (n.is_flaky) {
		place_of_declaration(&n, e->attempt->test);
		n.path = str_dup(r->arena, relative_path(r, n.path));
	} else
		find_place(r, &n, e, &message);
	n.message = buf_as_str(&message);
	VEC_PUSH(r->arena, &r->v, n);
}

static void
note_end(struct report_annotations *r, const struct event *e)
{
	enum verdict_kind kind = e->verdict->kind;
	bool has_failed = !verdict_is_pass(kind) && !verdict_is_uncounted(kind);

	if (e->is_last && (has_failed || e->flaky != FLAKY_NOT))
		add_annotation(r, e);
}

static void
drop_annotation(struct report_annotations *r, node_id node)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->v.n; i++)
		if (r->v.v[i].node != node)
			r->v.v[kept++] = r->v.v[i];
	r->v.n = kept;
}

/* ---- GitHub ---------------------------------------------------------------------- */

/* A value ends at a comma or colon, a message at the end of the line. */
static void
add_escaped(struct buf *out, struct str text, bool is_value)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '%' || c == '\r' || c == '\n' ||
			(is_value && (c == ':' || c == ',')))
			buf_fmt(out, "%%%02X", (unsigned)c);
		else
			buf_char(out, c);
	}
}

static void
add_command(struct buf *out, const struct annotation *n)
{
	buf_fmt(out, "::%s ", n->is_flaky ? "warning" : "error");
	if (n->path.n) {
		buf_z(out, "file=");
		add_escaped(out, n->path, true);
		buf_fmt(out, ",line=%u,", n->line);
	}
	buf_z(out, "title=");
	add_escaped(out, n->name, true);
	buf_z(out, "::");
	add_escaped(out, n->message, false);
	buf_char(out, '\n');
}

static void
print_commands(struct report_annotations *r)
{
	struct buf out = {.arena = r->arena};
	size_t said[2] = {0}, left = 0;

	for (size_t i = 0; i < r->v.n; i++) {
		if (said[r->v.v[i].is_flaky]++ < GITHUB_MOST)
			add_command(&out, &r->v.v[i]);
		else
			left++;
	}
	if (left)
		buf_fmt(&out,
			"::notice title=cctr::%zu more tests have failed or are "
			"flaky: GitHub shows %d of each kind\n",
			left, GITHUB_MOST);
	streams_put(STREAM_ERROR, buf_as_str(&out));
}

/* ---- GitLab ---------------------------------------------------------------------- */

/* The same for the same test in each run: GitLab compares reports by it. Of two tests
 * with one it would show only one. */
static struct str
fingerprint_of(struct arena *a, const struct annotation *n)
{
	uint64_t sum = str_sum(STR_SUM_EMPTY, STR("cctr test "));

	sum = str_sum(str_sum(sum, n->folder), n->name);
	return str_fmt(a, "%016llx%016llx", (unsigned long long)sum,
		(unsigned long long)str_sum(sum, n->name));
}

/* GitLab refuses a member of the list that has no place. */
static void
add_issue(struct report_annotations *r, struct buf *out, const struct annotation *n)
{
	json_line_open(out, NULL, '{');
	json_line_text(out, "description", n->message);
	json_line_text(out, "check_name", n->is_flaky ? STR("flaky test") : STR("test"));
	json_line_text(out, "fingerprint", fingerprint_of(r->arena, n));
	json_line_text(out, "severity", n->is_flaky ? STR("minor") : STR("major"));
	json_line_open(out, "location", '{');
	json_line_text(out, "path", n->path.n ? n->path : r->o.any_file);
	json_line_open(out, "lines", '{');
	json_line_count(out, "begin", n->path.n ? n->line : 1);
	json_line_close(out, '}');
	json_line_close(out, '}');
	json_line_close(out, '}');
}

static bool
write_issues(struct report_annotations *r, struct diag *d)
{
	struct buf out = {.arena = r->arena};
	const char *path = str_z(r->arena, r->o.file);

	json_line_open(&out, NULL, '[');
	for (size_t i = 0; i < r->v.n; i++)
		add_issue(r, &out, &r->v.v[i]);
	json_line_close(&out, ']');
	buf_char(&out, '\n');
	return file_write(r->arena, path, ".tmp", buf_as_str(&out)) ||
	       diag_system(d, r->o.file, "cannot be written", errno);
}

/* ---- events ---------------------------------------------------------------------- */

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_annotations *r = (struct report_annotations *)report;

	if (e->kind == EVENT_END)
		note_end(r, e);
	else if (e->kind == EVENT_WITHDRAW)
		drop_annotation(r, e->attempt->node);
	else if (e->kind == EVENT_FINISH && !r->o.file.n)
		print_commands(r);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_annotations *r = (struct report_annotations *)report;
	bool ok = !r->o.file.n || write_issues(r, d);

	if (r->error)
		ok = diag_error(d, NO_PLACE,
			"%s: lines of sources are missing, since files cannot be looked "
			"for: %s",
			r->o.option, strerror(r->error));
	arena_close(r->arena);
	return ok;
}

/* The tests that have ended so far. */
static bool
stop_report(struct report *report, struct diag *d)
{
	struct report_annotations *r = (struct report_annotations *)report;

	if (!r->o.file.n)
		print_commands(r);
	return close_report(report, d);
}

struct report *
report_annotations_open(struct arena *a, const struct annotations_options *o)
{
	static const struct report_type type = {.name = "annotations",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
		.only_results = true};
	struct report_annotations *r = NEW(a, struct report_annotations);

	INVARIANT(o->tree.n && (!o->file.n || o->any_file.n));
	r->report.type = &type;
	r->arena = arena_open();
	r->o = *o;
	return &r->report;
}
