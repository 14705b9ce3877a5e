/* --output-junit: ctest(1). */
#ifndef CCTR_COMPAT_REPORT_REPORT_JUNIT_H
#define CCTR_COMPAT_REPORT_REPORT_JUNIT_H

#include "compat/options/report_options.h"
#include "runner/cmakelang/dialect.h"
#include "runner/run/report.h"

struct junit_options {
	struct str directory; /* in which a relative path is; "": the working directory */
	struct str path;
	struct str build_name, site; /* from the configuration; may be empty */
	const struct output_limits *output;
	bool tells_attempts; /* also those that failed before the last one */
	const struct dialect *dialect;
	const struct selection *selection;
	int64_t started_s; /* of the run, since the epoch; 0: now */
};
/*
 * Test cases are kept in an unlinked file until their number is known, so that memory use
 * is constant. close() writes the file, for a listing too.
 */
struct report *report_junit_open(struct arena *a, const struct junit_options *o);

/* The configuration's BuildName as reports show it: trimmed, in some dialects without
 * characters that file names may not have, "(empty)" if nothing is left. */
struct str report_build_name(
	struct arena *a, const struct dialect *dialect, struct str configured);

#endif
