/*
 * Shapes of lines in a memory checker's log. They replace CMake's regular expressions
 * with ".*": matching never goes back, and its time is linear in the line.
 *
 *   *   any text           #   digits and commas, at least one
 *   @   no blank           ^ ~ a capital, a small letter
 *   { } the text between them is taken
 *
 * As with regular expressions, the leftmost place where the shape begins counts, and each
 * '*' takes as much as it can.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_SHAPE_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_SHAPE_H

#include "runner/base/base.h"

/* *taken, which may be NULL, is "" if the shape takes nothing. The line ends at its first
 * NUL. */
bool memcheck_shape_find(const char *shape, struct str line, struct str *taken);

#endif
