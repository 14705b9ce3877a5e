/*
 * The first match of a regular expression and its groups, in time linear in the text
 * (Pike's virtual machine): all ways to match are followed side by side, in the order of
 * preference. The result is that of a backtracking matcher. It is slower where
 * backtracking is quick, but its time is bounded.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_PIKE_H
#define CCTR_RUNNER_REGEX_REGEX_PIKE_H

#include "runner/regex/regex_program.h"

#define REGEX_NO_PLACE SIZE_MAX

/* p: one expression, built with saves. Finds the leftmost match at or after from; text
 * before from still counts for the beginning of the text. places: 2 * (groups + 1)
 * numbers, REGEX_NO_PLACE for a group that did not take part. */
bool regex_pike_find(struct arena *scratch, const struct regex_program *p,
	struct str text, size_t from, size_t *places, size_t places_n);

#endif
