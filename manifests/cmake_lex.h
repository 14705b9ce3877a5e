/*
 * CMake's lexical grammar: cmake-language(7). Text in, command invocations out; slices of
 * the file text, nothing is evaluated here.
 *
 * A whole file is read before its first command runs: a syntax error in the last line
 * keeps the first one from running, as in CMake. The tables can therefore live in an
 * arena that ends with the file, while the text lives as long as what is cut from it.
 */
#ifndef CCTR_MANIFESTS_CMAKE_LEX_H
#define CCTR_MANIFESTS_CMAKE_LEX_H

#include "runner/base.h"
#include "runner/diag.h"

/* A nested "(" or ")" is an unquoted argument, as in CMake. */
enum argument_kind { ARGUMENT_UNQUOTED, ARGUMENT_QUOTED, ARGUMENT_BRACKET };
struct cmake_argument {
	struct str text; /* raw: escapes and references still in it */
	unsigned line;
	uint8_t kind;
	bool is_plain; /* the text is the one value: nothing to expand, nothing to split
			*/
};

enum { INVOCATION_UNRESOLVED = UINT16_MAX };
struct cmake_invocation {
	struct str name; /* as written */
	uint32_t line;
	uint32_t first, n; /* its arguments in cmake_file.arguments */
	uint32_t next; /* of a block's part: how far its next part or its end is */
	uint16_t command; /* index of the builtin, for the evaluator */
};
struct cmake_file {
	struct str path;
	VEC(struct cmake_invocation) calls;
	VEC(struct cmake_argument) arguments;
};

/*
 * false after recording the syntax error as CMake words it. Warnings may be recorded in
 * any case. path is how messages name the file.
 */
CCTR_MUST_CHECK bool cmake_lex(struct arena *a, struct str path, struct str text,
	struct cmake_file *out, struct diag *d);

#endif
