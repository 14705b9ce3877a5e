/*
 * Testing/Temporary/CTestCheckpoint.txt: the tests that have ended well, for -F to go on
 * where a run was interrupted. A line per test: its number, the seconds that it took or
 * "-", its name. Tests that failed are not in it: they run again.
 *
 * ctest writes the number alone, of every test, and reads no more than that. A number
 * tells neither the verdict nor whether it still means the same test, so that the test
 * runs again.
 */
#ifndef CCTR_COMPAT_RECORDS_CHECKPOINT_H
#define CCTR_COMPAT_RECORDS_CHECKPOINT_H

#include "runner/run/report.h"

struct checkpoint {
	bool was_there; /* an earlier run left one, be it empty */
	bool *finished; /* by node; NULL without a file */
	double *seconds; /* by node; negative: not known */
	size_t finished_n;
};

/* A line counts if it ends with a newline and its number and name are those of a selected
 * test. A test that is done runs again all the same if it sets up or cleans up a fixture
 * that a test which is to run requires, sets up or cleans up. false after diag_error. */
CCTR_MUST_CHECK bool checkpoint_read(struct arena *a, struct str path,
	const struct selection *s, struct checkpoint *c, struct diag *d);
/* Adds every test that ends well, at once. Closing it says nothing of a file that cannot
 * be written, since it helps only after an interruption. */
struct report *checkpoint_open(struct arena *a, struct str path);

#endif
