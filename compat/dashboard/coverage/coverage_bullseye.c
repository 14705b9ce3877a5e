/*
 * Bullseye, used instead of all other tools if COVFILE is set: covsrc prints how many
 * functions and branches of each source were covered, covbr prints the lines. A function
 * counts as a hundred lines.
 *
 *   "src/a.c",1,2,50%,3,4,75%
 */
#include "compat/dashboard/coverage/coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "compat/dashboard/coverage/coverage_command.h"
#include "compat/dashboard/coverage/coverage_log.h"
#include "compat/dashboard/step/site.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/process/command.h"

enum { LINES_PER_FUNCTION = 100 };

struct covered {
	struct str name; /* as covsrc prints it */
	struct str path;
	int functions_called, functions, functions_percent;
	int branches_covered, branches, branches_percent;
};
struct bullseye {
	struct coverage *c;
	struct coverage_summary summary;
	struct map names; /* of sources; index into paths, or EXCLUDED */
	str_vec paths;
	long tested, untested;
	float percent; /* of all sources */
};
#define EXCLUDED (MAP_NONE - 1)

/* ---- the two tools --------------------------------------------------------------- */

static bool
keep_output(struct coverage *c, const char *tool, const char *ending, struct str text)
{
	struct str path = str_fmt(c->arena, "%.*s/Testing/Temporary/%.*s-%s.%s",
		STR_ARG(c->binary), STR_ARG(c->in->stamp.tag), tool, ending);

	if (directory_make(c->arena, str_z(c->arena, path_parent(path))) &&
		file_write(c->arena, path.p, ".tmp", text))
		return true;
	console_lost_file(c->in->console, path, errno);
	return false;
}

/* false after a message: there is no such tool, or it cannot be run, or its output cannot
 * be kept. Its exit code does not matter. */
static bool
run_tool(struct coverage *c, const char *tool, const char *argument, struct str *output)
{
	struct coverage_command command = {.is_silent = true};
	struct str path, line;

	command_locate(c->arena, str_of(tool), step_path(c->in, STR(".")), &path);
	if (!path.p) {
		coverage_say(c, CHANNEL_ERROR, "Cannot find :%s\n", tool);
		return false;
	}
	line = str_fmt(c->arena, "%s%s%s", path.p, argument ? " " : "",
		argument ? argument : "");
	coverage_say(c, CHANNEL_VERBOSE, "Run : %s\n", line.p);
	VEC_PUSH(c->arena, &command.words, path);
	if (argument)
		VEC_PUSH(c->arena, &command.words, str_of(argument));
	coverage_command_run(c, &command);
	*output = command.output;
	if (!keep_output(c, tool, "stdout", command.output) ||
		!keep_output(c, tool, "stderr", command.errors))
		return false;
	if (!command.was_started)
		coverage_say(c, CHANNEL_ERROR,
			"Could not run : %s\nkwsys process state : 1", line.p);
	return command.was_started;
}

/* ---- covsrc ---------------------------------------------------------------------- */

/* The number up to the next comma; *at moves past the comma. */
static int
take_number(struct str line, size_t *at)
{
	struct str field = str_from(line, *at < line.n ? *at : line.n);

	field.n = str_find(field, ',');
	*at += field.n + 1;
	return coverage_number(field);
}

/* A name loses its first and last character, quotes or not. As in ctest, a line without
 * a comma repeats the line before. */
static void
parse_line(struct coverage *c, struct str line, struct covered *s)
{
	size_t at = str_find(line, ',');

	if (at == line.n) {
		coverage_say(
			c, CHANNEL_ERROR, "Error parsing string : %.*s\n", STR_ARG(line));
		return;
	}
	s->name = str_dup(
		c->arena, at < 2 ? str_from(line, 1) : str_cut(line.p + 1, at - 2));
	at++;
	s->functions_called = take_number(line, &at);
	s->functions = take_number(line, &at);
	s->functions_percent = take_number(line, &at);
	s->branches_covered = take_number(line, &at);
	s->branches = take_number(line, &at);
	s->branches_percent = take_number(line, &at);
	if (at <= line.n)
		coverage_say(c, CHANNEL_ERROR,
			"Error parsing input : %.*s last pos not npos =  %zu\n",
			STR_ARG(line), at);
}

static float
percent_of(const struct covered *s)
{
	float percent = (float)((int64_t)s->branches_percent + s->functions_percent);

	return s->branches > 0 ? percent / 2 : percent;
}

static void
log_source(struct bullseye *b, const struct covered *s, struct str line)
{
	buf_fmt(&b->c->log,
		"%.*s\n%.*s\nfunctionsCalled: %d\ntotalFunctions: %d\n"
		"percentFunction: %d\nbranchCovered: %d\ntotalBranches: %d\n"
		"percentBranch: %d\npercentCoverage: %g\ncoverage metric: %g\n",
		STR_ARG(line), STR_ARG(path_name(s->path)),
		s->functions_called / LINES_PER_FUNCTION,
		s->functions / LINES_PER_FUNCTION, s->functions_percent,
		s->branches_covered, s->branches, s->branches_percent, (double)b->percent,
		(double)(percent_of(s) / 100));
}

static void
add_source(struct bullseye *b, const struct covered *s)
{
	struct xml *x = &b->summary.xml;
	long called = s->functions_called, missed = s->functions - called;

	xml_open(x, "File");
	xml_attribute(x, "Name", s->name);
	xml_attribute(x, "FullPath", coverage_short_path(b->c, s->path));
	xml_attribute(x, "Covered", percent_of(s) > 0 ? STR("true") : STR("false"));
	site_number(x, "BranchesTested", s->branches_covered);
	site_number(x, "BranchesUnTested", (int64_t)s->branches - s->branches_covered);
	site_number(x, "FunctionsTested", called);
	site_number(x, "FunctionsUnTested", missed);
	site_number(x, "LOCTested", called * LINES_PER_FUNCTION);
	site_number(x, "LOCUnTested", missed * LINES_PER_FUNCTION);
	site_double(x, "PercentCoverage", (double)percent_of(s));
	site_double(x, "CoverageMetric", (double)(percent_of(s) / 100));
	coverage_add_labels(b->c, x, s->path);
	xml_close(x);
}

static void
take_line(struct bullseye *b, struct str line, struct covered *s)
{
	struct coverage *c = b->c;

	parse_line(c, line, s);
	if (str_is(s->name, "Source") || str_is(s->name, "Total"))
		return;
	s->path = path_join(c->arena, c->binary, s->name);
	if (!coverage_is_wanted(c, s->path)) {
		map_set(&b->names, s->name, EXCLUDED);
		coverage_say(c, CHANNEL_VERBOSE,
			".NoDartCoverage found, so skip coverage check for: %.*s\n",
			STR_ARG(s->path));
		return;
	}
	coverage_say(c, CHANNEL_VERBOSE, "Doing coverage for: %.*s\n", STR_ARG(s->path));
	map_set(&b->names, s->name, (uint32_t)b->paths.n);
	VEC_PUSH(c->arena, &b->paths, s->path);
	b->tested += s->functions_called;
	b->untested += (long)s->functions - s->functions_called;
	b->percent += percent_of(s);
	log_source(b, s, line);
	add_source(b, s);
}

static bool
read_summary(struct bullseye *b, struct str summary, int64_t started_s)
{
	struct covered source = {.name = STR("")};
	struct str line;

	coverage_summary_open(&b->summary, b->c, started_s, 0);
	while (str_take_crlf_line(&summary, &line))
		if (line.n)
			take_line(b, line, &source);
	return coverage_summary_close(&b->summary, b->tested, b->untested,
		b->paths.n ? (double)(b->percent / (float)b->paths.n) : 0);
}

static bool
run_covsrc(struct bullseye *b, int64_t started_s)
{
	struct str output;

	coverage_say(b->c, CHANNEL_VERBOSE, " run covsrc with COVFILE=[%s]\n",
		getenv("COVFILE"));
	if (run_tool(b->c, "covsrc", "-c", &output))
		return read_summary(b, output, started_s);
	coverage_say(b->c, CHANNEL_ERROR, "error running covsrc:\n");
	return false;
}

/* ---- covbr ----------------------------------------------------------------------- */

static const char *const legend[] = {
	"    Coverage produced by bullseye covbr tool: ",
	"      www.bullseye.com/help/ref_covbr.html",
	"    * An arrow --> indicates incomplete coverage.",
	"    * An X indicates a function that was invoked, a switch label that ",
	"      was exercised, a try-block that finished, or an exception handler ",
	"      that was invoked.",
	"    * A T or F indicates a boolean decision that evaluated true or false,",
	"      respectively.",
	"    * A t or f indicates a boolean condition within a decision if the ",
	"      condition evaluated true or false, respectively.",
	"    * A k indicates a constant decision or condition.",
	"    * The slash / means this probe is excluded from summary results. ",
};

struct lines {
	struct bullseye *b;
	struct coverage_log log;
	bool is_open; /* a source is being written */
	size_t line;
	size_t sources; /* as ctest counts them */
};

static void
add_line(struct lines *l, struct str text)
{
	coverage_log_line(&l->log.xml, l->line++, -1, NULL, text);
}

static void
end_source(struct lines *l)
{
	if (l->is_open) {
		xml_close(&l->log.xml);
		xml_close(&l->log.xml);
	}
	l->is_open = false;
}

/* A log that begins counts as a source. */
static void
begin_source(struct lines *l, struct str name, struct str path)
{
	struct coverage *c = l->b->c;
	struct xml *x = &l->log.xml;

	if (l->sources && l->sources % SOURCES_PER_LOG == 0) {
		coverage_say(
			c, CHANNEL_VERBOSE, "start a new log file: %zu\n", l->sources++);
		coverage_log_close(&l->log);
		coverage_log_open(&l->log);
	}
	coverage_say(c, CHANNEL_VERBOSE, "Produce coverage for file: %.*s %zu\n",
		STR_ARG(name), ++l->sources);
	xml_open(x, "File");
	xml_attribute(x, "Name", name);
	xml_attribute(x, "FullPath", coverage_short_path(c, path));
	xml_open(x, "Report");
	l->is_open = true;
	l->line = 0;
	for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
		add_line(l, str_of(legend[i]));
}

/* "src/a.c:" begins the lines of a source. */
static void
take_shown(struct lines *l, struct str line)
{
	uint32_t known = MAP_NONE;
	struct str name = line;

	if (line.n && line.p[line.n - 1] == ':') {
		name.n--;
		known = map_get(&l->b->names, name);
	}
	if (known == MAP_NONE) {
		if (l->is_open)
			add_line(l, line);
		return;
	}
	end_source(l);
	if (known != EXCLUDED)
		begin_source(l, name, l->b->paths.v[known]);
}

/* Writes into the open log, and closes it. */
static bool
read_lines(struct lines *l, struct str text)
{
	struct str line;

	while (str_take_crlf_line(&text, &line))
		take_shown(l, line);
	end_source(l);
	coverage_log_close(&l->log);
	return !l->log.is_bad;
}

static bool
show_lines(struct bullseye *b)
{
	struct coverage *c = b->c;
	struct lines l = {.b = b, .log = {.c = c}};
	struct str output;

	coverage_log_open(&l.log);
	coverage_say(c, CHANNEL_VERBOSE, "run covbr: \n");
	if (!run_tool(c, "covbr", NULL, &output)) {
		coverage_say(c, CHANNEL_ERROR, "error running covbr for.\n");
		coverage_log_drop(&l.log);
		return true;
	}
	coverage_say(c, CHANNEL_VERBOSE,
		"covbr output in  %.*s/Testing/Temporary/%.*s-covbr.stdout\n",
		STR_ARG(c->binary), STR_ARG(c->in->stamp.tag));
	return read_lines(&l, output);
}

bool
coverage_bullseye(struct coverage *c, bool *is_good)
{
	struct bullseye b = {.c = c, .names = map_in(c->arena)};
	bool has_run = run_covsrc(&b, time(NULL));

	INVARIANT(is_good);
	if (has_run)
		*is_good = show_lines(&b);
	else
		coverage_say(c, CHANNEL_ERROR, "Error running bullseye summary.\n");
	return has_run;
}
