/*
 * How long tests take, as a text file: cctr's own record of a build tree, or a file that
 * --timings names, which a cache or a commit takes to other machines. ctest's cost data
 * does not tell: it averages declared costs in, and is reset by failures and by serial
 * runs.
 *
 * A line "seconds runs configuration test" for each test and configuration, sorted by
 * test and configuration, so that versions can be merged: of several lines for one test
 * the mean counts. A run changes only lines that are wrong by more than a tenth and 5 ms.
 */
#ifndef CCTR_RUNNER_RUN_TIMINGS_H
#define CCTR_RUNNER_RUN_TIMINGS_H

#include "runner/run/report.h"
#include "runner/schedule/expected.h"

struct timings_file {
	struct str path;
	/* The user named it: what is wrong with it is an error. The record of a build
	 * tree is only an estimate: where it is damaged, that is reported and it begins
	 * again; where it cannot be read, a run goes on without, and then fails. */
	bool is_named;
	bool must_exist; /* else a missing file is an empty one */
};
struct test_time {
	struct str name, configuration; /* "": none */
	uint64_t us;
	unsigned runs; /* passed runs in the time, at most 8; 0: it has only failed */
};
struct timings {
	struct arena *arena;
	struct map known; /* test and configuration -> index into v */
	VEC(struct test_time) v;
};

/* The record of the build tree. */
struct str timings_path(struct arena *a, struct str temporary);
/* Empty after a warning or an error; false: an error. Linear in the file's size. */
CCTR_MUST_CHECK bool timings_load(struct arena *a, const struct timings_file *file,
	struct timings *t, struct diag *d);
/* Sets the seconds of the selection's tests that are known, under another configuration
 * if not under this one. */
void timings_fill(const struct timings *t, struct str configuration,
	const struct selection *s, struct recorded *recorded);
/* Adds the results of a run to what is in the file now. Tests of the configuration that
 * the suite does not have are dropped, if they are more than it has tests. suite may be
 * NULL: nothing is dropped. false: an error. */
CCTR_MUST_CHECK bool timings_save(struct arena *a, const struct timings_file *file,
	struct str configuration, const struct suite *suite, const struct tally *tally,
	struct diag *d);

#endif
