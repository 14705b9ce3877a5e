/*
 * Whether one of several regular expressions occurs in a text that comes in pieces: a
 * deterministic automaton whose states are made when they are first needed (a lazy DFA).
 *
 * A state is the set of instructions that wait for the next byte. States and their
 * transitions are stored up to a limit; at the limit all are forgotten. Where too few
 * bytes are read for each state that is made, the sets are followed without states.
 *
 * A DFA is for some neighbouring expressions of a program and may serve several texts in
 * turn; each text has a cursor. Searches are not anchored: a match may begin at any byte.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_DFA_H
#define CCTR_RUNNER_REGEX_REGEX_DFA_H

#include "runner/regex/regex_program.h"

/* Bytes that no expression of a program distinguishes are in one class. */
struct regex_classes {
	unsigned char of[256];
	unsigned n; /* at most 256 */
};
struct regex_classes regex_classes_of(const struct regex_program *p);

/* A position in a text: the instructions that wait there, in ascending order. */
struct regex_cursor {
	struct arena *arena; /* for v */
	uint32_t *v;
	size_t n, cap;
	uint32_t row; /* the state; valid where the generation is that of the DFA */
	uint64_t generation;
	bool has_read; /* not at the beginning of the text */
};

#define REGEX_NONE UINT32_MAX

struct regex_dfa;
/* For the expressions with the numbers from (included) to to (excluded). program and
 * classes must not change while the DFA is open. */
struct regex_dfa *regex_dfa_open(const struct regex_program *program,
	const struct regex_classes *classes, uint32_t from, uint32_t to);
void regex_dfa_close(struct regex_dfa *d);
bool regex_dfa_is_for(const struct regex_dfa *d, uint32_t from, uint32_t to);

/* Sets the cursor to the beginning of a text. Returns the first expression that matches
 * the empty text there, or REGEX_NONE. */
uint32_t regex_dfa_begin(struct regex_dfa *d, struct regex_cursor *c);

enum regex_reading {
	REGEX_READ_ALL,
	REGEX_READ_MATCH, /* *found is the first expression that ends here */
	REGEX_READ_DEAD, /* no expression can match any more, whatever text follows */
	REGEX_READ_THRASH, /* states are of no use for this text */
};
/* Reads on from the cursor, until the result is not REGEX_READ_ALL. *n: before the call
 * the number of bytes there are, after it the number of bytes read. */
enum regex_reading regex_dfa_read(struct regex_dfa *d, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);
/* As regex_dfa_read without states; never REGEX_READ_THRASH. Quick up to REGEX_BITS_MOST
 * instructions. */
enum { REGEX_BITS_MOST = 1024 };
enum regex_reading regex_dfa_simulate(struct regex_dfa *d, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);
/* The first expression that matches if the text ends at the cursor, or REGEX_NONE. */
uint32_t regex_dfa_end(struct regex_dfa *d, const struct regex_cursor *c);

/* Keeps only the instructions of the expressions with numbers from from up to, but not
 * including, to. */
void regex_cursor_keep(struct regex_cursor *c, const struct regex_program *p,
	uint32_t from, uint32_t to);
/* Adds a cursor at the same position of the same text; its instructions come after those
 * of c. */
void regex_cursor_append(struct regex_cursor *c, const struct regex_cursor *of);
void regex_cursor_copy(struct regex_cursor *c, const struct regex_cursor *of);

#endif
