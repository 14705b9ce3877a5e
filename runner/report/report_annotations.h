/*
 * What failed, for the pages of a CI server: GitHub's workflow commands, or a report of
 * GitLab's "code quality".
 */
#ifndef CCTR_RUNNER_REPORT_REPORT_ANNOTATIONS_H
#define CCTR_RUNNER_REPORT_REPORT_ANNOTATIONS_H

#include "runner/run/report.h"

struct annotations_options {
	const char *option; /* by which the user asks for them */
	struct str file; /* of GitLab's report; "": GitHub's commands on standard error */
	struct str root; /* of the source: paths are relative to it; "" if not known */
	struct str tree; /* the build tree, for paths that are relative to it */
	struct str any_file; /* of the source: of tests whose place is not known */
};
struct report *report_annotations_open(
	struct arena *a, const struct annotations_options *o);

#endif
