/*
 * What ctest takes for an error or a warning in the output of a build: regular
 * expressions and exceptions to them, ctest's own behind those of CTEST_CUSTOM_*.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_MATCHERS_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_MATCHERS_H

#include "compat/settings/custom.h"

enum build_line { BUILD_PLAIN, BUILD_WARNING, BUILD_ERROR };

struct build_matchers;
/* *complaint gets what is to be said of bad expressions, which match nothing. */
struct build_matchers *build_matchers_open(
	struct arena *a, const struct custom *custom, struct buf *complaint);
void build_matchers_close(struct build_matchers *m);
/* A line without its end. What is not looked for is not found. */
enum build_line build_matchers_judge(struct build_matchers *m, struct str line,
	bool looks_for_errors, bool looks_for_warnings);
/* The file and the line that a message names, as they are spelled; false: none. */
bool build_matchers_place(
	struct build_matchers *m, struct str message, struct str *file, int *line);
/* The line without what colours it, in *room where there was any. */
struct str build_line_plain(struct buf *room, struct str line);

#endif
