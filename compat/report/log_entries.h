/*
 * Where the output of each test is in a LastTest.log, cctr's or ctest's.
 *
 * A test may print anything, also lines as the log has them. An entry ends only with the
 * lines that name its test, so that a test must print its own name in them to be cut
 * short.
 */
#ifndef CCTR_COMPAT_REPORT_LOG_ENTRIES_H
#define CCTR_COMPAT_REPORT_LOG_ENTRIES_H

#include "runner/base/base.h"

/* One attempt of a test. Places are bytes from the beginning of the log. */
struct log_entry {
	struct str name;
	uint64_t number; /* of the test */
	uint64_t begin, end;
	uint64_t output, output_n;
};
typedef VEC(struct log_entry) log_entries;

/* Complete entries, in the order of the log. false leaves errno. */
CCTR_MUST_CHECK bool log_entries_read(struct arena *a, int file, log_entries *entries);
/* As log_entries_read, of a log in memory. */
log_entries log_entries_of(struct arena *a, struct str text);

#endif
