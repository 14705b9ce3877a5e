/* CTestCostData.txt: the durations of earlier runs, read and written in ctest's
 * format. */
#ifndef CCTR_COMPAT_RECORDS_COST_DATA_H
#define CCTR_COMPAT_RECORDS_COST_DATA_H

#include "runner/cmakelang/dialect.h"
#include "runner/run/report.h"
#include "runner/schedule/plan.h"

struct cost_data;
/* A missing file counts as empty. An unreadable file is left alone, and saving fails with
 * the reason. Linear in its size. parallel: of the coming run; a serial run neither uses
 * recorded times nor blends with them. */
struct cost_data *cost_data_load(
	struct arena *a, const struct dialect *dialect, struct str path, size_t parallel);
/* One entry for each test of the selection, which is the same for all calls with c. */
struct recorded *cost_data_recorded(
	struct arena *a, struct cost_data *c, const struct selection *s);
/* cost_data_listen returns a listener that counts every passed attempt, so that repeated
 * tests count as often as they passed. Without it cost_data_save counts the last attempt
 * of each test. */
/* nodes: selected tests that do not run (-F). Those with known seconds (as in struct
 * checkpoint) are counted; for the others existing lines stay as they are, and no line is
 * added. */
void cost_data_leave_out(struct cost_data *c, const bool *nodes, const double *seconds);
struct report *cost_data_listen(struct cost_data *c, const struct selection *s);
/* Blends this run into the data and writes the file. */
bool cost_data_save(struct arena *a, struct cost_data *c, const struct selection *s,
	const struct tally *t, struct diag *d);

#endif
