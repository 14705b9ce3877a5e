/*
 * Writes counts to Coverage.xml, with a row for each source, and to CoverageLog-N.xml,
 * with the lines of sources.
 */
#include "compat/dashboard/coverage/coverage.h"

#include <time.h>

#include "compat/dashboard/coverage/coverage_log.h"
#include "compat/dashboard/step/site.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"

struct loc {
	size_t tested, untested;
	size_t branches_tested, branches_untested;
};
struct coverage_writer {
	struct coverage *c;
	struct coverage_summary summary;
	struct coverage_log log;
	struct loc total;
	str_vec errors;
};

static void
note_error(struct coverage_writer *w, const char *what, struct str path)
{
	VEC_PUSH(w->c->arena, &w->errors,
		str_fmt(w->c->arena, "%s%.*s", what, STR_ARG(path)));
}

/* false: the source has fewer lines than counts. */
static bool
add_counted_lines(struct coverage_writer *w, const struct source_coverage *s,
	struct str *text, struct loc *loc)
{
	for (size_t i = 0; i < s->lines; i++) {
		int count = i < s->counts.n ? s->counts.v[i] : COVERAGE_NO_CODE;
		const struct branch_coverage *branches =
			i < s->branches.n ? &s->branches.v[i] : NULL;
		struct str line = STR("");

		if (!str_take_crlf_line(text, &line) && i + 1 != s->lines) {
			note_error(w, "Problem reading source file: ",
				str_fmt(w->c->arena, "%.*s line:%zu  out total: %zu",
					STR_ARG(s->path), i, s->lines - 1));
			return false;
		}
		coverage_log_line(&w->log.xml, i, count, branches, line);
		loc->tested += count > 0;
		loc->untested += count == 0;
		loc->branches_tested += branches ? (size_t)branches->tested : 0;
		loc->branches_untested += branches ? (size_t)branches->untested : 0;
	}
	return true;
}

/* ---- Coverage.xml ---------------------------------------------------------------- */

/* For a source without data ctest writes only "0". */
static void
add_shares(struct xml *x, const struct loc *loc)
{
	float all = (float)(loc->tested + loc->untested);

	site_double(x, "PercentCoverage",
		all > 0 ? (double)(100 * ((float)loc->tested / all)) : 0);
	site_double(x, "CoverageMetric",
		all > 0 ? (double)((float)(loc->tested + 10) / (all + 10)) : 0);
}

static void
add_summary(struct coverage_writer *w, struct str path, struct str below,
	const struct loc *loc, bool has_data)
{
	struct xml *x = &w->summary.xml;
	bool is_covered = !has_data || loc->tested + loc->untested > 0;

	coverage_log_file(x, path, below);
	xml_attribute(x, "Covered", is_covered ? STR("true") : STR("false"));
	site_number(x, "LOCTested", (int64_t)loc->tested);
	site_number(x, "LOCUnTested", (int64_t)loc->untested);
	if (has_data && w->c->in->dialect->has[DIALECT_COVERAGE_BRANCHES]) {
		site_number(x, "BranchesTested", (int64_t)loc->branches_tested);
		site_number(x, "BranchesUnTested", (int64_t)loc->branches_untested);
	}
	if (has_data) {
		add_shares(x, loc);
	} else {
		site_text(x, "PercentCoverage", STR("0"));
		site_text(x, "CoverageMetric", STR("0"));
	}
	coverage_add_labels(w->c, x, path);
	xml_close(x);
}

/* ---- sources --------------------------------------------------------------------- */

/* false after noting that it cannot be opened. */
static bool
open_source(struct coverage_writer *w, struct str path, struct str *text)
{
	const char *z = path_in(w->log.scratch, w->c->in->directory, path);

	if (file_read(w->log.scratch, z, text))
		return true;
	note_error(w, "Cannot open source file: ", path);
	w->c->errors++;
	return false;
}

static void
add_to_total(struct coverage_writer *w, const struct loc *loc)
{
	w->total.tested += loc->tested;
	w->total.untested += loc->untested;
}

static void
add_source(struct coverage_writer *w, const struct source_coverage *s)
{
	struct coverage *c = w->c;
	struct str below = coverage_short_path(c, s->path), text;
	struct loc loc = {0};
	bool is_open;

	coverage_say(c, CHANNEL_VERBOSE, "Actually performing coverage for: %.*s\n",
		STR_ARG(s->path));
	coverage_log_file(&w->log.xml, s->path, below);
	xml_open(&w->log.xml, "Report");
	is_open = open_source(w, s->path, &text);
	if (is_open) {
		if (!add_counted_lines(w, s, &text, &loc))
			c->errors++;
		else if (text.n)
			note_error(w,
				"Looks like there are more lines in the file: ", s->path);
	}
	xml_close(&w->log.xml);
	xml_close(&w->log.xml);
	if (!is_open)
		return;
	add_summary(w, s->path, below, &loc, true);
	add_to_total(w, &loc);
}

/* Adds a source that the globs match and no reader knows: all its lines are untested. */
static void
add_uncovered(struct coverage_writer *w, struct str below)
{
	struct coverage *c = w->c;
	struct str path =
		str_fmt(c->arena, "%.*s/%.*s", STR_ARG(c->source), STR_ARG(below));
	struct loc loc = {0};
	struct str text, line;
	bool is_open;

	coverage_log_file(&w->log.xml, path, below);
	xml_open(&w->log.xml, "Report");
	is_open = open_source(w, path, &text);
	if (is_open)
		coverage_say(c, CHANNEL_VERBOSE,
			"Actually performing coverage for: %.*s\n", STR_ARG(below));
	while (is_open && str_take_crlf_line(&text, &line))
		coverage_log_line(&w->log.xml, loc.untested++, 0, NULL, line);
	xml_close(&w->log.xml);
	xml_close(&w->log.xml);
	if (!is_open)
		return;
	add_summary(w, path, below, &loc, false);
	add_to_total(w, &loc);
}

/* true: the source must be reported, and it exists. */
static bool
is_reported(struct coverage *c, struct str path)
{
	if (!coverage_is_wanted(c, path)) {
		coverage_say(c, CHANNEL_VERBOSE,
			".NoDartCoverage found, so skip coverage check for: %.*s\n",
			STR_ARG(path));
		return false;
	}
	coverage_say(c, CHANNEL_VERBOSE, "Process file: %.*s\n", STR_ARG(path));
	if (path_exists(step_path(c->in, path)))
		return true;
	coverage_say(c, CHANNEL_ERROR, "Cannot find file: %.*s\n", STR_ARG(path));
	return false;
}

SORT_BY(sort_sources, struct source_coverage, TEXTUAL(path))

static void
add_sources(struct coverage_writer *w)
{
	struct coverage *c = w->c;
	unsigned in_log = 0;

	sort_sources(c->sources.v, c->sources.n);
	for (size_t i = 0; i < c->sources.n; i++) {
		coverage_say(c, CHANNEL_OUTPUT, ".");
		coverage_say_progress(c, i + 1, c->sources.n);
		if (!is_reported(c, c->sources.v[i].path))
			continue;
		if (++in_log % SOURCES_PER_LOG == 0) {
			coverage_log_close(&w->log);
			coverage_log_open(&w->log);
		}
		add_source(w, &c->sources.v[i]);
	}
}

/* ---- the end --------------------------------------------------------------------- */

static void
say_errors(const struct coverage_writer *w)
{
	if (!w->errors.n)
		return;
	coverage_say(w->c, CHANNEL_ERROR, "\n");
	coverage_say(w->c, CHANNEL_ERROR, "Error(s) while accumulating results:\n");
	for (size_t i = 0; i < w->errors.n; i++)
		coverage_say(w->c, CHANNEL_ERROR, "  %.*s\n", STR_ARG(w->errors.v[i]));
}

/* Printed even under QUIET. */
static void
say_total(struct coverage_writer *w, double percent)
{
	struct coverage *c = w->c;
	size_t tested = w->total.tested, untested = w->total.untested;
	struct str text = str_fmt(c->arena,
		"\tCovered LOC:         %zu\n\tNot covered LOC:     %zu\n"
		"\tTotal LOC:           %zu\n\tPercentage Coverage: %.2f%%\n",
		tested, untested, tested + untested, percent);

	buf_str(&c->log, text);
	console_fmt(c->in->console, CHANNEL_OUTPUT, "\n%.*s", STR_ARG(text));
}

static bool
finish_report(struct coverage_writer *w)
{
	double all = (double)(w->total.tested + w->total.untested);
	double percent = all > 0 ? 100 * ((double)w->total.tested / all) : 0;
	bool ok = coverage_summary_close(&w->summary, (int64_t)w->total.tested,
		(int64_t)w->total.untested, percent);

	say_total(w, percent);
	return ok && !w->log.is_bad;
}

bool
coverage_report(struct coverage *c)
{
	struct coverage_writer w = {.c = c, .log = {.c = c}};
	struct str_list uncovered;

	coverage_summary_open(&w.summary, c, time(NULL), 2);
	uncovered = coverage_uncovered(c);
	/* This file is written last, but sent first. */
	step_note_file(c->in, c->result, step_file_name(c->in, "Coverage"));
	coverage_log_open(&w.log);
	coverage_say(c, CHANNEL_OUTPUT, "\n");
	coverage_say(c, CHANNEL_OUTPUT,
		"   Accumulating results (each . represents one file):\n");
	coverage_say(c, CHANNEL_OUTPUT, "    ");
	add_sources(&w);
	for (size_t i = 0; i < uncovered.n; i++)
		add_uncovered(&w, uncovered.v[i]);
	coverage_log_close(&w.log);
	say_errors(&w);
	return finish_report(&w);
}
