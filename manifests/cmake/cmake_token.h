/*
 * The tokens of CMake's language, one after the other, from text that ends with a NUL.
 * Private to the lexer's files.
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_TOKEN_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_TOKEN_H

#include "runner/base/base.h"

enum token_kind {
	TOKEN_SPACE,
	TOKEN_NEWLINE,
	TOKEN_IDENTIFIER,
	TOKEN_LEFT,
	TOKEN_RIGHT,
	TOKEN_UNQUOTED,
	TOKEN_QUOTED,
	TOKEN_BRACKET,
	TOKEN_COMMENT, /* a bracket comment; line comments are no tokens */
	TOKEN_BAD_CHARACTER,
	TOKEN_BAD_BRACKET,
	TOKEN_BAD_STRING,
	TOKEN_KINDS
};
struct token {
	enum token_kind kind;
	struct str text;
	unsigned line, column;
	bool is_plain;
};
/* The position in the text; the next token begins at at. */
struct tokenizer {
	struct arena *a; /* for texts that differ from the file's text */
	const char *from, *at, *end, *line_start;
	unsigned line;
	struct token token;
};

/* The name in messages. */
const char *token_name(enum token_kind kind);
/* false: the text is at its end. */
bool next_token(struct tokenizer *l);

#endif
