/*
 * CMake's lexical grammar: cmake-language(7). Text in, command invocations out; slices of
 * the file text, nothing is evaluated here.
 */
#ifndef CCTR_MANIFESTS_CMAKE_LEX_H
#define CCTR_MANIFESTS_CMAKE_LEX_H

#include "runner/base.h"
#include "runner/diag.h"

enum argument_kind { ARGUMENT_UNQUOTED, ARGUMENT_QUOTED, ARGUMENT_BRACKET, ARGUMENT_PAREN };
struct cmake_argument {
	enum argument_kind kind;
	struct str text; /* raw: escapes and references still in it */
	unsigned line;
};
struct cmake_invocation {
	struct str name; /* as written */
	unsigned line;
	struct cmake_argument *arguments; /* nested "(" and ")" are ARGUMENT_PAREN */
	size_t n;
};
struct cmake_file {
	struct str path;
	struct cmake_invocation *v;
	size_t n;
};
/* false after recording the syntax error as CMake words it; what came before it is kept. */
bool cmake_lex(struct arena *a, struct str path, struct str text, struct cmake_file *out,
	struct diag *d);

#endif
