/* What the command line says about a dashboard: -T, -M, -D, --group, -A,
 * --extra-submit. */
#ifndef CCTR_COMPAT_OPTIONS_DASHBOARD_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_DASHBOARD_OPTIONS_H

#include "runner/base/base.h"

/* Parts of a submission, each made by one step, in ctest's fixed order. */
enum part {
	PART_START,
	PART_UPDATE,
	PART_CONFIGURE,
	PART_BUILD,
	PART_TEST,
	PART_COVERAGE,
	PART_MEMCHECK,
	PART_SUBMIT,
	PART_NOTES,
	PART_EXTRA_FILES,
	PART_UPLOAD,
	PART_DONE,
	PARTS
};
/* "Start" ... "Done", ignoring case; PARTS: not a part. */
enum part part_parse(struct str name);
const char *part_name(enum part part);

enum model { MODEL_EXPERIMENTAL, MODEL_NIGHTLY, MODEL_CONTINUOUS, MODELS };
/* -M: the whole name, ignoring case; MODELS: not a model. */
enum model model_parse(struct str name);
/* Only the first four letters count: for scripts and TAG. */
enum model model_guess(struct str name);
const char *model_name(enum model model);

struct dashboard_options {
	bool is_on; /* a dashboard, not a plain run */
	unsigned parts; /* of -T and -D: one bit for each */
	enum model model;
	bool tomorrow; /* --tomorrow-tag */
	bool is_quiet; /* QUIET of a script: a step prints less */
	bool is_memcheck; /* the tests of the step run under a memory checker */
	bool keeps_output_plain; /* --no-compress-output, --output-junit */
	struct str group; /* --group, "" when not given */
	str_vec notes; /* -A */
	str_vec extra_files; /* --extra-submit */
};

#endif
