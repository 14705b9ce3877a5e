/*
 * Files that a checker numbers by process are taken as the folder names them, one after
 * the other, and are then called as the one of a checker with one file: ctest(1). See
 * memcheck_files.h.
 */
#include "compat/memcheck/memcheck_files.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "compat/console.h"
#include "runner/files.h"

struct gathering {
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

/* Not the bytes but the word for them: nothing of an empty text is left. */
static bool
add_file(const struct gathering *g, struct str path)
{
	struct str text;

	if (file_read(g->arena, str_z(g->arena, path), &text)) {
		add_lines(g->output, text);
		return true;
	}
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

/* The files of a folder whose names begin so, in the folder's order. */
static struct str_list
files_named(struct arena *a, struct str beginning)
{
	struct str folder = path_parent(beginning), name = path_name(beginning);
	DIR *d = opendir(str_z(a, folder));
	const struct dirent *entry;
	str_vec found = {0};

	while (d && (entry = readdir(d)))
		if (str_begins(str_of(entry->d_name), name))
			VEC_PUSH(a, &found,
				str_fmt(a, "%.*s/%s", STR_ARG(folder), entry->d_name));
	if (d)
		closedir(d);
	return str_vec_list(&found);
}

/* ---- by kind of place ----------------------------------------------------------------
 */

static void
gather_file(const struct gathering *g)
{
	struct str path = path_of(g, g->memcheck->tool->log);

	if (path_exists(path.p))
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
	(void)rename(path.p, str_z(g->arena, to));
}

static void
gather_files(const struct gathering *g)
{
	struct str path = path_of(g, g->memcheck->tool->log);
	struct str_list files =
		files_named(g->arena, str_fmt(g->arena, "%.*s.", STR_ARG(path)));

	if (!files.n)
		say_missing(g, path, ".*");
	for (size_t i = 0; i < files.n; i++)
		if (add_file(g, files.v[i]))
			rename_file(g, files.v[i]);
}

static void
gather_listed(const struct gathering *g)
{
	struct str_list lists =
		files_named(g->arena, path_of(g, "@/DrMemory/#/resfile."));
	struct str text, line;

	for (size_t i = 0; i < lists.n; i++) {
		if (!file_read(g->arena, lists.v[i].p, &text))
			continue;
		if (str_take_line(&text, &line))
			add_file(g, str_trim(line));
		unlink(lists.v[i].p);
	}
}

/* What ctest says that it removes has no number, and is never there. */
static void
gather_xml(const struct gathering *g, struct str name)
{
	struct str path = path_of(g, g->memcheck->tool->log);
	static const char *const removed[] = {
		"@/MemoryChecker.??.DPbd", "@/MemoryChecker.??.log"};

	console_fmt(g->console, CHANNEL_ASIDE,
		"PostProcessBoundsCheckerTest for : %.*s\n", STR_ARG(name));
	if (!path_exists(path.p)) {
		say_missing(g, path, "");
		return;
	}
	buf_fmt(g->output, "%s\n", memcheck_bounds_mark);
	add_file(g, path);
	for (size_t i = 0; i < 2; i++)
		console_fmt(g->console, CHANNEL_ASIDE, "Remove: %.*s\n",
			STR_ARG(path_of(g, removed[i])));
}

void
memcheck_gather(const struct memcheck *m, struct console *c, unsigned number,
	struct str name, struct buf *output)
{
	struct gathering g = {.memcheck = m,
		.console = c,
		.arena = output->arena,
		.number = str_fmt(output->arena, "%u", number),
		.output = output};

	console_fmt(c, CHANNEL_ASIDE, "%u: process test output now: %.*s %.*s\n", number,
		STR_ARG(name), STR_ARG(name));
	console_fmt(c, CHANNEL_ASIDE, "PostProcessTest memcheck results for : %.*s\n",
		STR_ARG(name));
	switch (m->tool->place) {
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
