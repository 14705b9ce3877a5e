/* Facts about the machine, as ctest reads them: for <Site> of a dashboard's files and for
 * instrumentation. What is not known is "" or 0. */
#ifndef CCTR_COMPAT_INSTRUMENT_HOST_H
#define CCTR_COMPAT_INSTRUMENT_HOST_H

#include "runner/base/base.h"

struct host {
	struct str name;
	struct str os_name, os_release, os_version, os_platform; /* uname(2) */
	struct str vendor, maker; /* "GenuineIntel", "Intel Corporation" */
	struct str model_name;
	int family, model, cache_kib;
	long logical, physical; /* processors */
	long memory_mib, swap_mib;
	double clock_mhz;
};
struct host host_examine(struct arena *a);

#endif
