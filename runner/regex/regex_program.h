/*
 * Regular expressions as a nondeterministic automaton (Thompson): a list of instructions
 * that the Pike VM (regex_pike) and the DFA (regex_dfa) execute.
 *
 * A program may have several expressions, which are numbered; each has a beginning of its
 * own. Instructions that read no byte never form a cycle, since what is repeated is never
 * empty.
 */
#ifndef CCTR_RUNNER_REGEX_REGEX_PROGRAM_H
#define CCTR_RUNNER_REGEX_REGEX_PROGRAM_H

#include "runner/regex/regex_tree.h"

enum regex_op {
	OP_BYTE, /* reads argument, then to */
	OP_SET, /* reads one of sets[argument], then to */
	OP_ANY, /* reads any byte, then to */
	OP_SPLIT, /* to, which is preferred, and argument */
	OP_BEGIN, /* to at the beginning of the text */
	OP_END, /* to at the end of the text */
	OP_SAVE, /* saves the position as argument, then to */
	OP_FOUND, /* expression argument has matched */
};
struct regex_instruction {
	enum regex_op op;
	uint32_t to, argument;
};

struct regex_program {
	const struct regex_instruction *v;
	size_t n;
	const struct byte_set *sets;
	size_t sets_n;
	const uint32_t *begins; /* by expression: where it begins */
	/* by expression: its first instruction, which is OP_FOUND; one more entry has
	 * n. */
	const uint32_t *firsts;
	size_t expressions;
	bool has_end; /* the program has an OP_END */
};

/* with_saves: the positions of the groups are saved, those of group g as 2g and 2g + 1;
 * group 0 is the whole match. */
struct regex_program *regex_program_build(
	struct arena *a, const struct regex_tree *trees, size_t n, bool with_saves);

/* Whether the instruction reads the byte. */
static inline bool
regex_program_reads(const struct regex_program *p, uint32_t at, unsigned char byte)
{
	const struct regex_instruction *i = &p->v[at];

	return i->op == OP_ANY || (i->op == OP_BYTE && i->argument == byte) ||
	       (i->op == OP_SET && byte_set_has(&p->sets[i->argument], byte));
}

#endif
