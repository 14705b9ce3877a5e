/* Times of this time zone. */
#ifndef CCTR_RUNNER_BASE_LOCAL_TIME_H
#define CCTR_RUNNER_BASE_LOCAL_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Reads the zone, before any other function of the C library does: where no memory is
 * left, they take another zone. Here the program ends then. */
void local_time_begin(void);

/* False where the calendar has no such time. The zone is that of TZ now, as in ctest. */
bool local_time(int64_t seconds, struct tm *clock);

#endif
