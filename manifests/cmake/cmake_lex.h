/*
 * CMake's lexical grammar: cmake-language(7). Text in, command invocations out; they are
 * slices of the file's text, and nothing is evaluated here.
 *
 * A file may be read piece by piece, so that the tables of a large file are not needed
 * all at once. But in CMake a syntax error in the last line prevents the first one from
 * running: the caller that executes a piece must be able to undo it (cmake_eval.c).
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_LEX_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_LEX_H

#include "manifests/cmake/cmake_token.h"
#include "runner/base/diag.h"

/* A nested "(" or ")" is an unquoted argument, as in CMake. */
enum argument_kind { ARGUMENT_UNQUOTED, ARGUMENT_QUOTED, ARGUMENT_BRACKET };
struct cmake_argument {
	struct str text; /* raw: with its escapes and references */
	unsigned line;
	uint8_t kind;
	/* the text is the only value: nothing to expand, nothing to split */
	bool is_plain;
};

enum { INVOCATION_UNRESOLVED = UINT16_MAX };
struct cmake_invocation {
	struct str name; /* as written */
	uint32_t line;
	uint32_t first, n; /* the range of its arguments in cmake_file.arguments */
	/* of a part of a block: the distance to its next part or its end */
	uint32_t next;
	uint16_t command; /* index of the builtin, for the evaluator */
};
struct cmake_file {
	struct str path;
	VEC(struct cmake_invocation) calls;
	VEC(struct cmake_argument) arguments;
};

/* A file between two pieces; a copy of it continues from the same position. */
struct cmake_lexer {
	struct tokenizer tokens;
	struct str path;
	struct diag *d;
	bool is_line_start;
	bool is_fatal; /* the syntax error ends all evaluation, not this file alone */
	/* a NUL is shown where it is wrong; else the text of the error omits it */
	bool shows_nul;
	struct arena *tables;
	struct cmake_file *out;
};

/*
 * path is the file's name in messages; text ends with a NUL. a is for texts that differ
 * from the file's text.
 */
CCTR_MUST_CHECK bool cmake_lexer_open(struct cmake_lexer *l, struct arena *a,
	struct str path, struct str text, struct diag *d);
/*
 * Appends at most most invocations. false after recording the syntax error in CMake's
 * words. Warnings may be recorded in any case.
 */
CCTR_MUST_CHECK bool cmake_lexer_take(
	struct cmake_lexer *l, struct arena *tables, struct cmake_file *out, size_t most);
bool cmake_lexer_at_end(const struct cmake_lexer *l);

#endif
