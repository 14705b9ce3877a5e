/*
 * The meaning of CMake's texts wherever they come from: lists (cmake-language(7),
 * "Lists") and the constants of if().
 */
#ifndef CCTR_RUNNER_CMAKELANG_CMAKE_TEXT_H
#define CCTR_RUNNER_CMAKELANG_CMAKE_TEXT_H

#include "runner/base/base.h"
#include "runner/base/environment.h"

/* Splits at ';' outside of [...]; "\;" gives ';'. Empty elements are kept only if asked.
 */
struct str_list cmake_list_split(struct arena *a, struct str s, bool keep_empty);
/* The constants of if(<constant>): 1 ON YES TRUE Y, any case. */
bool cmake_is_on(struct str s);
/* 0 OFF NO FALSE N IGNORE "", any case; NOTFOUND and *-NOTFOUND in capitals only. */
bool cmake_is_off(struct str s);

/* Writes a quoted argument that every CMake reads as s, whatever the policies are. */
void cmake_quote(struct buf *b, struct str s);
/* Writes a command that sets the variable, whatever the value is: PARENT_SCOPE as a value
 * must not be read as an option of set(). */
void cmake_set(struct buf *b, struct str name, struct str value);
/* Writes a command for each change: set(ENV{X}), unset(ENV{X}). */
void cmake_set_environment(
	struct buf *b, const struct environment_change *changes, size_t n);
/* Writes a command that includes the file; the file keeps the policies of the file around
 * it. */
void cmake_include(struct buf *b, struct str file);

#endif
