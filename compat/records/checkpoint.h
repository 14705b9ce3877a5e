/*
 * Testing/Temporary/CTestCheckpoint.txt: the tests that ended well, so that -F can
 * continue an interrupted run. One line per test: number, seconds or "-", name. Failed
 * tests are not in it: they run again.
 *
 * ctest writes only the number, of every test, and reads only that. A number alone does
 * not tell the verdict, nor whether it still means the same test; so a test with such a
 * line runs again.
 */
#ifndef CCTR_COMPAT_RECORDS_CHECKPOINT_H
#define CCTR_COMPAT_RECORDS_CHECKPOINT_H

#include "runner/run/report.h"

struct checkpoint {
	bool was_there; /* an earlier run left one, even if empty */
	bool *finished; /* by node; NULL without a file */
	double *seconds; /* by node; negative: not known */
	size_t finished_n;
};

/* A line counts if it ends with a newline and its number and name are those of a selected
 * test. A finished test runs again if it sets up or cleans up a fixture that a test which
 * will run requires, sets up or cleans up. false after diag_error. */
CCTR_MUST_CHECK bool checkpoint_read(struct arena *a, struct str path,
	const struct selection *s, struct checkpoint *c, struct diag *d);
/* Appends each test that ends well at once. close does not report a file that cannot be
 * written, since the file helps only after an interruption. */
struct report *checkpoint_open(struct arena *a, struct str path);

#endif
