/* See local_time.h. */
#include "runner/base/local_time.h"

#include <errno.h>

#include "runner/base/base.h"

void
local_time_begin(void)
{
	errno = 0;
	tzset();
	if (errno == ENOMEM)
		memory_end();
}

bool
local_time(int64_t seconds, struct tm *clock)
{
	time_t at = (time_t)seconds;

	local_time_begin();
	return localtime_r(&at, clock);
}
