/*
 * A preset: its fields as they are in the file, and what they become.
 *
 * An inherited field points into the file of another preset. Texts become values when the
 * preset is evaluated.
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_H
#define CCTR_COMPAT_PRESETS_PRESET_H

#include "compat/presets/preset_files.h"
#include "compat/presets/preset_macro.h"
#include "compat/presets/preset_schema.h"
#include "runner/regex/match.h"

/* Fields of a test preset. */
enum preset_test_field {
	TEST_CONFIGURE_PRESET,
	TEST_INHERIT_ENVIRONMENT,
	TEST_CONFIGURATION,
	TEST_OVERWRITE,
	TEST_OUTPUT, /* as a whole: it decides about the output of failed tests */
	TEST_SHORT_PROGRESS,
	TEST_VERBOSITY,
	TEST_DEBUG,
	TEST_OUTPUT_ON_FAILURE,
	TEST_QUIET,
	TEST_LOG_FILE,
	TEST_JUNIT_FILE,
	TEST_LABEL_SUMMARY,
	TEST_SUBPROJECT_SUMMARY,
	TEST_MAX_PASSED,
	TEST_MAX_FAILED,
	TEST_TRUNCATION,
	TEST_MAX_WIDTH,
	TEST_INCLUDE, /* as a whole, for useUnion */
	TEST_INCLUDE_NAME,
	TEST_INCLUDE_LABEL,
	TEST_INDEX,
	TEST_EXCLUDE_NAME,
	TEST_EXCLUDE_LABEL,
	TEST_EXCLUDE_FIXTURES,
	TEST_STOP_ON_FAILURE,
	TEST_FAILOVER,
	TEST_JOBS,
	TEST_RESOURCE_SPEC,
	TEST_LOAD,
	TEST_SHOW_ONLY,
	TEST_REPEAT,
	TEST_INTERACTIVE,
	TEST_SCHEDULE_RANDOM,
	TEST_TIMEOUT,
	TEST_NO_TESTS,
	TEST_PASS_THROUGH
};
/* Fields of a configure preset. Warnings and errors are in the same order. */
enum { DIAGNOSTICS = 7 };
enum preset_configure_field {
	CONFIGURE_GENERATOR,
	CONFIGURE_BINARY_DIRECTORY,
	CONFIGURE_WARNINGS,
	CONFIGURE_ERRORS = CONFIGURE_WARNINGS + DIAGNOSTICS
};

struct preset {
	enum preset_kind kind;
	struct str name;
	const struct preset_file *file;
	const struct json_value *json;
	bool is_hidden;
	const struct json_value **fields; /* by the enumeration; NULL: not set */
	const struct json_value *condition; /* NULL: none */
	struct preset_pairs environment, variables;
	/* After preset_evaluate. */
	struct str *texts; /* the expanded fields */
	struct str_list *lists; /* fields that are lists */
	struct str *values; /* of the environment: expanded, by index */
	bool is_evaluated; /* false: it has a vendor macro */
	bool is_enabled;
};

struct preset *preset_new(struct arena *a, enum preset_kind kind,
	const struct preset_file *file, const struct json_value *json);
/* Takes what the preset does not set itself. */
void preset_inherit(struct arena *a, struct preset *child, const struct preset *parent);
/* Expands the macros of `json` that are expanded when an entry is read. false after
 * preset_wrong. */
bool preset_pre_expand(struct preset_faults *f, const struct preset_file *file,
	enum preset_kind kind, const struct json_value *json);

struct preset_surroundings {
	struct preset_faults *faults;
	struct str directory; /* ${sourceDir} */
	struct str generator; /* of the configure preset */
	struct match_set *patterns;
	struct buf *noise; /* what ctest prints on standard output meanwhile */
};
/* Evaluates macros, environment and condition. false after preset_wrong. */
bool preset_evaluate(const struct preset_surroundings *around, struct preset *p);

#endif
