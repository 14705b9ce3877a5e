/*
 * Decides which lines of a build's output are errors or warnings: by regular expressions
 * and exceptions, first those of CTEST_CUSTOM_*, then ctest's own.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_MATCHERS_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_MATCHERS_H

#include "compat/settings/custom.h"

enum build_line { BUILD_PLAIN, BUILD_WARNING, BUILD_ERROR };

struct build_matchers;
/* *complaint: messages about bad expressions, which match nothing. */
struct build_matchers *build_matchers_open(
	struct arena *a, const struct custom *custom, struct buf *complaint);
void build_matchers_close(struct build_matchers *m);
/* Judges a line without its end. Reports only the kinds that are looked for. */
enum build_line build_matchers_judge(struct build_matchers *m, struct str line,
	bool looks_for_errors, bool looks_for_warnings);
/* Finds the file and the line that a message names, as spelled. false: none. */
bool build_matchers_place(
	struct build_matchers *m, struct str message, struct str *file, int *line);

#endif
