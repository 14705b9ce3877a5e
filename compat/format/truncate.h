/* How much of a test's output result files keep: ctest(1), --test-output-size-passed. */
#ifndef CCTR_COMPAT_FORMAT_TRUNCATE_H
#define CCTR_COMPAT_FORMAT_TRUNCATE_H

#include "runner/base/spool.h"

/* Which part of a longer output goes. */
enum truncation { TRUNCATE_TAIL, TRUNCATE_MIDDLE, TRUNCATE_HEAD };
/* "tail", "middle" or "head"; false for anything else. */
bool truncation_parse(struct str word, enum truncation *mode);

/* The output itself where it is short enough, where limit is not above 0, and where it
 * says CTEST_FULL_OUTPUT; else what stays, in the room, which is empty. No character is
 * cut in two, but for one where the end begins that TRUNCATE_MIDDLE leaves, as in ctest.
 */
struct long_text truncate_output(struct spool *room, const struct long_text *output,
	long limit, enum truncation mode);
/* Without the <CTestMeasurement> and <DartMeasurement> elements, which ctest takes out of
 * the output of result files. The output itself where there are none. */
struct long_text truncate_measurements(
	struct spool *room, const struct long_text *output);
/* The next of these elements, at *at or behind it, which comes behind it. false when
 * there is none. */
bool truncate_next_measurement(
	const struct long_text *output, size_t *at, struct str *found);

#endif
