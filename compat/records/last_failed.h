/* LastTestsFailed.log and LastTestsDisabled.log: written by every run, read by
 * --rerun-failed. ctest(1). */
#ifndef CCTR_COMPAT_RECORDS_LAST_FAILED_H
#define CCTR_COMPAT_RECORDS_LAST_FAILED_H

#include "runner/cmakelang/dialect.h"
#include "runner/run/report.h"

/* Numbers of the newest LastTestsFailed*.log in directory; none when there is none. false
 * after diag_error. */
CCTR_MUST_CHECK bool last_failed_read(struct arena *a, struct str directory,
	unsigned **numbers, size_t *n, struct diag *d);
/* Adds every test that fails to the file that last_failed_write replaces, at once: after
 * a run that was killed it has what had failed before, and what has failed so far. A file
 * of another tag begins with the numbers of the newest one. */
struct report *last_failed_open(struct arena *a, struct str directory, struct str tag);
/* Only files that would not be empty are written, and none when nothing counted as passed
 * or failed, as in ctest: the files of an earlier run stay. */
bool last_failed_write(struct arena *a, struct str directory, struct str tag,
	const struct tally *t, struct diag *d);
/* "_20261121-0755.log", or ".log" without a tag. */
struct str last_file_end(struct arena *a, struct str tag);

/* The numbers of "7:name" lines; others are passed over. */
void last_failed_parse(struct arena *a, struct str text, unsigned **numbers, size_t *n);

#endif
