/*
 * CMake's regular expressions (cmake-commands(7), string(), "Regex Specification") as
 * trees: leftmost, the first alternative that leads to a match; '.' matches a newline,
 * '^' and '$' stand for the two ends of the text wherever they are written, a backslash
 * makes any character itself (no \d), '{' is a character, at most nine groups.
 */
#ifndef CCTR_COMPAT_FORMAT_REGEX_H
#define CCTR_COMPAT_FORMAT_REGEX_H

#include "runner/regex/match.h"

/* A match_parse. On failure *why is what ctest prints on standard output, with its
 * newlines: "RegularExpression::compile(): Unmatched parentheses.\n" and a second line.
 */
bool regex_parse(
	struct arena *a, struct str text, struct regex_tree *tree, struct str *why);

#endif
