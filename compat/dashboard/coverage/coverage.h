/*
 * Coverage data: lines of sources and how often each ran. Readers fill it, and
 * coverage_report writes it. Each coverage tool has its own reader, in coverage_<tool>.c.
 *
 * A source has no more lines than bytes. A count for a line beyond that cannot be in a
 * report, so it is not kept, whatever number a tool's file names.
 */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_H

#include "compat/dashboard/step/step.h"
#include "runner/process/command.h"
#include "runner/regex/match.h"

struct branch_coverage {
	int tested, untested;
};
struct source_coverage {
	struct str path;
	VEC(int) counts; /* COVERAGE_NO_CODE, or how often the line ran */
	VEC(struct branch_coverage) branches; /* of lines; empty without such data */
	size_t lines; /* named by a reader; counts may have fewer */
	size_t limit; /* of counts */
	size_t own_lines; /* of the file, after they were counted */
	bool was_counted;
};
enum { COVERAGE_NO_CODE = -1 };

struct coverage {
	struct arena *arena;
	const struct step_input *in;
	struct step_result *result;
	struct str source, binary; /* directories */
	/* The build directory of ctest_start, which has the files of most tools even if
	 * the step works in another one. */
	struct str top;
	struct buf log; /* LastCoverage.log */
	size_t errors;
	struct map by_path; /* index into sources */
	VEC(struct source_coverage) sources;
	struct coverage_labels *labels;
	struct match_set *patterns;
	struct pattern_list exclude;
	struct coverage_names *names; /* of all files in both trees; made when needed */
	command_runner *run; /* calls the programs of tools */
};

/* The source with a tool's name for it; made if it is new. Valid until the next one is
 * made. */
struct source_coverage *coverage_source(struct coverage *c, struct str path);
/* The count of a line, from 0. New lines before it have no code. NULL: no report can have
 * it. */
int *coverage_line(struct coverage *c, struct source_coverage *s, size_t line);
/* The count of a line that exists, else NULL. */
int *coverage_known_line(struct source_coverage *s, long line);
/* Sets the count of line number, from 1, if it exists. */
void coverage_set_count(struct source_coverage *s, int number, int count);
/* Adds more to *count; beyond the largest int it wraps around. */
void coverage_count(int *count, int more);
/* Adds the entry of a report for line number, from 1. front: the text before the number,
 * a count, or "#" for code that did not run. */
void coverage_add_count(
	struct coverage *c, struct source_coverage *s, int number, struct str front);
/* Appends as many lines without code as the file has, and `more`. */
void coverage_add_lines(struct coverage *c, struct source_coverage *s, size_t more);

/* The path from the root, without "." and "..". */
struct str coverage_full_path(struct coverage *c, struct str path);
/* Testing/CoverageInfo, where tools write. */
struct str coverage_directory(struct coverage *c);
void coverage_say(const struct coverage *c, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* After the dot of file number n: ends a line of fifty. */
void coverage_say_progress(const struct coverage *c, size_t n, size_t all);
/* Like atoi: the low bits of a number that is too large. */
int coverage_number(struct str text);
/* Reads a file of a tool. false: it does not exist, or it cannot be read, which is a
 * loss. */
bool coverage_file(
	struct coverage *c, struct arena *a, struct str path, struct str *text);
/* Reads a file of a tool; "": there is no text. */
struct str coverage_read(struct coverage *c, struct str path);
struct xml_events;
/* Reads XML, and reports a syntax error; what comes before it counts. */
void coverage_read_xml(
	struct coverage *c, struct str text, const struct xml_events *events);
/* true: path is below directory, after both are normalized. */
bool coverage_is_below(struct coverage *c, struct str path, struct str directory);

/* Finds files for the pattern "/front/name": in the trees below the directories that
 * match the front, files whose names match the last part, in the order of the
 * directories. follows: also through links to directories. */
void coverage_glob(struct coverage *c, struct str pattern, bool follows, str_vec *files);

/* Files in directory (not below it) whose names end with ending. */
void coverage_list(
	struct coverage *c, struct str directory, const char *ending, str_vec *files);
/* Maps a file name to the directories that have such a file. */
struct coverage_names;
/* Of the files that match the patterns, with links followed. */
struct coverage_names *coverage_names_build(
	struct coverage *c, const struct str *patterns, size_t n);
struct str_list coverage_names_find(const struct coverage_names *n, struct str name);

/* Reads the labels of targets and sources: CMakeFiles/TargetDirectories.txt names the
 * directories of targets, and each directory's Labels.txt gives the labels of the target
 * and of its sources. */
void coverage_labels_load(struct coverage *c, struct str_list filter);
/* Directories of targets that have a requested label, or a source with one, sorted by
 * name. */
struct str_list coverage_target_directories(struct coverage *c);
/* true: the source has a requested label. */
bool coverage_has_label(struct coverage *c, struct str path);
struct xml;
/* Writes the labels of the source, if it has any. */
void coverage_add_labels(struct coverage *c, struct xml *x, struct str path);

/* true: the source is reported; not if it lacks labels, is excluded or marked. Prints why
 * not. */
bool coverage_is_wanted(struct coverage *c, struct str path);
/* "./x": the path relative to the source tree or to the build tree, whichever is shorter,
 * as CDash expects it. */
struct str coverage_short_path(struct coverage *c, struct str path);
/* Short paths of sources that CTEST_EXTRA_COVERAGE_GLOB matches and no reader knows. */
struct str_list coverage_uncovered(struct coverage *c);
/* Writes Coverage.xml and CoverageLog-N.xml. false after a message: they cannot be
 * written. */
bool coverage_report(struct coverage *c);

/* ---- readers --------------------------------------------------------------------- */

/* Returns how many files of the tool it found. */
typedef size_t coverage_reader(struct coverage *c);
coverage_reader coverage_gcov, coverage_intel, coverage_clang, coverage_trace,
	coverage_php, coverage_cobertura, coverage_gtm, coverage_cache, coverage_jacoco,
	coverage_blanket, coverage_delphi;
/* Replaces all these if COVFILE is set. false: there is no Bullseye. *is_good: everything
 * was written. */
bool coverage_bullseye(struct coverage *c, bool *is_good);

#endif
