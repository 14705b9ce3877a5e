/*
 * Whether one of several regular expressions occurs in a text that comes in pieces: a
 * deterministic automaton whose states are made when they are first needed (a lazy DFA).
 *
 * A state is the set of instructions that wait for the next byte. States are remembered,
 * with what each byte leads to, up to a limit; at the limit all are forgotten. Where more
 * states are made than bytes are read in them, the sets are followed without states.
 *
 * A DFA is for some neighbouring expressions of a program and may serve several texts in
 * turn; each has a cursor. Not every search is anchored: a match may begin at any byte.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_DFA_H
#define CCTR_RUNNER_REGEX_REGEX_DFA_H

#include "runner/regex/regex_program.h"

/* Bytes that no expression of a program tells apart are in one class. */
struct regex_classes {
	unsigned char of[256];
	unsigned n; /* at most 256 */
};
struct regex_classes regex_classes_of(const struct regex_program *p);

/* A place in a text: the instructions that wait there, in ascending order. */
struct regex_cursor {
	struct arena *arena; /* for v */
	uint32_t *v;
	size_t n, cap;
	uint32_t row; /* the state, where the generation is the DFA's */
	uint64_t generation;
	bool has_read; /* not at the begin of the text */
};

#define REGEX_NONE UINT32_MAX

struct regex_dfa;
/* Of the expressions from (included) to to (excluded). program and classes stay as they
 * are while the DFA is open. */
struct regex_dfa *regex_dfa_open(const struct regex_program *program,
	const struct regex_classes *classes, uint32_t from, uint32_t to);
void regex_dfa_close(struct regex_dfa *d);
bool regex_dfa_is_for(const struct regex_dfa *d, uint32_t from, uint32_t to);

/* The begin of a text. The first expression that matches the empty text there, or
 * REGEX_NONE. */
uint32_t regex_dfa_begin(struct regex_dfa *d, struct regex_cursor *c);

enum regex_reading {
	REGEX_READ_ALL,
	REGEX_READ_MATCH, /* *found is the first of the expressions that end here */
	REGEX_READ_DEAD, /* no expression can match any more, whatever follows */
	REGEX_READ_THRASH, /* states are of no use for this text */
};
/* Reads on from the cursor, until something else than REGEX_READ_ALL is to be said. *n:
 * first the number of bytes there are, then of those that were read. */
enum regex_reading regex_dfa_read(struct regex_dfa *d, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);
/* The same without states; never REGEX_READ_THRASH. Quick up to a number of
 * instructions. */
enum { REGEX_BITS_MOST = 1024 };
enum regex_reading regex_dfa_simulate(struct regex_dfa *d, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);
/* The first expression that matches if the text ends at the cursor, or REGEX_NONE. */
uint32_t regex_dfa_end(struct regex_dfa *d, const struct regex_cursor *c);

/* Only the instructions of expressions from and behind, before to, stay. */
void regex_cursor_keep(struct regex_cursor *c, const struct regex_program *p,
	uint32_t from, uint32_t to);
/* Of the same place in the same text; its instructions come after those of c. */
void regex_cursor_append(struct regex_cursor *c, const struct regex_cursor *of);
void regex_cursor_copy(struct regex_cursor *c, const struct regex_cursor *of);

#endif
