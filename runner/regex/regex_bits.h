/*
 * Whether one of several regular expressions occurs in a text that comes in pieces,
 * without states: the set of instructions that wait is followed from byte to byte as an
 * array of bits (a bit-parallel NFA). The time per byte depends on the expressions, not
 * on the text.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_BITS_H
#define CCTR_RUNNER_REGEX_REGEX_BITS_H

#include "runner/regex/regex_sets.h"

/* With more instructions it is slow. */
enum { REGEX_BITS_MOST = 1024 };

struct regex_bits;
/* The memory is the arena's. sets is borrowed. */
struct regex_bits *regex_bits_new(
	struct arena *a, struct regex_sets *sets, enum regex_width width);

/* As regex_dfa_read; never REGEX_READ_THRASH. */
enum regex_reading regex_bits_read(struct regex_bits *b, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);

#endif
