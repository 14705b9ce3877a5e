/* How long tests took in earlier runs, by the file of times and, with --history=on, the
 * history, and how long those of a suite are expected to take, before any are selected.
 */
#ifndef CCTR_COMPAT_RUN_SUITE_TIMES_H
#define CCTR_COMPAT_RUN_SUITE_TIMES_H

#include "compat/run/run_settings.h"
#include "runner/run/timings.h"

/* That of --timings, else the record of the build tree. */
struct timings_file suite_timings_file(
	struct run_context *c, const struct run_settings *s);
/* Sets the seconds of the selection's tests that ran earlier. What cannot be read is a
 * warning. false: an error of the file of --timings. */
CCTR_MUST_CHECK bool suite_times_fill(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct recorded *recorded);
/* By test_id. What cannot be read is a warning. NULL: an error. */
const struct expected *suite_times(
	struct run_context *c, const struct run_settings *s, const struct suite *suite);

#endif
