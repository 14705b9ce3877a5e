/*
 * Intel's codecov, if it is the CoverageCommand. profmerge merges the data, then codecov
 * is called for each *.dpi of the build tree, and all of its reports are read after each
 * call.
 */
#include "compat/dashboard/coverage/coverage.h"

#include "compat/dashboard/coverage/coverage_command.h"
#include "runner/base/files.h"

enum { SOURCE_COLUMN = 18, COUNT_COLUMNS = 17, NUMBER_COLUMNS = 7, LEAST_LINE = 12 };

/* "                5      1:text" */
static void
add_line(struct coverage *c, struct source_coverage *s, struct str line)
{
	size_t n = line.n < COUNT_COLUMNS ? line.n : COUNT_COLUMNS;
	struct str behind = str_from(line, n);

	behind.n = behind.n < NUMBER_COLUMNS ? behind.n : NUMBER_COLUMNS;
	coverage_add_count(c, s, coverage_number(behind), str_cut(line.p, n));
}

/* false: the report names no source. */
static bool
read_lines(struct coverage *c, struct str path, struct str text)
{
	struct source_coverage *s;
	struct str line, source;

	if (!str_take_crlf_line(&text, &line) || line.n < SOURCE_COLUMN)
		return false;
	source = str_from(line, SOURCE_COLUMN);
	coverage_say(c, CHANNEL_VERBOSE, "SourceFile: %.*s\n", STR_ARG(source));
	coverage_say(c, CHANNEL_VERBOSE, "lCovFile: %.*s\n", STR_ARG(path));
	if (!source.n)
		return true;
	coverage_say(c, CHANNEL_VERBOSE, "   in lcovFile: %.*s\n", STR_ARG(path));
	coverage_say(c, CHANNEL_VERBOSE, "File is ready, start reading.\n");
	s = coverage_source(c, source);
	while (str_take_crlf_line(&text, &line))
		if (line.n >= LEAST_LINE)
			add_line(c, s, line);
	return true;
}

/* Called once for each file; ctest lists all of them each time. */
static void
say_files(const struct coverage *c, const str_vec *files)
{
	for (size_t i = 0; i < files->n && console_is_verbose(c->in->console); i++)
		coverage_say(c, CHANNEL_VERBOSE, "Found LCOV File: %.*s\n",
			STR_ARG(files->v[i]));
}

static bool
read_report(struct coverage *c, struct str path)
{
	struct arena *scratch = arena_open();
	struct str text;
	bool ok = coverage_file(c, scratch, path, &text) && read_lines(c, path, text);

	if (!ok)
		coverage_say(c, CHANNEL_ERROR,
			"Error while parsing lcov file '%.*s': No source file name "
			"found!\n",
			STR_ARG(path));
	arena_close(scratch);
	return ok;
}

static bool
read_reports(struct coverage *c)
{
	struct str pattern = str_fmt(c->arena, "%.*s/*.LCOV", STR_ARG(c->top));
	str_vec files = {0};

	coverage_say(c, CHANNEL_VERBOSE, "   looking for LCOV files in: %s\n", pattern.p);
	coverage_glob(c, pattern, true, &files);
	for (size_t i = 0; i < files.n; i++) {
		say_files(c, &files);
		if (!read_report(c, files.v[i]))
			return false;
	}
	return true;
}

/* false after a message: there is no profmerge, or it failed. */
static bool
merge_data(struct coverage *c)
{
	struct coverage_command run = {
		.directory = str_z(c->arena, c->binary), .passes = true};

	VEC_PUSH(c->arena, &run.words, STR("profmerge"));
	coverage_command_run(c, &run);
	if (run.has_ended && run.exit_code == 0)
		return true;
	coverage_say(c, CHANNEL_ERROR, "Error while running profmerge.\n");
	coverage_say(c, CHANNEL_ERROR, "Error while finding LCov files.\n");
	return false;
}

static size_t
call_all(struct coverage *c, struct str command, const str_vec *files)
{
	size_t done = 0;

	coverage_say(c, CHANNEL_OUTPUT,
		"   Processing coverage (each . represents one file):\n");
	coverage_say(c, CHANNEL_OUTPUT, "    ");
	for (size_t i = 0; i < files->n && !c->result->interrupted; i++) {
		struct str directory = path_parent(files->v[i]);
		struct coverage_command run = {
			.words = coverage_command_words(c, command),
			.directory = str_z(c->arena, directory),
			.in_c = true};

		coverage_say(c, CHANNEL_OUTPUT, ".");
		coverage_say(
			c, CHANNEL_VERBOSE, "Current coverage dir: %s\n", run.directory);
		if (!coverage_command_call(c, &run, directory, files->v[i]))
			continue;
		if (!read_reports(c))
			return 0;
		coverage_say_progress(c, ++done, files->n);
	}
	return done;
}

size_t
coverage_intel(struct coverage *c)
{
	struct str command = step_key(c->in, "CoverageCommand");
	struct str flags = step_key(c->in, "CoverageExtraFlags");
	struct str pattern = str_fmt(c->arena, "%.*s/*.dpi", STR_ARG(c->binary));
	str_vec files = {0};

	if (!str_is(command, "codecov")) {
		coverage_say(
			c, CHANNEL_VERBOSE, " Not a valid Intel Coverage command.\n");
		return 0;
	}
	coverage_say(c, CHANNEL_VERBOSE, " This is coverage command: %.*s\n",
		STR_ARG(command));
	coverage_say(c, CHANNEL_VERBOSE, " These are coverage command flags: %.*s\n",
		STR_ARG(flags));
	if (!merge_data(c))
		return 0;
	coverage_say(c, CHANNEL_VERBOSE, "   looking for dpi files in: %s\n", pattern.p);
	coverage_say(c, CHANNEL_VERBOSE, "Now searching in: %s\n", pattern.p);
	coverage_list(c, c->binary, ".dpi", &files);
	if (files.n)
		return call_all(c, command, &files);
	coverage_say(c, CHANNEL_VERBOSE, " Cannot find any LCov coverage files.\n");
	return 0;
}
