/*
 * Indexing: hands the snippets since the last index to the callbacks of the queries, and
 * removes them. cmake-instrumentation(7), "Indexing".
 */
#ifndef CCTR_COMPAT_INSTRUMENT_INDEX_H
#define CCTR_COMPAT_INSTRUMENT_INDEX_H

#include "compat/instrument/instrumentation.h"

/* directory: where callbacks start; NULL: where we are. Nothing happens if no query has
 * the hook. false after a message on standard error: the index could not be written, and
 * the snippets stay. */
bool instrument_collect(struct arena *a, const struct instrumentation *i,
	enum instrument_hook hook, const char *directory);

#endif
