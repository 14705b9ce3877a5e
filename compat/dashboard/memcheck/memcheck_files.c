/*
 * Files that a checker numbers by process are read one after the other, in the folder's
 * order, and then get the name of a checker's single file: ctest(1). The folder contains
 * the files of all tests. So it is read only if its order matters, for a test with
 * several files; otherwise a watch reports the new files. See memcheck_files.h.
 */
#include "compat/dashboard/memcheck/memcheck_files.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "compat/console/console.h"
#include "runner/base/files.h"
#include "runner/base/folder_watch.h"

struct memcheck_files {
	struct arena *arena;
	const struct memcheck *memcheck;
	struct console *console;
	struct folder_watch *watch; /* NULL: the folder is not watched */
	bool is_watched; /* a watch was tried */
	struct str head, tail; /* of file names, around the test's number */
	/* Prefix of a test's file names -> index of its only file in names, or
	 * SEVERAL. */
	struct map by_beginning;
	str_vec names;
};
enum { SEVERAL = UINT32_MAX - 1 };

struct gathering {
	struct memcheck_files *files;
	const struct memcheck *memcheck;
	struct console *console;
	struct arena *arena; /* of the output */
	struct str number;
	struct buf *output;
};

static struct str
path_of(const struct gathering *g, const char *word)
{
	return memcheck_path(g->memcheck, g->arena, word, g->number);
}

static void
add_lines(struct buf *output, struct str text)
{
	struct str line;

	while (str_take_crlf_line(&text, &line)) {
		buf_str(output, line);
		buf_char(output, '\n');
	}
}

/* Adds the lines of the file; an empty one adds nothing. false after a message. */
static bool
add_file(const struct gathering *g, struct str path)
{
	const char *z = path_in(g->arena, g->memcheck->start, path);
	struct str text;

	if (file_read(g->arena, z, &text)) {
		add_lines(g->output, text);
		return true;
	}
	if (!error_is_no_file(errno))
		console_note_loss(g->console);
	console_fmt(g->console, CHANNEL_ERROR,
		"Cannot read memory tester output file: %.*s\n", STR_ARG(path));
	return false;
}

static void
say_missing(const struct gathering *g, struct str path, const char *pattern)
{
	console_fmt(g->console, CHANNEL_WARNING,
		"Cannot find memory tester output file: %.*s%s\n", STR_ARG(path),
		pattern);
}

/* The files whose paths begin with `beginning`, in the folder's order. */
static struct str_list
files_named(const struct gathering *g, struct str beginning)
{
	struct str folder = path_parent(beginning), name = path_name(beginning);
	str_vec names = {0}, found = {0};

	console_read_directory(g->console, g->arena, folder, &names);
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], name))
			VEC_PUSH(g->arena, &found,
				str_fmt(g->arena, "%.*s/%.*s", STR_ARG(folder),
					STR_ARG(names.v[i])));
	return str_vec_list(&found);
}

/* ---- new files ------------------------------------------------------------------- */

/* The common prefix of the file names of its test; "" if it is another file. */
static struct str
beginning_of(const struct memcheck_files *f, struct str name)
{
	struct str rest;
	size_t n = f->head.n;

	if (!str_begins(name, f->head))
		return STR("");
	while (n < name.n && name.p[n] >= '0' && name.p[n] <= '9')
		n++;
	rest = str_from(name, n);
	n += f->tail.n;
	return str_begins(rest, f->tail) && n < name.n && name.p[n] == '.'
		       ? str_cut(name.p, n + 1)
		       : STR("");
}

static void
note_file(void *context, struct str name)
{
	struct memcheck_files *f = context;
	struct str beginning = beginning_of(f, name);
	uint32_t at;

	if (!beginning.n)
		return;
	at = map_get(&f->by_beginning, beginning);
	if (at != MAP_NONE) {
		map_set(&f->by_beginning, beginning, SEVERAL);
		return;
	}
	name = str_dup(f->arena, name);
	map_set(&f->by_beginning, str_cut(name.p, beginning.n), (uint32_t)f->names.n);
	VEC_PUSH(f->arena, &f->names, name);
}

/* Files that already exist count as new, too. */
static void
watch_folder(const struct gathering *g, struct str folder)
{
	struct memcheck_files *f = g->files;
	struct arena *scratch = arena_open();
	str_vec all = {0};

	f->is_watched = true;
	f->watch = folder_watch_open(f->arena);
	if (f->watch &&
		!folder_watch_add(f->watch, str_z(scratch, folder), FOLDER_NAMES)) {
		folder_watch_close(f->watch);
		f->watch = NULL;
	}
	if (f->watch)
		console_read_directory(g->console, scratch, folder, &all);
	for (size_t i = 0; i < all.n; i++)
		note_file(f, all.v[i]);
	arena_close(scratch);
}

/* The files of one test, in the folder's order. */
static struct str_list
files_of(const struct gathering *g, struct str beginning)
{
	struct memcheck_files *f = g->files;
	struct str_list one = {NEW(g->arena, struct str), 1};
	uint32_t at;

	if (!f->is_watched)
		watch_folder(g, path_parent(beginning));
	if (!f->watch || !folder_watch_take(f->watch, note_file, f))
		return files_named(g, beginning);
	at = map_get(&f->by_beginning, path_name(beginning));
	if (at == SEVERAL)
		return files_named(g, beginning);
	if (at == MAP_NONE)
		return (struct str_list){0};
	map_set(&f->by_beginning, path_name(beginning), MAP_NONE);
	one.v[0] = path_join(g->arena, path_parent(beginning), f->names.v[at]);
	one.n = path_exists(one.v[0].p);
	return one;
}

/* ---- by kind of place ------------------------------------------------------------ */

static void
gather_file(const struct gathering *g)
{
	struct str path = path_of(g, g->memcheck->tool->log);

	if (path_may_exist(path.p))
		add_file(g, path);
	else
		say_missing(g, path, "");
}

static void
rename_file(const struct gathering *g, struct str path)
{
	struct str to = str_cut(path.p, str_rfind(path, '.'));

	console_fmt(g->console, CHANNEL_ASIDE, "Renaming: %.*s to: %.*s\n", STR_ARG(path),
		STR_ARG(to));
	if (rename(path.p, str_z(g->arena, to)) != 0)
		console_lost_file(g->console, to, errno);
}

static void
gather_files(const struct gathering *g)
{
	struct str path = path_of(g, g->memcheck->tool->log);
	struct str_list files = files_of(g, str_fmt(g->arena, "%.*s.", STR_ARG(path)));

	if (!files.n)
		say_missing(g, path, ".*");
	for (size_t i = 0; i < files.n; i++)
		if (add_file(g, files.v[i]))
			rename_file(g, files.v[i]);
		else
			note_file(g->files, path_name(files.v[i]));
}

static void
gather_listed(const struct gathering *g)
{
	struct str_list lists = files_named(g, path_of(g, "@/DrMemory/#/resfile."));
	struct str text, line;

	for (size_t i = 0; i < lists.n; i++) {
		if (!console_read_file(g->console, g->arena, lists.v[i], &text))
			continue;
		if (str_take_line(&text, &line))
			add_file(g, str_trim(line));
		unlink(lists.v[i].p);
	}
}

/* The file that ctest reports as removed has no number, and never exists. */
static void
gather_xml(const struct gathering *g, struct str name)
{
	struct str path = path_of(g, g->memcheck->tool->log);
	static const char *const removed[] = {
		"@/MemoryChecker.??.DPbd", "@/MemoryChecker.??.log"};

	console_fmt(g->console, CHANNEL_ASIDE,
		"PostProcessBoundsCheckerTest for : %.*s\n", STR_ARG(name));
	if (!path_may_exist(path.p)) {
		say_missing(g, path, "");
		return;
	}
	buf_fmt(g->output, "%s\n", memcheck_bounds_mark);
	add_file(g, path);
	for (size_t i = 0; i < 2; i++)
		console_fmt(g->console, CHANNEL_ASIDE, "Remove: %.*s\n",
			STR_ARG(path_of(g, removed[i])));
}

/* ---- of a run -------------------------------------------------------------------- */

struct memcheck_files *
memcheck_files_open(struct arena *a, const struct memcheck *m, struct console *c)
{
	struct memcheck_files *f = NEW(a, struct memcheck_files);
	struct str name = path_name(str_of(m->tool->log));
	size_t number = str_find(name, '#');

	*f = (struct memcheck_files){.arena = a,
		.memcheck = m,
		.console = c,
		.head = str_cut(name.p, number),
		.tail = str_from(name, number < name.n ? number + 1 : number),
		.by_beginning = map_in(a)};
	return f;
}

void
memcheck_files_gather(
	struct memcheck_files *f, unsigned number, struct str name, struct buf *output)
{
	struct gathering g = {.files = f,
		.memcheck = f->memcheck,
		.console = f->console,
		.arena = output->arena,
		.number = str_fmt(output->arena, "%u", number),
		.output = output};

	INVARIANT(output);
	console_fmt(f->console, CHANNEL_ASIDE, "%u: process test output now: %.*s %.*s\n",
		number, STR_ARG(name), STR_ARG(name));
	console_fmt(f->console, CHANNEL_ASIDE,
		"PostProcessTest memcheck results for : %.*s\n", STR_ARG(name));
	switch (f->memcheck->tool->place) {
	case PLACE_FILE:
		gather_file(&g);
		break;
	case PLACE_FILES:
		gather_files(&g);
		break;
	case PLACE_LISTED:
		gather_listed(&g);
		break;
	case PLACE_XML:
		gather_xml(&g, name);
		break;
	}
}

void
memcheck_files_close(struct memcheck_files *f)
{
	folder_watch_close(f->watch);
}
