/* How much of a test's output result files keep: ctest(1), --test-output-size-passed. */
#ifndef CCTR_COMPAT_FORMAT_TRUNCATE_H
#define CCTR_COMPAT_FORMAT_TRUNCATE_H

#include "runner/base/spool.h"

/* Which part of a longer output is removed. */
enum truncation { TRUNCATE_TAIL, TRUNCATE_MIDDLE, TRUNCATE_HEAD };
/* "tail", "middle" or "head"; false for anything else. */
bool truncation_parse(struct str word, enum truncation *mode);

/* The output itself if it is short enough, if limit is 0 or less, or if it contains
 * CTEST_FULL_OUTPUT; else what is kept, in room, which must be empty. No character is cut
 * in two, except one where the end that TRUNCATE_MIDDLE keeps begins, as in ctest. */
struct long_text truncate_output(struct spool *room, const struct long_text *output,
	long limit, enum truncation mode);
/* The output without the <CTestMeasurement> and <DartMeasurement> elements, which ctest
 * removes from the output in result files. The output itself if there are none. */
struct long_text truncate_measurements(
	struct spool *room, const struct long_text *output);
/* An element whose end is still to come. */
struct open_measurement {
	size_t from, rest; /* rest: after the last element in it */
	struct buf *before; /* its text before rest; NULL: nothing was in it */
};
struct measurement_reader {
	struct arena *arena;
	const struct long_text *output;
	size_t at;
	VEC(struct open_measurement) open;
};
/* Finds the next of these elements, also one around elements that were found before,
 * whose text is then without these. false: there is none. */
bool truncate_next_measurement(struct measurement_reader *r, struct long_text *found);

#endif
