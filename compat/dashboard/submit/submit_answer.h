/*
 * The answer of a dashboard to a file: "<cdash>" with status, message and buildId, or any
 * text, in which the words "warning" and "error" count.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_ANSWER_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_ANSWER_H

#include "runner/base/xml_read.h"

struct submit_answer {
	bool is_refused; /* status is not OK or SUCCESS: see message */
	struct str message;
	bool has_build; /* status is OK or missing: see build */
	struct str build;
	bool warns, has_error; /* the words */
	struct xml_fault fault; /* in the XML */
};

struct submit_answer submit_answer_read(struct arena *a, struct str body);

#endif
