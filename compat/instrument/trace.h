/* The snippets as a trace for Chrome's viewer or Perfetto: Google's Trace Event Format.
 */
#ifndef CCTR_COMPAT_INSTRUMENT_TRACE_H
#define CCTR_COMPAT_INSTRUMENT_TRACE_H

#include "compat/instrument/instrumentation.h"

/* snippets: their files' names. false leaves errno. */
CCTR_MUST_CHECK bool trace_write(struct arena *a, const struct instrumentation *i,
	struct str name, struct str_list snippets);

#endif
