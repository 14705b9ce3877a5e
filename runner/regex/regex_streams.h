/*
 * Whether one of several regular expressions occurs in a text that comes in pieces,
 * without states: each instruction has a stream of bits, one for each byte of a block,
 * and a few operations on streams follow an instruction over the whole block (parallel
 * bit streams). The time per byte depends on the number of instructions, and on how many
 * rounds of a loop one block has.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_STREAMS_H
#define CCTR_RUNNER_REGEX_REGEX_STREAMS_H

#include "runner/regex/regex_sets.h"

enum {
	/* Of so many instructions and less; others need too much memory. */
	REGEX_STREAMS_MOST = 1 << 14,
	/* Shorter pieces take as long as one of so many bytes. */
	REGEX_STREAMS_PIECE = 2048,
};

struct regex_streams;
/* NULL: streams would be slow. The memory is the arena's. sets is borrowed. */
struct regex_streams *regex_streams_new(
	struct arena *a, struct regex_sets *sets, enum regex_width width);

/* As regex_dfa_read. REGEX_READ_THRASH: loops have too many rounds for this text. */
enum regex_reading regex_streams_read(struct regex_streams *s, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);

#endif
