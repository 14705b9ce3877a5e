/* What the page's script reads: the run as JSON, in which no "<" can end the script. */
#ifndef CCTR_RUNNER_HTML_PAGE_DATA_H
#define CCTR_RUNNER_HTML_PAGE_DATA_H

#include <stdio.h>

#include "runner/html/html_run.h"

/* standings: by node. 0, or the errno with which kept outputs could not be read. */
int page_data(FILE *to, struct html_run *r, const enum standing *standings);

#endif
