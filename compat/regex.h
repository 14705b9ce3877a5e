/*
 * CMake's regular expressions (cmake-commands(7), string(), "Regex Specification";
 * leftmost, '.' matches a newline, '$' only at the very end, no \d, no {n}) in PCRE2's
 * words, and the messages of CMake's compiler for patterns that it refuses.
 */
#ifndef CCTR_COMPAT_REGEX_H
#define CCTR_COMPAT_REGEX_H

#include "runner/match.h"

/* A match_translate. *why is CMake's text, such as "Unmatched parentheses". */
bool regex_translate(struct arena *a, struct str text, struct str *pcre2, struct str *why);

#endif
