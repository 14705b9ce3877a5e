/*
 * The trace that clang writes with -ftime-trace, as the option compileTrace of a query
 * wants it: a copy beside the snippets. cmake-instrumentation(7), "traceFile".
 */
#ifndef CCTR_COMPAT_INSTRUMENT_COMPILE_TRACE_H
#define CCTR_COMPAT_INSTRUMENT_COMPILE_TRACE_H

#include <time.h>

#include "compat/instrument/instrumentation.h"

struct compile_trace {
	struct str path; /* n is 0: the command names no file */
	time_t changed; /* before the command ran; -1: the file did not exist */
};

/* Before the compiler runs: where its trace will be. words: the command; outputs:
 * relative to the build tree. */
struct compile_trace compile_trace_find(struct arena *a, const struct instrumentation *i,
	struct str_list words, struct str_list outputs);
/* After it: copies the trace to data/compile-trace, under its name with the suffix. *copy
 * is the path of the copy below data; STR_NONE: the command wrote no trace. false leaves
 * errno. */
CCTR_MUST_CHECK bool compile_trace_keep(struct arena *a, const struct instrumentation *i,
	const struct compile_trace *t, struct str suffix, struct str *copy);

#endif
