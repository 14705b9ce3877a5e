/*
 * gcov: called for each data file beside the objects of targets. Its output names the
 * sources, and the files with their lines that it wrote. Two families of versions use
 * different words.
 */
#include "compat/dashboard/coverage/coverage.h"

#include "compat/dashboard/coverage/coverage_command.h"
#include "compat/format/unix_path.h"
#include "runner/base/files.h"

/* The kinds of lines in gcov's output. */
enum gcov_line {
	GCOV_OLD_SOURCE,
	GCOV_OLD_FILE,
	GCOV_SOURCE,
	GCOV_SHARE,
	GCOV_FILE,
	GCOV_EOF,
	GCOV_UNREADABLE,
	GCOV_NEWER,
	GCOV_LINES
};

/* family: its number in ctest's message about a line of the other one. */
static const struct {
	const char *pattern;
	int family;
} forms[GCOV_LINES] = {
	[GCOV_OLD_SOURCE] =
		{"[0-9]+\\.[0-9]+% of [0-9]+ (source |)lines executed in file "
		 "(.*)$",
			1},
	[GCOV_OLD_FILE] = {"^Creating (.*\\.gcov)\\.", 1},
	[GCOV_SOURCE] = {"^File *[`'](.*)'$", 2},
	[GCOV_SHARE] = {"Lines executed: *[0-9]+\\.[0-9]+% of [0-9]+$", 2},
	[GCOV_FILE] = {"^(.*)reating [`'](.*\\.gcov)'", 2},
	[GCOV_EOF] = {"^(.*):unexpected EOF *$", 2},
	[GCOV_UNREADABLE] = {"^(.*):cannot open source file*$", 2},
	[GCOV_NEWER] = {"^(.*):source file is newer than graph file `(.*)'$", 2},
};

/* Lives as long as all calls of gcov: the current source stays between them. */
struct gcov {
	struct coverage *c;
	const char *directory; /* where it runs */
	const struct pattern *forms[GCOV_LINES];
	int family; /* 0: not known yet */
	struct str named; /* a source that has not been looked for */
	struct str source; /* in one of the trees; "" if not found */
	struct map missing;
};

/* ---- the files that it writes ---------------------------------------------------- */

/* "        3:    1:text" */
static void
add_line(struct coverage *c, struct source_coverage *s, struct str line)
{
	int number = coverage_number(str_cut(line.p + 10, line.n < 15 ? line.n - 10 : 5));

	coverage_add_count(c, s, number, str_cut(line.p, 12));
}

static void
read_lines(struct coverage *c, struct source_coverage *s, struct str text)
{
	struct str line;

	while (str_take_crlf_line(&text, &line))
		if (line.n >= 12)
			add_line(c, s, line);
}

static void
read_file(struct gcov *g, struct str name)
{
	struct coverage *c = g->c;
	struct source_coverage *s = coverage_source(c, g->source);
	struct str path = path_join(c->arena, str_of(g->directory), name), text;
	struct arena *scratch = arena_open();

	coverage_say(c, CHANNEL_VERBOSE, "   in gcovFile: %.*s\n", STR_ARG(name));
	if (coverage_file(c, scratch, path, &text))
		read_lines(c, s, text);
	else
		coverage_say(c, CHANNEL_ERROR, "Cannot open file: %.*s\n", STR_ARG(name));
	arena_close(scratch);
	g->source = STR("");
}

/* ---- its output ------------------------------------------------------------------ */

static void
say_missing(struct gcov *g)
{
	struct coverage *c = g->c;

	if (!map_add(&g->missing, g->named))
		return;
	coverage_say(c, CHANNEL_VERBOSE,
		"Something went wrong\nCannot find file: [%.*s]\n in source dir: [%.*s]\n"
		" or binary dir: [%zu]\n",
		STR_ARG(g->named), STR_ARG(c->source), c->binary.n);
	buf_fmt(&c->log,
		"  Something went wrong. Cannot find file: %.*s in source dir: %.*s or "
		"binary dir: %.*s\n",
		STR_ARG(g->named), STR_ARG(c->source), STR_ARG(c->binary));
}

/* Decides whether the named source is in one of the trees. */
static void
look_for(struct gcov *g)
{
	struct coverage *c = g->c;
	struct str path = path_join(c->arena, str_of(g->directory), g->named);
	bool in_source = coverage_is_below(c, path, c->source);

	if (in_source || coverage_is_below(c, path, c->binary)) {
		coverage_say(c, CHANNEL_VERBOSE, "   produced %c: %.*s\n",
			in_source ? 's' : 'b', STR_ARG(g->named));
		buf_fmt(&c->log, "  produced in %s dir: %.*s\n",
			in_source ? "source" : "binary", STR_ARG(g->named));
		g->source = path;
	} else {
		say_missing(g);
	}
	g->named = STR("");
}

static enum gcov_line
recognise_line(const struct gcov *g, struct str line, struct match *m)
{
	int form = 0;

	while (form < GCOV_LINES && !match_find(g->forms[form]->matcher, line, 0, m))
		form++;
	return (enum gcov_line)form;
}

static void
warn_of_line(const struct gcov *g, enum gcov_line form, const struct match *m)
{
	struct str a = m->groups[1], b = m->groups[2];

	if (form == GCOV_EOF)
		coverage_say(g->c, CHANNEL_WARNING, "Warning: %.*s had unexpected EOF\n",
			STR_ARG(a));
	else if (form == GCOV_UNREADABLE)
		coverage_say(g->c, CHANNEL_WARNING, "Warning: Cannot open file: %.*s\n",
			STR_ARG(a));
	else
		coverage_say(g->c, CHANNEL_WARNING,
			"Warning: File: %.*s is newer than %.*s\n", STR_ARG(a),
			STR_ARG(b));
}

static void
take_unknown(struct gcov *g, struct str line)
{
	if (str_is(line, "No executable lines") || str_begins(line, STR("Removing ")))
		return;
	coverage_say(
		g->c, CHANNEL_ERROR, "Unknown gcov output line: [%.*s]\n", STR_ARG(line));
	g->c->errors++;
}

/* false: the line is of the other family; later lines do not count. */
static bool
take_line(struct gcov *g, struct str line)
{
	struct match m = {0};
	enum gcov_line form = recognise_line(g, line, &m);
	struct str file = STR("");

	if (form == GCOV_LINES) {
		take_unknown(g, line);
		return true;
	}
	if (g->family && g->family != forms[form].family) {
		coverage_say(g->c, CHANNEL_ERROR, "Unknown gcov output style e%d\n",
			(int)form + 1);
		g->c->errors++;
		return false;
	}
	g->family = forms[form].family;
	if (form == GCOV_OLD_SOURCE || form == GCOV_SOURCE) {
		g->named = str_dup(g->c->arena, m.groups[form == GCOV_SOURCE ? 1 : 2]);
		g->source = STR("");
	} else if (form == GCOV_OLD_FILE || form == GCOV_FILE) {
		file = m.groups[form == GCOV_FILE ? 2 : 1];
	} else if (form != GCOV_SHARE) {
		warn_of_line(g, form, &m);
	}
	if (file.n && g->source.n)
		read_file(g, file);
	if (g->named.n)
		look_for(g);
	return true;
}

static void
take_output(struct gcov *g, struct str text)
{
	struct str line;

	while (str_take_crlf_line(&text, &line))
		if (line.n && !take_line(g, line))
			return;
}

/* ---- calls ----------------------------------------------------------------------- */

/* false: gcov did not end by itself. */
static bool
call_gcov(struct gcov *g, struct str command, struct str file)
{
	struct coverage *c = g->c;
	struct str directory = unix_directory(c->arena, c->in->dialect, file);
	struct coverage_command run = {.words = coverage_command_words(c, command),
		.directory = g->directory,
		.in_c = true};

	VEC_PUSH(c->arena, &run.words, STR("-o"));
	VEC_PUSH(c->arena, &run.words, directory);
	VEC_PUSH(c->arena, &run.words, file);
	if (!coverage_command_call(c, &run, directory, file))
		return false;
	take_output(g, run.output);
	return true;
}

static void
find_files(struct coverage *c, str_vec *files)
{
	struct str_list directories = coverage_target_directories(c);

	for (size_t i = 0; i < directories.n; i++) {
		const char *d = step_path(c->in, directories.v[i]);

		coverage_say(c, CHANNEL_VERBOSE, "   globbing for coverage in: %.*s\n",
			STR_ARG(directories.v[i]));
		coverage_glob(c, str_fmt(c->arena, "%s/*.da", d), false, files);
		coverage_glob(c, str_fmt(c->arena, "%s/*.gcda", d), false, files);
	}
}

static size_t
call_all(struct gcov *g, struct str command, const str_vec *files)
{
	struct coverage *c = g->c;
	size_t done = 0;

	for (size_t i = 0; i < GCOV_LINES; i++)
		g->forms[i] = match_set_get(c->patterns, str_of(forms[i].pattern), NULL);
	coverage_say(c, CHANNEL_OUTPUT,
		"   Processing coverage (each . represents one file):\n");
	coverage_say(c, CHANNEL_OUTPUT, "    ");
	for (size_t i = 0; i < files->n && !c->result->interrupted; i++) {
		coverage_say(c, CHANNEL_OUTPUT, ".");
		if (call_gcov(g, command, files->v[i]))
			coverage_say_progress(c, ++done, files->n);
	}
	return done;
}

/* false after a message: gcov has no place for its files. */
static bool
make_directory(struct coverage *c, const char *path)
{
	if (directory_make(c->arena, path))
		return true;
	coverage_say(c, CHANNEL_ERROR, "Unable to make directory: %s\n", path);
	console_note_loss(c->in->console);
	c->errors++;
	return false;
}

size_t
coverage_gcov(struct coverage *c)
{
	struct str command = step_key(c->in, "CoverageCommand");
	struct gcov g = {.c = c, .missing = map_in(c->arena)};
	str_vec files = {0};

	if (!command.n)
		coverage_say(c, CHANNEL_VERBOSE, "Could not find gcov.\n");
	if (!command.n || str_is(command, "codecov"))
		return 0;
	find_files(c, &files);
	if (!files.n) {
		coverage_say(
			c, CHANNEL_VERBOSE, " Cannot find any GCov coverage files.\n");
		return 0;
	}
	g.directory = coverage_directory(c).p;
	return make_directory(c, g.directory) ? call_all(&g, command, &files) : 0;
}
