/* CTestCostData.txt: what earlier runs took, in ctest's format, read and written. */
#ifndef CCTR_COMPAT_RECORDS_COST_DATA_H
#define CCTR_COMPAT_RECORDS_COST_DATA_H

#include "runner/cmakelang/dialect.h"
#include "runner/run/report.h"
#include "runner/schedule/plan.h"

struct cost_data;
/* A missing file is an empty one; one that cannot be read is left alone, and saving fails
 * with the reason. Linear in its size. parallel: of the run that is to
 * come; a serial one does not go by recorded times, nor does it blend with them. */
struct cost_data *cost_data_load(
	struct arena *a, const struct dialect *dialect, struct str path, size_t parallel);
/* n of the selection. */
const struct recorded *cost_data_recorded(
	struct arena *a, const struct cost_data *c, const struct selection *s);
/* A listener that counts every passed attempt, so that repeated tests count as often as
 * they passed. Without it cost_data_save counts the last attempt of each test. */
/* Tests that do not run although they are selected, by node (-F): those whose seconds are
 * known, as in struct checkpoint, are counted; lines of others stay as they are, and
 * those that have none get none. */
void cost_data_leave_out(struct cost_data *c, const bool *nodes, const double *seconds);
struct report *cost_data_listen(struct cost_data *c, const struct selection *s);
/* Blends this run in and writes the file. */
bool cost_data_save(struct arena *a, struct cost_data *c, const struct selection *s,
	const struct tally *t, struct diag *d);

/* The file's text before and after, for tests and the fuzzer. */
struct cost_data *cost_data_parse(
	struct arena *a, const struct dialect *dialect, struct str text, size_t parallel);
void cost_data_format(struct buf *out, struct cost_data *c, const struct selection *s,
	const struct tally *t);

#endif
