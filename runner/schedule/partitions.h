/*
 * The partitions of a run: parts of its pool, each with tests and processor slots of its
 * own, and what became of them.
 *
 * A test is of the first partition whose filters accept it. A test that none accepts is
 * of a partition without filters that has room for it, of several the one with least to
 * do. At the begin of the run a further partition, "default", has what is left, if some
 * test finds no place elsewhere.
 *
 * A change stops some partitions and starts others, all or nothing. Those that stop are
 * drained: what runs in them goes on, and nothing starts. When nothing runs in them any
 * more, the change is committed: the others get their slices, and tests that wait their
 * new places, which have been found before the change was accepted.
 */
#ifndef CCTR_RUNNER_SCHEDULE_PARTITIONS_H
#define CCTR_RUNNER_SCHEDULE_PARTITIONS_H

#include "runner/schedule/partition_table.h"

#define PARTITION_DEFAULT "default"
#define PARTITION_EACH "all" /* the name of no partition */
/* So many in one run, also those that are no more. */
enum { PARTITIONS_MOST = 256 };

struct partition_change {
	struct str_list stop; /* uids, names, or PARTITION_EACH */
	const struct partition_request *start; /* without a name: the uid is its name */
	size_t start_n;
};

struct partitions *partitions_new(struct arena *a, const struct pool *whole,
	const struct selection *s, size_t parallel);
/* The first ones of the run, which are ACTIVE then. false after diag_error: with the sums
 * that show what does not fit. Warns of what is in no partition. */
CCTR_MUST_CHECK bool partitions_begin(struct partitions *p,
	const struct partition_request *requests, size_t n, struct place at,
	struct diag *d);
/* An attempt of a test of the part has run for so long. */
void partitions_used(struct partitions *p, uint32_t part, const struct properties *t,
	double seconds, bool is_last);
/* The last of that uid or name, at first those that are not final; NULL: there is none.
 */
const struct partition *partitions_find(const struct partitions *p, struct str name);
/* Whether the change would stop it. */
bool partitions_stops(const struct partitions *p, const struct partition_change *c,
	const struct partition *one);
/* life: by node, enum node_life. now_s: since the run has begun. false after a diag_error
 * with the sums: nothing has changed, but that the new partitions are FAILED. true: the
 * new ones are PENDING, and partitions_commit follows when nothing runs in those that are
 * stopping. Warns of what is in no partition. */
CCTR_MUST_CHECK bool partitions_change(struct partitions *p,
	const struct partition_change *c, const unsigned char *life, double now_s,
	struct diag *d);
/* scheduler_parts_changed follows. */
void partitions_commit(struct partitions *p, const unsigned char *life, double now_s);
/* All is as before the change, but that the new partitions are CANCELED. As
 * partitions_commit. */
void partitions_call_off(struct partitions *p, double now_s);
/* The run has ended. */
void partitions_end(struct partitions *p, double now_s);
const char *partition_state_name(enum partition_state s);
/* PARTITION_STATES: there is none of that name. */
enum partition_state partition_state_named(struct str name);
/* How busy its processor slots were while it was ACTIVE, from 0 to 1. */
double partition_utilisation(const struct partition *one, double now_s);
/* Adds one as a member of that name, or of an array (NULL). */
void partition_add_json(struct buf *b, const char *key, const struct partitions *p,
	const struct partition *one, double seconds);
/* Adds the member "partitions". seconds: since the run has begun; of no matter after
 * partitions_end. */
void partitions_add_json(struct buf *b, const struct partitions *p, double seconds);

#endif
