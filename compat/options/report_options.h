/* What reports show of tests and of their output. */
#ifndef CCTR_COMPAT_OPTIONS_REPORT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_REPORT_OPTIONS_H

#include "compat/format/truncate.h"

/* Most bytes of output in result files; 0 or less: no limit. Defaults: 1024 and
 * 307200. */
struct output_limits {
	long passed, failed;
	enum truncation truncation;
};
/* Those of ctest without options. */
struct output_limits output_limits_default(void);
enum annotations { ANNOTATE_NOT, ANNOTATE_GITHUB, ANNOTATE_GITLAB, ANNOTATE_AUTO };
struct report_options {
	bool output_on_failure;
	int max_width; /* 30 */
	bool no_label_summary, no_subproject_summary;
	struct str_list subprojects; /* LabelsForSubprojects of the configuration */
	struct output_limits output;
	struct str junit; /* --output-junit */
	struct str events, tap, trace, html; /* --events, --tap, --trace, --html */
	enum annotations annotations;
};

#endif
