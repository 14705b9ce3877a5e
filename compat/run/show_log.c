/* See show_log.h. */
#include "compat/run/show_log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/report/log_entries.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"

enum { PIECE = 65536 };

struct log_view {
	struct run_context *c;
	struct str path;
	int file;
	log_entries entries;
	struct map wanted; /* names of tests -> entries that were printed */
	struct map attempts; /* numbers of tests -> the same; a name may be that of two */
	bool has_titles;
};

/* ---- the log --------------------------------------------------------------------- */

/* "LastTest.log", "LastTest_20261127-1030.log", and those of runs that have not ended. */
static bool
is_log_name(struct str name)
{
	return str_begins(name, STR("LastTest")) && !str_begins(name, STR("LastTests")) &&
	       (str_ends(name, STR(".log")) || str_ends(name, STR(".log.tmp")));
}

static bool
is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Takes the log if none that was written later is known. A run that goes on gives its log
 * another name when it ends. */
static bool
take_log(struct log_view *v, struct str path, struct timespec *written)
{
	struct stat st;

	if (stat(path.p, &st) != 0)
		return error_is_absence(errno) ||
		       diag_unreadable(&v->c->diag, path, errno);
	if (v->path.n && !is_later(&st.st_mtim, written))
		return true;
	v->path = path;
	*written = st.st_mtim;
	return true;
}

static bool
find_last_log(struct log_view *v, struct str folder)
{
	struct arena *a = v->c->arena;
	struct timespec written = {0};
	str_vec names = {0};

	if (!directory_read(a, folder.p, &names) && !error_is_absence(errno))
		return diag_unreadable(&v->c->diag, folder, errno);
	str_list_sort(str_vec_list(&names));
	for (size_t i = 0; i < names.n; i++)
		if (is_log_name(names.v[i]) &&
			!take_log(v, path_join(a, folder, names.v[i]), &written))
			return false;
	return v->path.n || diag_error(&v->c->diag, (struct place){.file = folder},
				    "there is no LastTest.log: no run has ended here");
}

static bool
open_log(struct log_view *v, struct str folder)
{
	struct diag *d = &v->c->diag;

	if (!find_last_log(v, folder))
		return false;
	v->file = file_open_found(v->path.p);
	if (v->file < 0 || !log_entries_read(v->c->arena, v->file, &v->entries))
		return diag_unreadable(d, v->path, errno);
	if (str_ends(v->path, STR(".tmp")))
		diag_warning(d, (struct place){.file = v->path},
			"is of a run that has not ended");
	return true;
}

/* ---- outputs --------------------------------------------------------------------- */

static bool
is_wanted(const struct log_view *v, const struct log_entry *e)
{
	return map_has(&v->wanted, e->name);
}

static bool
lose_log(struct log_view *v, int error)
{
	return diag_error(&v->c->diag, (struct place){.file = v->path},
		"cannot be read: %s",
		error ? strerror(error) : "it became shorter while it was read");
}

/* Waits for the reader after each piece, so that no more is held in memory. */
static bool
print_output(struct log_view *v, const struct log_entry *e, char *last)
{
	char piece[PIECE];
	uint64_t done = 0;

	while (done < e->output_n && !streams_have_lost_reader()) {
		uint64_t rest = e->output_n - done;
		ssize_t got = file_get_at(v->file, piece,
			rest < PIECE ? (size_t)rest : PIECE, (off_t)(e->output + done));

		if (got <= 0)
			return lose_log(v, got < 0 ? errno : 0);
		streams_put(STREAM_OUTPUT, str_cut(piece, (size_t)got));
		streams_drain();
		done += (uint64_t)got;
		*last = piece[got - 1];
	}
	return true;
}

static void
print_title(struct log_view *v, const struct log_entry *e, uint32_t attempt, char last)
{
	struct buf out = {.arena = v->c->arena};

	if (last)
		buf_z(&out, last == '\n' ? "\n" : "\n\n");
	buf_fmt(&out, "==> %.*s", STR_ARG(e->name));
	if (attempt > 1)
		buf_fmt(&out, ", attempt %u", attempt);
	buf_z(&out, " <==\n");
	streams_put(STREAM_OUTPUT, buf_as_str(&out));
}

static uint32_t
count_entry(struct log_view *v, const struct log_entry *e)
{
	uint32_t *n = map_at(&v->attempts, str_fmt(v->c->arena, "%" PRIu64, e->number));

	++*map_at(&v->wanted, e->name);
	*n = *n == MAP_NONE ? 1 : *n + 1;
	return *n;
}

static bool
print_entries(struct log_view *v)
{
	char last = '\0';

	for (size_t i = 0; i < v->entries.n; i++) {
		const struct log_entry *e = &v->entries.v[i];
		uint32_t attempt;

		if (!is_wanted(v, e))
			continue;
		attempt = count_entry(v, e);
		if (v->has_titles)
			print_title(v, e, attempt, last);
		last = '\n';
		if (!print_output(v, e, &last))
			return false;
	}
	return true;
}

/* ---- the whole ------------------------------------------------------------------- */

static size_t
count_wanted(const struct log_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->entries.n; i++)
		n += is_wanted(v, &v->entries.v[i]);
	return n;
}

/* A test that is named must have an entry; of a choice at least one must. */
static bool
check_printed(struct log_view *v, const str_vec *names)
{
	size_t printed = 0;
	bool all = true;

	for (size_t i = 0; i < v->wanted.n; i++)
		printed += v->wanted.entries[i].value;
	for (size_t i = 0; i < names->n; i++)
		if (map_get(&v->wanted, names->v[i]) == 0)
			all = diag_error(&v->c->diag, (struct place){.file = v->path},
				"has no output of \"%.*s\": it did not run then",
				STR_ARG(names->v[i]));
	if (printed || !all)
		return all;
	return diag_error(&v->c->diag, (struct place){.file = v->path},
		"has no output of a selected test");
}

static bool
print_log(struct log_view *v, const struct selection *s, const str_vec *names)
{
	v->wanted = map_in(v->c->arena);
	v->attempts = map_in(v->c->arena);
	for (size_t i = 0; i < s->n; i++)
		map_set(&v->wanted, selected_test(s, i)->name, 0);
	v->has_titles = count_wanted(v) > 1;
	return print_entries(v) && check_printed(v, names);
}

enum exit_code
show_log(struct run_context *c, const struct run_settings *s,
	const struct selection *selection)
{
	struct log_view v = {.c = c, .file = -1};
	bool all = open_log(&v, s->temporary) &&
		   print_log(&v, selection, &s->options.selection.tests);

	file_close(&v.file);
	console_diag(c->console, &c->diag);
	return all ? EXIT_OK : EXIT_USAGE;
}
