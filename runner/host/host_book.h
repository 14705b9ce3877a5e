/*
 * What runs on one machine hold of it, and which of them wait for what, as a text that
 * all of them read and write. Pure.
 *
 * The text has a sum, so that a text that is torn or not one of cctr's is noticed. What
 * follows the text is ignored.
 */
#ifndef CCTR_RUNNER_HOST_HOST_BOOK_H
#define CCTR_RUNNER_HOST_HOST_BOOK_H

#include "runner/base/base.h"

enum { HOST_OWNERS_MOST = 256 };
#define HOST_BYTES_MOST ((size_t)1 << 24)

struct host_claim {
	struct str name; /* type and instance: "gpus 0" */
	uint64_t slots;
	/* Of them: held by tests that wait for leases; leased for fixtures, until these
	 * are cleaned up. */
	uint64_t waiting, staying;
};
/* A piece that one instance has to have. */
struct host_wish {
	struct str type;
	uint64_t slots;
	uint64_t among; /* a sum of the names and slots of all that it may be */
};
/* A run. */
struct host_owner {
	uint64_t slot; /* below HOST_OWNERS_MOST; no two have the same */
	uint64_t pid, start; /* start: of the process, in clock ticks since the boot */
	uint64_t brand; /* runner/process/brand.h; 0: none */
	/* The run waits for what others hold: its turn, the lowest first; 0: it does
	 * not. */
	uint64_t ticket;
	uint64_t overtaken; /* how often others took of what it waits for */
	uint64_t seen_s; /* when a run that waits has last looked, since the boot */
	VEC(struct host_claim) claims;
	VEC(struct host_wish) wishes; /* what it waits for, all together */
};
struct host_book {
	VEC(struct host_owner) owners;
};

/* Printable, without blanks, and not empty: what a name or a type consists of. */
bool host_is_word(struct str s);
/* An empty text is an empty book. Names and types are borrowed. false: it is damaged, and
 * the book is empty. */
bool host_book_read(struct arena *a, struct str text, struct host_book *b);
/* false: it is longer than HOST_BYTES_MOST, and could not be read. */
CCTR_MUST_CHECK bool host_book_write(struct buf *out, const struct host_book *b);
/* NULL: the book does not have it. */
struct host_owner *host_book_find(struct host_book *b, uint64_t slot);
void host_book_drop(struct host_book *b, const struct host_owner *o);
/* A number that is higher than all tickets. */
uint64_t host_book_next_ticket(const struct host_book *b);

#endif
