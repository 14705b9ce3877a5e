/*
 * The tokens of CMake's language: one after the other, from text that has a NUL behind
 * it. Private to the lexer's files.
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
/* Where in the text it stands; what it reads next is at at. */
struct tokenizer {
	struct arena *a; /* of texts that are not as they stand in the file */
	const char *from, *at, *end, *line_start;
	unsigned line;
	struct token token;
};

/* As messages call it. */
const char *token_name(enum token_kind kind);
/* false: the text is at its end. */
bool next_token(struct tokenizer *l);

#endif
