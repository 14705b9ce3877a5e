/*
 * A regular expression as a tree, independent of its syntax: made by a parser
 * (compat/regex), read by the automata (regex_program) and written for PCRE2.
 *
 * Expressions are about bytes. Alternatives and repetitions have an order: the first that
 * leads to a match is preferred, and a repetition prefers one more round. What is
 * repeated by '*' or '+' is never empty.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_TREE_H
#define CCTR_RUNNER_REGEX_REGEX_TREE_H

#include "runner/base/base.h"

struct byte_set {
	uint64_t words[4];
};

static inline void
byte_set_add(struct byte_set *s, unsigned char byte)
{
	s->words[byte / 64] |= UINT64_C(1) << byte % 64;
}

static inline bool
byte_set_has(const struct byte_set *s, unsigned char byte)
{
	return s->words[byte / 64] >> byte % 64 & 1;
}

enum regex_kind {
	REGEX_BYTE,
	REGEX_SET,
	REGEX_ANY, /* any byte */
	REGEX_BEGIN, /* the beginning of the text */
	REGEX_END, /* the end of the text */
	REGEX_SEQUENCE, /* of its children, perhaps none */
	REGEX_ALTERNATIVES, /* its children */
	REGEX_GROUP, /* its child, which is remembered */
	REGEX_OPTIONAL, /* its child, or nothing */
	REGEX_STAR, /* its child, any number of times */
	REGEX_PLUS, /* its child, at least once */
};

struct regex_node {
	enum regex_kind kind;
	unsigned char byte; /* of REGEX_BYTE */
	unsigned char group; /* of REGEX_GROUP, from 1 */
	union {
		const struct byte_set *set; /* of REGEX_SET, not empty */
		struct regex_node *child; /* the first child, of a node with children */
	};
	struct regex_node *next; /* the next child of the same parent */
};

struct regex_tree {
	const struct regex_node *root;
	unsigned groups;
};

/* The same expression for PCRE2, with the option PCRE2_DOTALL. */
struct str regex_tree_pcre2(struct arena *a, const struct regex_tree *t);

#endif
