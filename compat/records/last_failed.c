/* LastTestsFailed.log, LastTestsDisabled.log: "number:name" lines, sorted by number. */
#include "compat/records/last_failed.h"

#include "compat/console/report_text.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/journal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading --------------------------------------------------------------------- */

static void
parse_numbers(struct arena *a, struct str text, struct last_failed *list)
{
	VEC(unsigned) found = {0};
	struct str line;

	while (str_take_line(&text, &line)) {
		size_t colon = str_find(line, ':');
		/* A line without a number selects nothing, but still counts as a line. */
		int number = colon < line.n ? str_int(str_cut(line.p, colon)) : 0;

		if (colon < line.n)
			VEC_PUSH(a, &found, number > 0 ? (unsigned)number : 0);
	}
	list->numbers = found.v;
	list->n = found.n;
}

static bool
is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec
		       ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
		       : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

struct newest {
	struct str path; /* n is 0: there is none */
	struct str missing; /* a link to no file; n is 0: there is none */
	struct stat status;
};

static bool
look_at(struct arena *a, struct newest *best, struct str path, struct diag *d)
{
	struct stat status;

	if (stat(str_z(a, path), &status) != 0) {
		if (!error_is_absence(errno))
			return diag_unreadable(d, path, errno);
		best->missing = str_dup(a, path);
		return true;
	}
	if (best->path.n && !is_newer(&status, &best->status))
		return true;
	best->path = str_dup(a, path);
	best->status = status;
	return true;
}

/* Dashboard runs write a file with a tag in its name beside the one of plain runs. */
static bool
find_newest(struct arena *a, struct newest *best, struct str directory, struct diag *d)
{
	str_vec names = {0};
	bool ok = true;

	*best = (struct newest){0};
	if (!directory_read(a, str_z(a, directory), &names))
		return error_is_absence(errno) || diag_unreadable(d, directory, errno);
	for (size_t i = 0; i < names.n && ok; i++)
		if (str_begins(names.v[i], STR("LastTestsFailed")) &&
			!str_ends(names.v[i], STR(".tmp")))
			ok = look_at(a, best, path_join(a, directory, names.v[i]), d);
	return ok;
}

/* The newest list; "": there is none. */
static bool
read_newest(struct arena *a, struct newest *newest, struct str directory,
	struct str *text, struct diag *d)
{
	*text = STR("");
	if (!find_newest(a, newest, directory, d))
		return false;
	return newest->path.n == 0 || file_read(a, str_z(a, newest->path), text) ||
	       diag_unreadable(d, newest->path, errno);
}

bool
last_failed_read(
	struct arena *a, struct str directory, struct last_failed *list, struct diag *d)
{
	struct newest newest;
	struct str text;

	INVARIANT(list && d);
	*list = (struct last_failed){0};
	if (!read_newest(a, &newest, directory, &text, d))
		return false;
	if (!newest.path.n)
		list->missing = newest.missing;
	parse_numbers(a, text, list);
	return true;
}

bool
last_failed_names(
	struct arena *a, struct str directory, struct str_list *names, struct diag *d)
{
	struct newest newest;
	struct str text, line;
	str_vec found = {0};

	INVARIANT(names && d);
	if (!read_newest(a, &newest, directory, &text, d))
		return false;
	while (str_take_line(&text, &line)) {
		size_t colon = str_find(line, ':');

		if (colon < line.n)
			VEC_PUSH(a, &found, str_from(line, colon + 1));
	}
	*names = str_vec_list(&found);
	return true;
}

bool
last_failed_is_there(struct arena *a, struct str directory)
{
	struct diag unsaid = diag_in(a);
	struct last_failed list;

	return !last_failed_read(a, directory, &list, &unsaid) || list.n > 0;
}

/* ---- names ----------------------------------------------------------------------- */

struct str
last_file_end(struct arena *a, struct str tag)
{
	return str_fmt(a, "%s%.*s.log", tag.n ? "_" : "", STR_ARG(tag));
}

static struct str
failed_path(struct arena *a, struct str directory, struct str tag)
{
	struct str end = last_file_end(a, tag);

	return path_join(a, directory, str_fmt(a, "LastTestsFailed%.*s", STR_ARG(end)));
}

/* ---- a list that grows ----------------------------------------------------------- */

struct failed_report {
	struct report report;
	struct arena *arena;
	struct str directory, path;
	bool is_begun, was_there; /* was_there: the file, at the begin */
	size_t added; /* lines */
	int error; /* the first one; 0: none */
};

/* Copies the old failures, which must not be lost while the new list is incomplete. */
static bool
copy_failures(struct failed_report *r)
{
	struct diag unsaid = diag_in(r->arena);
	struct newest newest;
	struct str text;

	if (!find_newest(r->arena, &newest, r->directory, &unsaid))
		return false;
	if (!newest.path.n || path_may_exist(r->path.p))
		return true;
	return file_read(r->arena, newest.path.p, &text) &&
	       file_write(r->arena, r->path.p, ".tmp", text);
}

static struct str
line_of(struct arena *a, const struct attempt *attempt)
{
	return str_fmt(a, "%u:%.*s\n", attempt->number, STR_ARG(attempt->test->name));
}

static void
begin_list(struct failed_report *r)
{
	r->was_there = path_may_exist(r->path.p);
	if (!copy_failures(r) && !r->error)
		r->error = errno;
	r->is_begun = true;
}

static void
add_failed(struct failed_report *r, const struct attempt *attempt)
{
	struct str line = line_of(r->arena, attempt);
	struct journal journal;

	if (!r->is_begun)
		begin_list(r);
	r->added++;
	journal_open(&journal, r->path.p);
	journal_add(&journal, line);
	journal_close(&journal);
	if (!r->error)
		r->error = journal.error;
}

/* Where the last such line begins; n: there is none. */
static size_t
find_line(struct str text, struct str line)
{
	size_t at = text.n;

	for (size_t i = 0; i + line.n <= text.n;
		i += str_find(str_from(text, i), '\n') + 1)
		if (str_begins(str_from(text, i), line))
			at = i;
	return at;
}

/* The test is tried again. The last line goes with the file, unless that was there
 * before. */
static void
withdraw_failed(struct failed_report *r, const struct attempt *attempt)
{
	struct str line = line_of(r->arena, attempt), text;
	struct buf rest = {.arena = r->arena};
	size_t at;

	if (!--r->added && !r->was_there) {
		r->is_begun = false;
		if (unlink(r->path.p) != 0 && !r->error)
			r->error = errno;
		return;
	}
	if (!file_read(r->arena, r->path.p, &text)) {
		r->error = r->error ? r->error : errno;
		return;
	}
	at = find_line(text, line);
	if (at == text.n)
		return;
	buf_str(&rest, str_cut(text.p, at));
	buf_str(&rest, str_from(text, at + line.n));
	if (!file_write(r->arena, r->path.p, ".tmp", buf_as_str(&rest)) && !r->error)
		r->error = errno;
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct failed_report *r = (struct failed_report *)report;
	struct arena_mark mark = arena_mark(r->arena);
	bool is_last = e->kind == EVENT_END && e->is_last;

	/* A disabled test does not count, even if something else kept it from running
	 * too. */
	if ((is_last || e->kind == EVENT_WITHDRAW) &&
		report_fails_run(e->verdict->kind, e->flaky) &&
		!e->attempt->test->properties->disabled) {
		if (is_last)
			add_failed(r, e->attempt);
		else
			withdraw_failed(r, e->attempt);
	}
	arena_rewind(r->arena, mark);
}

/* last_failed_write replaces the file by the complete list. */
static bool
close_report(struct report *report, struct diag *d)
{
	(void)report, (void)d;
	return true;
}

static bool
stop_report(struct report *report, struct diag *d)
{
	struct failed_report *r = (struct failed_report *)report;

	return !r->error || diag_system(d, r->path, "cannot be written", r->error);
}

struct report *
last_failed_open(struct arena *a, struct str directory, struct str tag)
{
	static const struct report_type type = {.name = "failed",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
		.only_results = true};
	struct failed_report *r = NEW(a, struct failed_report);

	r->report.type = &type;
	r->arena = a;
	r->directory = directory;
	r->path = failed_path(a, directory, tag);
	return &r->report;
}

/* ---- writing --------------------------------------------------------------------- */

static bool
must_run_again(const struct result *r)
{
	return report_fails_run(r->verdict.kind, r->flaky);
}

/* A test that does not count as failed is listed only beside those that fail the run. */
static bool
has_failed(const struct tally *t)
{
	bool failed = t->failed > 0;

	for (size_t i = 0; t->flaky && !failed && i < t->results.n; i++)
		failed = t->results.v[i].flaky == FLAKY_FAILS;
	return failed;
}

typedef bool write_file(
	struct arena *a, const char *path, const char *ending, struct str text);

static bool
write_list(struct arena *a, struct str path, const struct tally *t,
	bool (*belongs)(const struct result *), write_file *write, struct diag *d)
{
	struct buf out = {.arena = a};
	size_t n;
	const struct result **v = report_results_by_number(a, t, belongs, &n);

	if (n == 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		buf_number(&out, v[i]->number, 0);
		buf_char(&out, ':');
		buf_str(&out, v[i]->test->name);
		buf_char(&out, '\n');
	}
	if (write(a, str_z(a, path), ".tmp", buf_as_str(&out)))
		return true;
	return diag_system(d, path, "cannot be written", errno);
}

bool
last_failed_write(struct arena *a, struct str directory, struct str tag,
	const struct tally *t, struct diag *d)
{
	struct str end = last_file_end(a, tag);
	struct str not_run = path_join(
		a, directory, str_fmt(a, "LastTestsDisabled%.*s", STR_ARG(end)));
	bool ok;

	INVARIANT(t && d);
	if (t->passed + t->failed == 0)
		return true;
	/* The list is the only record of what must be repaired, so it is written
	 * durably. */
	ok = !has_failed(t) || write_list(a, failed_path(a, directory, tag), t,
				       must_run_again, file_write_durably, d);
	return write_list(a, not_run, t, report_did_not_run, file_write, d) && ok;
}
