/* --stop-time: a time of day at which a run ends. ctest(1). */
#ifndef CCTR_COMPAT_FORMAT_STOP_TIME_H
#define CCTR_COMPAT_FORMAT_STOP_TIME_H

#include <time.h>

#include "runner/cmakelang/dialect.h"

/* "14:30" or "14:30:15", and what else the dialect takes for one, as seconds since 1970:
 * the next time after now_s that the clock shows it. false when the text is no time of
 * day. */
bool stop_time_parse(
	const struct dialect *dialect, struct str text, int64_t now_s, int64_t *stop_s);

/* "14:30" or "14:30:15" at the beginning of the text, which loses it; digits: of each
 * number, at the most. false when there is none. */
bool clock_take(struct str *text, size_t digits, int second_most, struct tm *clock);

#endif
