/*
 * The coverage step: readers collect the results of coverage tools, and write
 * Coverage.xml and CoverageLog-N.xml. See step.h and coverage.h.
 */
#include "compat/dashboard/step/step.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/regex.h"
#include "compat/format/unix_path.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

/* In ctest's order. */
static coverage_reader *const readers[] = {
	coverage_gcov,
	coverage_intel,
	coverage_clang,
	coverage_trace,
	coverage_php,
	coverage_cobertura,
	coverage_gtm,
	coverage_cache,
	coverage_jacoco,
	coverage_blanket,
	coverage_delphi,
};

/* Removes the files of an earlier step with this tag. */
static void
remove_old_logs(struct coverage *c)
{
	struct str directory = path_join(c->arena, c->binary,
		str_fmt(c->arena, "Testing/%.*s", STR_ARG(c->in->stamp.tag)));
	str_vec names = {0};

	console_read_directory(c->in->console, c->arena, directory, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct str path;

		if (!str_begins(names.v[i], STR("CoverageLog")))
			continue;
		path = path_join(c->arena, directory, names.v[i]);
		if (path_is_directory(path.p))
			continue;
		buf_fmt(&c->log, "Removing old coverage log: %s\n", path.p);
		if (unlink(path.p) != 0 && !error_is_absence(errno))
			console_lost_file(c->in->console, path, errno);
	}
}

static bool
write_log(struct coverage *c)
{
	const struct step_input *in = c->in;
	struct str path = step_log(in, "Coverage");

	if (directory_make(c->arena, str_z(c->arena, path_parent(path))) &&
		file_write(c->arena, path.p, ".tmp", buf_as_str(&c->log)))
		return true;
	console_say(
		in->console, CHANNEL_ERROR, STR("Cannot create LastCoverage.log file\n"));
	return false;
}

/* ctest prints the start by a clock that began with the machine. */
static void
begin_log(struct coverage *c)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	buf_fmt(&c->log, "Performing coverage: %lld%09ld\n", (long long)now.tv_sec,
		now.tv_nsec);
}

/* A pattern that does not compile excludes nothing; ctest reports it each time. */
static void
take_patterns(struct coverage *c)
{
	const struct str_list *texts = &c->in->custom->coverage_exclude;
	const struct pattern **patterns =
		NEW_ARRAY(c->arena, const struct pattern *, texts->n);

	c->patterns = match_set_open(c->arena, regex_parse);
	for (size_t i = 0; i < texts->n; i++) {
		struct str why;

		patterns[i] = match_set_get(c->patterns, texts->v[i], &why);
		if (why.n)
			console_raw(c->in->console, why);
	}
	c->exclude = (struct pattern_list){patterns, texts->n};
}

static bool
run_readers(struct coverage *c)
{
	size_t files = 0;

	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		files += readers[i](c);
	/* Files that only globs find were not covered. */
	if (files || c->in->custom->coverage_globs.n)
		return coverage_report(c) && c->errors == 0;
	coverage_say(c, CHANNEL_WARNING,
		" Cannot find any coverage files. Ignoring Coverage request.\n");
	c->result->value = (int)c->errors;
	return true;
}

static bool
run_coverage(struct coverage *c)
{
	const char *covfile = getenv("COVFILE");
	bool ok = true;

	coverage_labels_load(c, step_values(&c->in->call, "LABELS"));
	begin_log(c);
	remove_old_logs(c);
	coverage_say(c, CHANNEL_OUTPUT, "Performing coverage\n");
	take_patterns(c);
	if (!covfile || !*covfile) {
		coverage_say(c, CHANNEL_VERBOSE,
			" COVFILE environment variable not found, not running  "
			"bullseye\n");
		ok = run_readers(c);
	} else if (!coverage_bullseye(c, &ok)) {
		ok = run_readers(c);
	}
	return write_log(c) && ok;
}

static bool
cover(const struct step_input *in, struct step_result *r)
{
	struct arena *a = arena_open();
	struct coverage c = {.arena = a,
		.in = in,
		.result = r,
		.source = unix_slashes(a, in->dialect, step_key(in, "SourceDirectory")),
		.binary = unix_slashes(a, in->dialect, step_key(in, "BuildDirectory")),
		.top = in->binary,
		.log = {.arena = a},
		.by_path = map_in(a),
		.run = command_run};
	bool ok = true;

	if (c.binary.n)
		ok = run_coverage(&c);
	else
		console_say(in->console, CHANNEL_ERROR,
			STR("Binary directory is not set.  No coverage checking will be "
			    "performed.\n"));
	if (c.patterns)
		match_set_close(c.patterns);
	arena_close(a);
	return ok || step_fail(r);
}

bool
step_coverage(const struct step_input *in, struct step_result *r)
{
	return !step_has_time(in->options) || cover(in, r);
}
