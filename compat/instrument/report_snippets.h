/* A report that writes one snippet for each test that was started. */
#ifndef CCTR_COMPAT_INSTRUMENT_REPORT_SNIPPETS_H
#define CCTR_COMPAT_INSTRUMENT_REPORT_SNIPPETS_H

#include "compat/instrument/instrumentation.h"
#include "runner/run/report.h"

/* configuration: of -C, or "". */
struct report *report_snippets_open(
	struct arena *a, const struct instrumentation *i, struct str configuration);

#endif
