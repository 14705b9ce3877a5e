/* LastTestsFailed.log, LastTestsDisabled.log: "number:name" lines by number. */
#include "compat/last_failed.h"

#include "compat/report_text.h"
#include "runner/files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- reading ------------------------------------------------------------------------
 */

void
last_failed_parse(struct arena *a, struct str text, unsigned **numbers, size_t *n)
{
	VEC(unsigned) found = {0};
	struct str line;

	while (str_take_line(&text, &line)) {
		size_t colon = str_find(line, ':');
		/* What is no number selects nothing, but is not the same as no line. */
		int number = colon < line.n ? str_int(str_cut(line.p, colon)) : 0;

		if (colon < line.n)
			VEC_PUSH(a, &found, number > 0 ? (unsigned)number : 0);
	}
	*numbers = found.v;
	*n = found.n;
}

static bool
is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec
		       ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
		       : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* Dashboard runs leave files with a tag in their name beside the one of plain runs. */
static struct str
newest(struct arena *a, struct str directory)
{
	DIR *dir = opendir(str_z(a, directory));
	struct str best = STR_NONE;
	struct stat best_status = {0}, status;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct str name = str_of(entry->d_name);
		struct str path;

		if (!str_begins(name, STR("LastTestsFailed")) ||
			str_ends(name, STR(".tmp")))
			continue;
		path = path_join(a, directory, name);
		if (stat(str_z(a, path), &status) != 0 ||
			(best.n && !is_newer(&status, &best_status)))
			continue;
		best = str_dup(a, path);
		best_status = status;
	}
	if (dir)
		closedir(dir);
	return best;
}

void
last_failed_read(struct arena *a, struct str directory, unsigned **numbers, size_t *n,
	struct diag *d)
{
	struct str path = newest(a, directory), text;

	*numbers = NULL;
	*n = 0;
	if (path.n == 0)
		return;
	if (file_read(a, str_z(a, path), &text))
		last_failed_parse(a, text, numbers, n);
	else
		diag_warning(d, (struct place){.file = path}, "cannot be read: %s",
			strerror(errno));
}

/* ---- writing --------------------------------------------------------------------------
 */

static bool
did_not_run(enum verdict_kind k)
{
	return k == VERDICT_SKIPPED || k == VERDICT_DISABLED;
}

static bool
write_list(struct arena *a, struct str path, const struct tally *t,
	bool (*belongs)(enum verdict_kind), struct diag *d)
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
	if (file_write(a, str_z(a, path), ".tmp", buf_as_str(&out)))
		return true;
	return diag_error(d, (struct place){.file = path}, "cannot be written: %s",
		strerror(errno));
}

struct str
last_file_end(struct arena *a, struct str tag)
{
	return str_fmt(a, "%s%.*s.log", tag.n ? "_" : "", STR_ARG(tag));
}

bool
last_failed_write(struct arena *a, struct str directory, struct str tag,
	const struct tally *t, struct diag *d)
{
	struct str end = last_file_end(a, tag);
	struct str failed =
		path_join(a, directory, str_fmt(a, "LastTestsFailed%.*s", STR_ARG(end)));
	struct str not_run = path_join(
		a, directory, str_fmt(a, "LastTestsDisabled%.*s", STR_ARG(end)));
	bool ok;

	if (t->passed + t->failed == 0)
		return true;
	ok = t->failed == 0 || write_list(a, failed, t, report_is_failure, d);
	return write_list(a, not_run, t, did_not_run, d) && ok;
}
