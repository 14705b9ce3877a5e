/* --tap: TAP version 14, a test point for each test. https://testanything.org */
#ifndef CCTR_RUNNER_REPORT_REPORT_TAP_H
#define CCTR_RUNNER_REPORT_REPORT_TAP_H

#include "runner/run/report.h"

/* The file is made when the run begins. path is borrowed. */
struct report *report_tap_open(struct arena *a, const char *path);

#endif
