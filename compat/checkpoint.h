/*
 * Testing/Temporary/CTestCheckpoint.txt: the numbers of the tests that have ended, one a
 * line, for -F to go on where a run was interrupted. ctest(1).
 */
#ifndef CCTR_COMPAT_CHECKPOINT_H
#define CCTR_COMPAT_CHECKPOINT_H

#include "runner/report.h"

struct checkpoint {
	bool was_there; /* an earlier run left one, be it empty */
	bool *finished; /* by node; NULL without a file */
	size_t finished_n;
};

/* Lines that are no number of a selected test are passed over. */
struct checkpoint checkpoint_read(
	struct arena *a, struct str path, const struct selection *s);
/* Adds every test that ends. A file that cannot be written is not complained about: it
 * helps only after an interruption. */
struct report *checkpoint_open(struct arena *a, struct str path);

#endif
