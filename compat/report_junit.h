/* --output-junit: ctest(1). */
#ifndef CCTR_COMPAT_REPORT_JUNIT_H
#define CCTR_COMPAT_REPORT_JUNIT_H

#include "compat/options.h"
#include "runner/report.h"

struct report *report_junit_open(struct arena *a, struct str path,
	const struct options *o, const struct dialect *dialect, const struct selection *s);

#endif
