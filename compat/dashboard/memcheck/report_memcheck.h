/*
 * Results of a memory checker: the defects of each test, DynamicAnalysis.xml, and the
 * table after the run. The checker's log is appended to the output of its test, for all
 * files that are written after the test's end, except the run's log.
 */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_REPORT_MEMCHECK_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_REPORT_MEMCHECK_H

#include "compat/dashboard/memcheck/memcheck_tools.h"
#include "compat/dashboard/step/step.h"
#include "runner/run/report.h"

struct report_memcheck;
/* The tool must already be chosen. The result gets the files. junit: the run's JUnit
 * report, which gets its events through this one, or NULL. */
struct report_memcheck *report_memcheck_open(const struct step_input *in,
	struct step_result *result, const struct memcheck *m, struct report *junit);
/* The report to add to a run's reports. */
struct report *report_memcheck_report(struct report_memcheck *r);
/* Call it after the run, when its report is closed: prints and writes the results. false
 * without a message: the report could not be written. */
bool report_memcheck_finish(struct report_memcheck *r);
/* In all tests. */
size_t report_memcheck_defects(const struct report_memcheck *r);

#endif
