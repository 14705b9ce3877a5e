/*
 * --html: the run as one page for a browser, which needs nothing else. cctr-files(5),
 * "HTML".
 */
#ifndef CCTR_RUNNER_HTML_REPORT_HTML_H
#define CCTR_RUNNER_HTML_REPORT_HTML_H

#include "runner/html/html_run.h"

/* The file is written when the run ends, also if a signal ends it. */
struct report *report_html_open(struct arena *a, const struct html_options *o);

#endif
