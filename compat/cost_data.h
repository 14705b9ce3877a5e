/* CTestCostData.txt: what earlier runs took, in ctest's format, read and written. */
#ifndef CCTR_COMPAT_COST_DATA_H
#define CCTR_COMPAT_COST_DATA_H

#include "compat/dialect.h"
#include "runner/plan.h"
#include "runner/report.h"

struct cost_data;
/* A missing file is an empty one. Linear in its size. */
struct cost_data *cost_data_load(
	struct arena *a, const struct dialect *dialect, struct str path);
/* n of the selection. */
const struct recorded *cost_data_recorded(
	struct arena *a, const struct cost_data *c, const struct selection *s);
/* Blends this run in and writes the file. */
bool cost_data_save(struct arena *a, struct cost_data *c, const struct selection *s,
	const struct tally *t, struct diag *d);

#endif
