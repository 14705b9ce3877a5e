/*
 * Where a regular expression matches first, and its groups, in time linear in the text
 * (Pike's virtual machine): all ways to match are followed side by side, in the order of
 * their preference. It finds what a backtracking matcher finds, slower where that is
 * quick, and always.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_PIKE_H
#define CCTR_RUNNER_REGEX_REGEX_PIKE_H

#include "runner/regex/regex_program.h"

#define REGEX_NO_PLACE SIZE_MAX

/* p: one expression, built with saves. The leftmost match at or after from; what is
 * before from still counts for the begin of the text. places: of 2 * (groups + 1)
 * numbers, REGEX_NO_PLACE for a group that took no part. */
bool regex_pike_find(struct arena *scratch, const struct regex_program *p,
	struct str text, size_t from, size_t *places, size_t places_n);

#endif
