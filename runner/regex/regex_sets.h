/*
 * Sets of the instructions of a program that wait for the next byte of a text: one step
 * over a byte, and cursors, which are such sets at a position of a text. The DFA
 * (regex_dfa) stores sets as states; regex_bits follows them without storing them.
 *
 * Sets are of some neighbouring expressions of a program. Searches are not anchored: a
 * match may begin at any byte.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_SETS_H
#define CCTR_RUNNER_REGEX_REGEX_SETS_H

#include "runner/regex/regex_program.h"

/* Bytes that no expression of a program distinguishes are in one class. */
struct regex_classes {
	unsigned char of[256];
	unsigned n; /* at most 256 */
};
struct regex_classes regex_classes_of(const struct regex_program *p);

#define REGEX_NONE UINT32_MAX

struct regex_sets {
	const struct regex_program *program;
	const struct regex_classes *classes;
	uint32_t from, to; /* expressions */
	/* Sets as bits: bit 0 is the instruction with the number base. */
	uint32_t base, end; /* end: one after the last instruction */
	size_t words;
	uint64_t *waits; /* the instructions that wait for a byte or the end */
	uint64_t *again; /* reached by a match that begins after the first byte */
	uint64_t *seen; /* reached in this step */
	uint32_t *stack;
	/* the instructions that wait after this step, in ascending order */
	uint32_t *set;
	size_t set_n;
	uint32_t found; /* the first expression that has matched in this step */
};

/* For the expressions with the numbers from (included) to to (excluded). program and
 * classes are borrowed. */
struct regex_sets *regex_sets_new(struct arena *a, const struct regex_program *program,
	const struct regex_classes *classes, uint32_t from, uint32_t to);
/* One step from the set v over a byte. The result is in set and found. */
void regex_sets_step(
	struct regex_sets *s, const uint32_t *v, size_t n, unsigned char byte);
/* What the instruction leads to when it has read. The result is in seen and found. */
void regex_sets_follow(struct regex_sets *s, uint32_t at);
static inline bool
regex_sets_has(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

/* Which instructions of a processor may be used, where it has them. */
enum regex_width {
	REGEX_PLAIN, /* those that every processor has */
	REGEX_WIDE, /* for 32 bytes: AVX2 */
	REGEX_WIDEST, /* AVX-512 */
};

/* A position in a text: the instructions that wait there, in ascending order. */
struct regex_cursor {
	struct arena *arena; /* for v */
	uint32_t *v;
	size_t n, cap;
	/* of regex_dfa: the state; valid where the generation is that of the DFA */
	uint32_t row;
	uint64_t generation;
	bool has_read; /* not at the beginning of the text */
};
/* Sets the cursor to the beginning of a text. Returns the first expression that matches
 * the empty text there, or REGEX_NONE. */
uint32_t regex_cursor_begin(struct regex_cursor *c, struct regex_sets *s);
/* The first expression that matches if the text ends at the cursor, or REGEX_NONE. */
uint32_t regex_cursor_end(const struct regex_cursor *c, struct regex_sets *s);
void regex_cursor_set(struct regex_cursor *c, const uint32_t *v, size_t n);
void regex_cursor_copy(struct regex_cursor *c, const struct regex_cursor *of);
/* Keeps only the instructions of the expressions with numbers from from up to, but not
 * including, to. */
void regex_cursor_keep(struct regex_cursor *c, const struct regex_program *p,
	uint32_t from, uint32_t to);
/* Adds a cursor at the same position of the same text; its instructions come after those
 * of c. */
void regex_cursor_append(struct regex_cursor *c, const struct regex_cursor *of);

enum regex_reading {
	REGEX_READ_ALL,
	REGEX_READ_MATCH, /* *found is the first expression that ends here */
	REGEX_READ_DEAD, /* no expression can match any more, whatever text follows */
	REGEX_READ_THRASH, /* states are of no use for this text */
};
/* The result of a step; never REGEX_READ_THRASH. */
enum regex_reading regex_sets_judge(const struct regex_sets *s, uint32_t *found);
/* As regex_dfa_read, step by step, which is slow; never REGEX_READ_THRASH. */
enum regex_reading regex_sets_read(struct regex_sets *s, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);

#endif
