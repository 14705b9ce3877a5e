/* The files below the root of a build tree's instrumentation: cmake-instrumentation(7).
 */
#ifndef CCTR_COMPAT_INSTRUMENT_INSTRUMENT_FILE_H
#define CCTR_COMPAT_INSTRUMENT_INSTRUMENT_FILE_H

#include "compat/instrument/instrumentation.h"

/* Writes a file below ROOT/folder as a whole. false leaves errno. */
CCTR_MUST_CHECK bool instrument_file_write(struct arena *a,
	const struct instrumentation *i, const char *folder, struct str name,
	struct str text);
/* The newest or oldest name in data/folder; STR_NONE: there is none. */
struct str instrument_file_newest(
	struct arena *a, const struct instrumentation *i, const char *folder);
struct str instrument_file_oldest(
	struct arena *a, const struct instrumentation *i, const char *folder);

#endif
