/* --output-junit: ctest(1). */
#ifndef CCTR_COMPAT_REPORT_REPORT_JUNIT_H
#define CCTR_COMPAT_REPORT_REPORT_JUNIT_H

#include "compat/options/options.h"
#include "runner/run/report.h"

struct junit_options {
	struct str path;
	struct str build_name, site; /* of the configuration; may be empty */
	const struct options *options;
	const struct dialect *dialect;
	const struct selection *selection;
};
/*
 * Test cases are kept in an unlinked file until their number is known, so that memory
 * stays flat. close() writes the file, also for a run that was only a listing; in most
 * dialects a file that cannot be written is reported and close() is true all the same.
 */
struct report *report_junit_open(struct arena *a, const struct junit_options *o);

/* The configuration's BuildName as reports show it: trimmed, without characters that file
 * names may not have where the dialect says so, "(empty)" for nothing. */
struct str report_build_name(
	struct arena *a, const struct dialect *dialect, struct str configured);

#endif
