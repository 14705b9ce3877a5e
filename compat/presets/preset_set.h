/*
 * What the parts of the reader of presets files share: the files that were read, the
 * presets in them, and error messages. Not for other modules.
 *
 * A preset keeps the values of its fields as they are in the file; an inherited field
 * points into the file of another preset. Texts become values when they are expanded.
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_SET_H
#define CCTR_COMPAT_PRESETS_PRESET_SET_H

#include "compat/format/json_read.h"
#include "runner/cmakelang/dialect.h"
#include "runner/regex/match.h"

enum preset_kind {
	PRESET_CONFIGURE,
	PRESET_BUILD,
	PRESET_TEST,
	PRESET_PACKAGE,
	PRESET_WORKFLOW,
	PRESET_KINDS
};

struct preset_file {
	struct str path, directory; /* as spelled */
	struct json_document document;
	int version;
	size_t index;
	uint64_t *reaches; /* files that it includes, itself too: one bit per file */
	bool is_open; /* its includes are being read */
};

/* name: value of environment, cacheVariables or variables, including inherited ones. */
struct preset_pair {
	struct str name;
	const struct json_value *value;
};
struct preset_pairs {
	struct map names; /* index into v */
	VEC(struct preset_pair) v;
};

struct preset {
	enum preset_kind kind;
	struct str name;
	const struct preset_file *file;
	const struct json_value *json;
	bool is_hidden;
	const struct json_value **fields; /* by row of preset_fields; NULL: not set */
	struct str *texts; /* the expanded fields */
	struct str_list *lists; /* fields that are lists */
	const struct json_value *condition; /* NULL: none */
	struct preset_pairs environment, variables;
	struct str *values; /* of the environment: expanded, by index */
	uint8_t *states; /* see preset_macro.c */
	unsigned visits; /* used while inheriting */
	bool is_being_visited;
	bool is_evaluated; /* false: it has a vendor macro */
	bool is_enabled;
};

struct preset_set {
	struct arena *a;
	const struct dialect *dialect;
	struct str directory; /* ${sourceDir} */
	struct match_set *patterns;
	VEC(struct preset_file *) files;
	struct map paths; /* index into files */
	struct {
		struct map names;
		VEC(struct preset *) v; /* in the order of the files */
		struct preset **by_name;
	} kinds[PRESET_KINDS];
	struct buf fault; /* the error messages */
	size_t faults; /* how many were reported */
	struct buf noise; /* what ctest prints on standard output meanwhile */
};

/* ---- messages -------------------------------------------------------------------- */

/* Records an error, unless there are too many. older: the only text until 3.26; the newer
 * text is a format. at: the wrong value, or NULL. Always false. */
struct preset_place {
	const struct preset_file *file;
	const struct json_value *at;
};
bool preset_wrong(struct preset_set *s, const char *older, struct preset_place place,
	const char *newer, ...) CCTR_PRINTF(4, 5);
/* Records why the file is no JSON. */
bool preset_wrong_text(struct preset_set *s, const struct preset_file *file);
/* Reports that the version of the file is too old for `what`. has_stop: the text until
 * 3.26 has a full stop. */
bool preset_needs_version(
	struct preset_set *s, int version, const char *what, bool has_stop);
/* A value as messages show it; "" if it cannot be shown, and until 3.26. */
struct str preset_text(struct preset_set *s, const struct json_value *value);
#define NOWHERE ((struct preset_place){.at = NULL})
#define AT(f, v) ((struct preset_place){(f), (v)})

/* ---- tables ---------------------------------------------------------------------- */

/* "configure", and the same at the beginning of a sentence. */
const char *preset_kind_name(enum preset_kind kind);
const char *preset_kind_title(enum preset_kind kind);
/* "configure " if the dialect's messages name the kind of a preset, else "". */
const char *preset_kind_text(const struct preset_set *s, enum preset_kind kind);
const char *preset_kind_member(enum preset_kind kind); /* "testPresets" */

enum { FIELD_PATH = 3 };
struct preset_field {
	const char *path[FIELD_PATH];
	bool is_text; /* "" and [] count as not set */
	bool has_macros;
};
/* The value at the path; NULL: there is none. */
const struct json_value *preset_down(
	const struct json_value *v, const char *const path[FIELD_PATH]);
bool preset_is_nothing(const struct json_value *v); /* NULL, "" or [] */
/* The inheritable fields of a kind, in the order in which macros are expanded. */
const struct preset_field *preset_fields(enum preset_kind kind, size_t *n);
/* Fields of a test preset. */
enum preset_test_field {
	TEST_CONFIGURE_PRESET,
	TEST_INHERIT_ENVIRONMENT,
	TEST_CONFIGURATION,
	TEST_OVERWRITE,
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

struct preset_set preset_set_open(struct arena *a, const struct dialect *dialect);
void preset_set_close(struct preset_set *s);

/* ---- steps, in order; false after preset_wrong ----------------------------------- */

/* The newest version of the format that the dialect knows. */
int preset_newest_version(const struct dialect *dialect);
/* Checks the shape of a file: version, members, their types. */
bool preset_schema_check(struct preset_set *s, struct preset_file *file);
/* Reads all files and presets. named: --presets-file, or "". */
bool preset_files_read(struct preset_set *s, struct str named);
/* Reads the text of CMakePresets.json, for tests and the fuzzer. */
bool preset_files_parse(struct preset_set *s, struct str text);
/* Expands the macros that are expanded when an entry is read. */
bool preset_pre_expand(struct preset_set *s, const struct preset_file *file,
	enum preset_kind kind, struct json_value *preset);
/* Does the same for one text. false: a macro has no end. */
bool preset_pre_expand_text(struct preset_set *s, const struct preset_file *file,
	struct str text, struct str *out);
/* Checks for what the version of the preset's file does not have yet, or no longer
 * has. */
bool preset_age_check(struct preset_set *s, const struct preset *p);
bool preset_file_reaches(const struct preset_file *from, const struct preset_file *to);
struct preset *preset_find(
	const struct preset_set *s, enum preset_kind kind, struct str name);
/* Resolves inheritance, and checks the required fields. */
bool preset_inherit_all(struct preset_set *s);
/* Takes over the configure preset that p uses, and its environment. */
bool preset_use_configure(struct preset_set *s, struct preset *p);
/* Evaluates macros, environments and conditions. */
bool preset_evaluate_all(struct preset_set *s);
bool preset_workflows_check(struct preset_set *s);
/* Runs the last three steps in order. */
bool preset_set_finish(struct preset_set *s);

enum macro_result { MACRO_OK, MACRO_WRONG, MACRO_OF_VENDOR };
/* *out is in the set's arena. The preset's environment must be expanded before. */
enum macro_result preset_expand(
	struct preset_set *s, struct preset *p, struct str text, struct str *out);
/* Expands the whole environment. */
enum macro_result preset_expand_environment(struct preset_set *s, struct preset *p);
struct preset_pair *preset_pairs_sorted(
	struct arena *a, const struct preset_pairs *pairs);
/* Expands a text of include, with the macros that the version of the file allows
 * there. */
enum macro_result preset_expand_include(struct preset_set *s,
	const struct preset_file *file, struct str text, struct str *out);
enum macro_result preset_condition(struct preset_set *s, struct preset *p,
	const struct json_value *condition, bool *is_true);

#endif
