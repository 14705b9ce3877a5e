/*
 * How long tests took in earlier runs of a build tree: cctr's own record, from which
 * expected times come. ctest's cost data does not tell: it averages declared costs in,
 * and is reset by failures and by serial runs.
 *
 * The record is a text file, cctr-timings.txt, with a line "microseconds runs name" for
 * each test. The record is an estimate, so that no loss of it fails a run: it is
 * reported, and the run goes on without.
 */
#ifndef CCTR_RUNNER_RUN_TIMINGS_H
#define CCTR_RUNNER_RUN_TIMINGS_H

#include "runner/run/report.h"
#include "runner/schedule/expected.h"

struct test_time {
	struct str name;
	uint64_t mean_us;
	unsigned runs; /* passed runs in the mean, at most 8; 0: the last run failed */
	bool is_of_run; /* of the run that is being recorded */
};
struct timings {
	struct arena *arena;
	struct map known; /* name -> index into v */
	VEC(struct test_time) v;
};

/* Reads the record in the directory. A missing file is an empty record; so is one that
 * cannot be read or is damaged, with a warning in d. Linear in its size. */
struct timings timings_load(struct arena *a, struct str directory, struct diag *d);
/* Sets the seconds of the selection's tests that are in the record. */
void timings_fill(
	const struct timings *t, const struct selection *s, struct recorded *recorded);
/* Adds the results of a run to the record that is in the directory now. The record keeps
 * other tests, up to twice as many lines as the suite has tests. d: a warning if the
 * record cannot be written. */
void timings_save(struct arena *a, struct str directory, const struct selection *s,
	const struct tally *tally, struct diag *d);

#endif
