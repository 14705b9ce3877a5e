/*
 * What a run may take of its pool beside other runs, and what it writes into their book.
 * Pure: the pool and the book in, what others hold and a new book out.
 *
 * Instances have names that all runs of the machine share: the number of a processor, the
 * UUID or the address of a GPU, else the id in the pool.
 *
 * Order: a run takes what is free. A run that waits only for what others hold has a
 * ticket. It is overtaken when others start a test that needs some of a type that it
 * waits for. After HOST_PATIENCE times it is due: others leave it what it waits for where
 * there is a place for it, else all of these types. Runs that are due go by their
 * tickets. Who starts a test of such a type gets a new ticket, the last one. So each run
 * has its turn.
 *
 * A run with partitions has the instances of its whole pool here. What other runs leave
 * of an instance is for all partitions that have some of it, as far as their slots reach;
 * which of them takes it is up to the scheduler.
 *
 * Tests that wait for leases keep what they hold, and so do fixtures until their
 * cleanups: all of them are idle. A run whose place would be where idle tests are has no
 * turn, since they may wait for what would be kept. Where it may have other instances
 * than this run, as in a partition, its place counts as there.
 */
#ifndef CCTR_RUNNER_HOST_HOST_CLAIMS_H
#define CCTR_RUNNER_HOST_HOST_CLAIMS_H

#include "runner/host/host_book.h"
#include "runner/schedule/scheduler.h"

/* silent: a run that has not looked for so long keeps nothing for its turn. */
enum { HOST_PATIENCE = 2, HOST_SILENT_S = 5 };

struct host_claims;
/* whole: what p has been divided from; NULL: p is not divided. */
struct host_claims *host_claims_new(
	struct arena *a, struct pool *p, const struct pool *whole);
/* Tells the scheduler what others hold, or what is kept for them. own: in the book. */
void host_claims_feed(struct host_claims *c, const struct host_book *b,
	const struct host_owner *own, uint64_t now_s, struct scheduler *s);
/* Tells it that nothing is free. */
void host_claims_feed_nothing(struct host_claims *c, struct scheduler *s);
/* Tells it that others hold nothing. */
void host_claims_feed_all(struct host_claims *c, struct scheduler *s);
/* Writes what is held of the pool now, and what the run waits for, into the book, whose
 * own texts are in the arena. done: what the scheduler has decided; NULL: it was not
 * asked. true: others who wait may get something now. */
bool host_claims_note(struct host_claims *c, struct arena *a, struct host_book *b,
	struct host_owner *own, uint64_t now_s, struct scheduler *s,
	const struct action *done);

#endif
