/*
 * What is covered: lines of sources and how often each ran, filled by the readers and
 * written by coverage_report. Each tool that measures has a reader of its own, in
 * coverage_<tool>.c.
 *
 * A source has no more lines than bytes, so that a count for a line behind them, which no
 * report can show, is not kept, whatever number a file of a tool names.
 */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_H

#include "compat/dashboard/coverage/coverage_labels.h"
#include "compat/dashboard/step/step.h"
#include "runner/regex/match.h"

struct branch_coverage {
	int tested, untested;
};
struct source_coverage {
	struct str path;
	VEC(int) counts; /* COVERAGE_NO_CODE, or how often */
	VEC(struct branch_coverage) branches; /* of lines; none without such data */
	size_t lines; /* that a reader named; counts may have fewer */
	size_t limit; /* of counts */
	size_t own_lines; /* of the file, once they were counted */
	bool was_counted;
};
enum { COVERAGE_NO_CODE = -1 };

struct coverage {
	struct arena *arena;
	struct dashboard *d;
	struct str source, binary; /* directories */
	struct buf log; /* LastCoverage.log */
	size_t errors;
	struct map by_path; /* index into sources */
	VEC(struct source_coverage) sources;
	struct coverage_labels labels;
	struct match_set *patterns;
	struct pattern_list exclude;
	struct coverage_names *names; /* of all files of both trees, once wanted */
};

/* By a tool's name of it; made where it is new. Valid until the next one is. */
struct source_coverage *coverage_source(struct coverage *c, struct str path);
/* The count of a line, from 0; lines before it that are new have no code. NULL: no
 * report has it. */
int *coverage_line(struct coverage *c, struct source_coverage *s, size_t line);
/* The same of a line that is there already, else NULL. */
int *coverage_known_line(struct source_coverage *s, long line);
/* So often more; beyond the end of its int a count goes on at the other one. */
void coverage_count(int *count, int more);
/* The number of a line, from 1, and what a report has before it: a count, or "#" for code
 * that did not run. */
void coverage_add_count(
	struct coverage *c, struct source_coverage *s, int number, struct str front);
/* As many lines as the file has, and more, without code, behind those there are. */
void coverage_add_lines(struct coverage *c, struct source_coverage *s, size_t more);

/* Testing/CoverageInfo; NULL, and said, where it cannot be made. */
const char *coverage_make_directory(struct coverage *c);
void coverage_say(const struct coverage *c, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* Behind the dot of file number n: the end of a line of fifty. */
void coverage_say_progress(const struct coverage *c, size_t n, size_t all);
/* As atoi has it: the low bits of what is too large. */
int coverage_number(struct str text);
/* Reads a file of a tool. false: it is not there, or cannot be read, which is a loss. */
bool coverage_file(
	struct coverage *c, struct arena *a, struct str path, struct str *text);
/* The same; "" where there is no text. */
struct str coverage_read(struct coverage *c, struct str path);
/* path is below the directory, both made normal. */
bool coverage_is_below(struct coverage *c, struct str path, struct str directory);

/* Files in the trees below the directories that the front of "/front/name" stands for,
 * whose names the last part stands for, in the order of the directories; may follow links
 * to directories. */
void coverage_glob(struct coverage *c, struct str pattern, bool follows, str_vec *files);

/* Those right in one directory whose names end so. */
void coverage_list(
	struct coverage *c, struct str directory, const char *ending, str_vec *files);
/* The directories that have a file of a name. */
struct coverage_names;
/* Of the files that the patterns stand for, links followed. */
struct coverage_names *coverage_names_build(
	struct coverage *c, const struct str *patterns, size_t n);
struct str_list coverage_names_find(const struct coverage_names *n, struct str name);

/* Whether a source is reported: not without labels, excluded or marked. Says why not. */
bool coverage_is_wanted(struct coverage *c, struct str path);
/* "./x", the shorter one of what it is below the source and below the build tree, as
 * CDash knows it. */
struct str coverage_short_path(struct coverage *c, struct str path);
/* Short paths of sources that CTEST_EXTRA_COVERAGE_GLOB names and no reader knows. */
struct str_list coverage_uncovered(struct coverage *c);
/* Coverage.xml and CoverageLog-N.xml. false, and said, where they cannot be written. */
bool coverage_report(struct coverage *c, const struct step_call *call);

/* ---- readers --------------------------------------------------------------------- */

/* How many files of their tool there were. */
typedef size_t coverage_reader(struct coverage *c);
coverage_reader coverage_gcov, coverage_intel, coverage_clang, coverage_trace,
	coverage_php, coverage_cobertura, coverage_gtm, coverage_cache, coverage_jacoco,
	coverage_blanket, coverage_delphi;
/* Instead of all these, where COVFILE is set. false: there is no Bullseye. is_good: all
 * was written. */
bool coverage_bullseye(struct coverage *c, const struct step_call *call, bool *is_good);

/* What they read, without the files around it: for tests. */
/* Output of covsrc and of covbr. false: the files cannot be written. */
bool coverage_read_bullseye(struct coverage *c, const struct step_call *call,
	struct str summary, struct str shown);
/* Output of trace.py for one source. */
void coverage_read_trace(struct coverage *c, struct source_coverage *s, struct str text);
/* false: malformed; what is before that counts. */
bool coverage_read_php(struct coverage *c, struct str text);
void coverage_read_gcov(struct coverage *c, struct source_coverage *s, struct str text);
/* A report of codecov; false: it names no source. */
bool coverage_read_lcov(struct coverage *c, struct str path, struct str text);
void coverage_read_clang(struct coverage *c, struct str text);
/* Data of GT.M and of Caché about one routine, which the file is of. */
void coverage_read_gtm(struct coverage *c, struct str routine, struct str text);
void coverage_read_cache(struct coverage *c, struct str routine, struct str text);
void coverage_read_cobertura(struct coverage *c, struct str text);
void coverage_read_jacoco(struct coverage *c, struct str text);
void coverage_read_blanket(struct coverage *c, struct str text);
void coverage_read_delphi(struct coverage *c, struct source_coverage *s, struct str html);

#endif
