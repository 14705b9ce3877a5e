/*
 * What a memory checker has found: the defects of each test, DynamicAnalysis.xml, and the
 * table beneath the run. The checker's log is put behind the output of its test, for all
 * that is written after the test's end but the log of the run.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_REPORT_MEMCHECK_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_REPORT_MEMCHECK_H

#include "compat/dashboard/memcheck/memcheck_tools.h"
#include "compat/dashboard/step/step.h"
#include "runner/run/report.h"

struct report_memcheck;
/* The tool is chosen already. junit: that of the run, which is told through this one, or
 * NULL. */
struct report_memcheck *report_memcheck_open(
	struct dashboard *d, const struct memcheck *m, bool append, struct report *junit);
/* As one of the reports of a run. */
struct report *report_memcheck_report(struct report_memcheck *r);
/* The run is over, its report is closed: says and writes what was found. false, and
 * nothing is said, where the report could not be written. */
bool report_memcheck_finish(struct report_memcheck *r);
/* Of all tests. */
size_t report_memcheck_defects(const struct report_memcheck *r);

#endif
