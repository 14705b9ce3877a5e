/* What the page says without JavaScript: its summary, and the list of all tests. */
#ifndef CCTR_RUNNER_HTML_PAGE_TEXT_H
#define CCTR_RUNNER_HTML_PAGE_TEXT_H

#include <stdio.h>

#include "runner/html/html_run.h"

/* standings: by node. */
void page_title(FILE *to, const struct html_run *r, const enum standing *standings);
void page_summary(FILE *to, const struct html_run *r, const enum standing *standings);
void page_list(FILE *to, const struct html_run *r, const enum standing *standings);

#endif
