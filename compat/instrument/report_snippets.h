/* A report that writes one snippet for each test that was started. */
#ifndef CCTR_COMPAT_INSTRUMENT_REPORT_SNIPPETS_H
#define CCTR_COMPAT_INSTRUMENT_REPORT_SNIPPETS_H

#include "compat/instrument/instrumentation.h"
#include "compat/options/report_options.h"
#include "runner/run/report.h"

/* configuration: of -C, or "". limits: for output that the queries ask for; borrowed.
 * directory: where the run is. */
struct report *report_snippets_open(struct arena *a, const struct instrumentation *i,
	struct str configuration, const struct output_limits *limits,
	struct str directory);

#endif
