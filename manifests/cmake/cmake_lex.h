/*
 * CMake's lexical grammar: cmake-language(7). Text in, command invocations out; slices of
 * the file text, nothing is evaluated here.
 *
 * A file may be read piece by piece, so that the tables of a large one need not be there
 * all at once. Yet in CMake a syntax error in the last line keeps the first one from
 * running: who executes a piece must be able to undo it (cmake_eval.c).
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_LEX_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_LEX_H

#include "manifests/cmake/cmake_token.h"
#include "runner/base/diag.h"

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

/* A file between two pieces; a copy of it reads on from there. */
struct cmake_lexer {
	struct tokenizer tokens;
	struct str path;
	struct diag *d;
	bool is_line_start;
	bool shows_nul; /* where it is in the way; else the text of the error has none */
	struct arena *tables;
	struct cmake_file *out;
};

/*
 * path is how messages name the file; text has a NUL behind it. a is for texts that do
 * not stand in the file as they are.
 */
CCTR_MUST_CHECK bool cmake_lexer_open(struct cmake_lexer *l, struct arena *a,
	struct str path, struct str text, struct diag *d);
/*
 * Appends at most so many invocations. false after recording the syntax error as CMake
 * words it. Warnings may be recorded in any case.
 */
CCTR_MUST_CHECK bool cmake_lexer_take(
	struct cmake_lexer *l, struct arena *tables, struct cmake_file *out, size_t most);
bool cmake_lexer_at_end(const struct cmake_lexer *l);
/* The whole of a file. */
CCTR_MUST_CHECK bool cmake_lex(struct arena *a, struct str path, struct str text,
	struct cmake_file *out, struct diag *d);

#endif
