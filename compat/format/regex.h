/*
 * CMake's regular expressions (cmake-commands(7), string(), "Regex Specification") as
 * trees. The leftmost match and the first alternative that matches win; '.' matches a
 * newline; '^' and '$' are the two ends of the text wherever they are written; a
 * backslash makes any character literal (no \d); '{' is a literal character; at most nine
 * groups.
 */
#ifndef CCTR_COMPAT_FORMAT_REGEX_H
#define CCTR_COMPAT_FORMAT_REGEX_H

#include "runner/regex/match.h"

/* A match_parse. false: *why is what ctest prints on standard output, with newlines:
 * "RegularExpression::compile(): Unmatched parentheses.\n" and a second line. */
bool regex_parse(
	struct arena *a, struct str text, struct regex_tree *tree, struct str *why);

#endif
