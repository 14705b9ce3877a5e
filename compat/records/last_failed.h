/* LastTestsFailed.log and LastTestsDisabled.log: written by every run, read by
 * --rerun-failed. ctest(1). */
#ifndef CCTR_COMPAT_RECORDS_LAST_FAILED_H
#define CCTR_COMPAT_RECORDS_LAST_FAILED_H

#include "runner/cmakelang/dialect.h"
#include "runner/run/report.h"

struct last_failed {
	unsigned *numbers;
	size_t n;
	struct str missing; /* what is a link to no file; n is 0: there is none */
};
/* The numbers in the newest LastTestsFailed*.log of directory; none if there is no such
 * file. false after diag_error. */
CCTR_MUST_CHECK bool last_failed_read(
	struct arena *a, struct str directory, struct last_failed *list, struct diag *d);
/* The names in it. */
CCTR_MUST_CHECK bool last_failed_names(
	struct arena *a, struct str directory, struct str_list *names, struct diag *d);
/* Whether such a file names tests; true if it cannot be read. */
bool last_failed_is_there(struct arena *a, struct str directory);
/* Appends every failed test at once to the file that last_failed_write replaces: after a
 * killed run it has the old failures and the new ones so far. A file with another tag
 * begins with the numbers of the newest file. */
struct report *last_failed_open(struct arena *a, struct str directory, struct str tag);
/* Writes only files that would not be empty, and none if no test passed or failed, as in
 * ctest: the files of an earlier run stay. */
bool last_failed_write(struct arena *a, struct str directory, struct str tag,
	const struct tally *t, struct diag *d);
/* "_20261121-0755.log", or ".log" without a tag. */
struct str last_file_end(struct arena *a, struct str tag);

#endif
