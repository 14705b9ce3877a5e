/*
 * Whether one of several regular expressions occurs in a text that comes in pieces: a
 * deterministic automaton whose states are made when they are first needed (a lazy DFA).
 *
 * A state is the set of instructions that wait for the next byte. States and their
 * transitions are stored up to a limit; at the limit all are forgotten. Where too few
 * bytes are read for each state that is made, states are of no use (REGEX_READ_THRASH);
 * regex_bits does without.
 *
 * A DFA may serve several texts in turn; each text has a cursor.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_DFA_H
#define CCTR_RUNNER_REGEX_REGEX_DFA_H

#include "runner/regex/regex_sets.h"

struct regex_dfa;
/* The memory is the arena's, except for the states. sets is borrowed. */
struct regex_dfa *regex_dfa_open(struct arena *arena, struct regex_sets *sets);
void regex_dfa_close(struct regex_dfa *d);

/* Reads on from the cursor, until the result is not REGEX_READ_ALL. *n: before the call
 * the number of bytes there are, after it the number of bytes read. */
enum regex_reading regex_dfa_read(struct regex_dfa *d, struct regex_cursor *c,
	const char *bytes, size_t *n, uint32_t *found);

#endif
