/* --stop-time: a time of day at which a run ends. ctest(1). */
#ifndef CCTR_COMPAT_FORMAT_STOP_TIME_H
#define CCTR_COMPAT_FORMAT_STOP_TIME_H

#include <time.h>

#include "runner/cmakelang/dialect.h"

/* Parses "14:30", "14:30:15" and the other forms of the dialect. *stop_s: the next such
 * time after now_s, in seconds since 1970. false: the text is not a time of day. */
bool stop_time_parse(
	const struct dialect *dialect, struct str text, int64_t now_s, int64_t *stop_s);

/* Parses "14:30" or "14:30:15" at the beginning of *text and removes it from there.
 * digits: the most that each number may have. false: there is none. */
bool clock_take(struct str *text, size_t digits, int second_most, struct tm *clock);

#endif
