/*
 * The page's own files, as they are in this folder: page.html with names in double braces
 * where parts are inserted, its style and its script. CctrEmbed.cmake makes page.c.
 */
#ifndef CCTR_RUNNER_HTML_PAGE_H
#define CCTR_RUNNER_HTML_PAGE_H

#include "runner/base/base.h"

extern const struct str page_html, page_css, page_js;

#endif
