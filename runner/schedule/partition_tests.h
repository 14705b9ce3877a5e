/* Which test is of which partition: see partitions.h. */
#ifndef CCTR_RUNNER_SCHEDULE_PARTITION_TESTS_H
#define CCTR_RUNNER_SCHEDULE_PARTITION_TESTS_H

#include "runner/schedule/partition_table.h"

/* One look at all tests that have no partition yet. */
struct partition_tests {
	const struct partitions *p;
	struct arena *scratch;
	struct map known; /* requests -> enum pool_fit */
	uint32_t *of; /* by node; MAP_NONE: none yet */
	double *load; /* by part: processor slots of its tests */
};

/* life: by node, enum node_life; NULL: no test has a partition. */
struct partition_tests partition_tests_begin(const struct partitions *p,
	struct arena *scratch, uint32_t *of, const unsigned char *life);
void partition_tests_give(struct partition_tests *m, node_id node, uint32_t part);
/* Assigns the tests of which of[] is MAP_NONE. *first: one that finds no place. Returns
 * how many do not. */
size_t partition_tests_assign(struct partition_tests *m, node_id *first);
/* Whether the pool would have room for the test if it were not divided. One that it has
 * none for does not run, whichever partition it is of. */
bool partition_tests_could_fit(struct partition_tests *m, node_id node);
/* node: the first of n tests that find no place. */
CCTR_MUST_CHECK bool partition_tests_refuse(const struct partition_tests *m, node_id node,
	size_t n, struct place at, struct diag *d);

const struct properties *partition_tests_properties(
	const struct partitions *p, node_id node);
/* The first one whose filters accept the test; NULL: none. */
const struct partition *partition_tests_named(const struct partitions *p, node_id node);
/* As partition_text, without types that no test asks for. */
struct str partition_tests_text(
	struct arena *a, const struct partitions *p, const struct partition_slice *s);

#endif
