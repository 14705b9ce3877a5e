/* How much of a test's output result files keep: ctest(1), --test-output-size-passed. */
#ifndef CCTR_COMPAT_TRUNCATE_H
#define CCTR_COMPAT_TRUNCATE_H

#include "compat/options.h"

/* The output itself where it is short enough, where limit is not above 0, and where it
 * says CTEST_FULL_OUTPUT; else a copy of what stays. No character is cut in two. */
struct str truncate_output(
	struct arena *a, struct str output, long limit, enum truncation mode);
/* Without the <CTestMeasurement> and <DartMeasurement> elements, which ctest takes out of
 * the output of result files. The output itself where there are none. */
struct str truncate_measurements(struct arena *a, struct str output);
/* The next of these elements, borrowed; *output loses it and what stands before it. false
 * when there is none. */
bool truncate_next_measurement(struct str *output, struct str *found);

#endif
