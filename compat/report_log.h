/* Testing/Temporary/LastTest.log. */
#ifndef CCTR_COMPAT_REPORT_LOG_H
#define CCTR_COMPAT_REPORT_LOG_H

#include "compat/options.h"
#include "runner/report.h"

/* Written to a temporary file first; nothing but the frame when nothing runs (-N).
 * NULL after diag_error. */
struct report *report_log_open(struct arena *a, struct str path, const struct options *o,
	const struct dialect *dialect, const struct selection *s, struct diag *d);

#endif
