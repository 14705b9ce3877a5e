/*
 * Shapes of lines, where a memory checker's log is told apart by what CMake spells as
 * regular expressions with ".*" in them: found without ever going back, in a time that
 * grows as the line does.
 *
 *   *   any text           #   digits and commas, at least one
 *   @   no blank           ^ ~ a capital, a small letter
 *   { } what is taken between them
 *
 * As with regular expressions the first place counts where the shape begins, and each
 * '*' takes as much as it can.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_SHAPE_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_SHAPE_H

#include "runner/base/base.h"

/* *taken, which may be NULL, is "" where the shape takes nothing. The line is read up to
 * its first NUL. */
bool memcheck_shape_find(const char *shape, struct str line, struct str *taken);

#endif
