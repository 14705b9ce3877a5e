/*
 * The steps of a dashboard: one struct of data goes in, one comes out. A step reads no
 * CMake variable and does not know who called it: the command line (-T, -M, -D) or a
 * command of a script. The caller resolves variables and files to the keys of struct
 * configuration before it calls.
 *
 * A step says what ctest says through the console, writes its files below Testing/, and
 * leaves what only its caller can spell (a CMake error, a variable to be set) in the
 * result.
 */
#ifndef CCTR_COMPAT_STEP_H
#define CCTR_COMPAT_STEP_H

#include "compat/configuration.h"
#include "compat/console.h"
#include "compat/custom.h"
#include "compat/test_mode.h"

/* What is submitted, and with which step it is made; ctest's fixed order. */
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
/* "Start" ... "Done", without regard to case; PARTS: it is none. */
enum part part_parse(struct str name);
const char *part_name(enum part part);

enum model { MODEL_EXPERIMENTAL, MODEL_NIGHTLY, MODEL_CONTINUOUS, MODELS };
/* -M: a whole name without regard to case; MODELS: it is none. */
enum model model_parse(struct str name);
const char *model_name(enum model model);

/* A keyword of the command with what stands behind it: GROUP g, PARTS a b. */
struct step_argument {
	struct str name;
	const struct str *values;
	size_t n;
};
struct step_call {
	enum part part;
	const struct step_argument *arguments;
	size_t n;
	int submit_index; /* SUBMIT_INDEX; 0: none */
	bool append, quiet;
};
/* The first value of a keyword, or STR_NONE; has tells one without value from none. */
struct str step_value(const struct step_call *c, const char *name, bool *has);
struct str_list step_values(const struct step_call *c, const char *name);

/* NUMBER_ERRORS, DEFECT_COUNT, BUILD_ID: what the command's variable becomes. */
struct step_output {
	struct str name, value;
};
typedef VEC(struct step_output) step_outputs;
struct step_result {
	int value; /* RETURN_VALUE */
	bool failed; /* the step could not be done at all */
	step_outputs outputs;
	/* For the caller: "called with no current tag." Without the command's name. What
	 * ctest says through its own channels is said already. */
	str_vec errors;
};

struct dashboard {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	/* Of the command line, with what a command's arguments change for its step. */
	struct options *options;
	const struct test_inputs *inputs;
	/* Site, BuildName, SourceDirectory, BuildDirectory, ...: resolved by the caller.
	 */
	struct configuration configuration;
	struct custom custom; /* CTEST_CUSTOM_* */
	struct str binary, source; /* as they are shown; files go below binary */
	enum model model;
	struct str group; /* of the tag */
	struct str tag; /* "20261121-0755", "" when there is none yet */
	int64_t started_s; /* when cctr started, for TimeLimit */
	int interrupted; /* the signal that ended a step early */
	/* What was written under this tag: paths, with the part they are of. */
	VEC(struct step_file {
		enum part part;
		struct str path; /* below Testing/<tag>, or absolute */
	})
	files;
};

struct step {
	enum part part;
	/* false: the step failed; why is in the result. */
	bool (*run)(
		struct dashboard *d, const struct step_call *c, struct step_result *r);
};
/* NULL: cctr does not have this step yet. */
const struct step *step_of(enum part part);
/* step_of and its run; a step that is not there yet says so by name and fails. */
bool step_run(struct dashboard *d, const struct step_call *c, struct step_result *r);

/* One function per step, in step_<name>.c. */
bool step_start(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_configure(
	struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_build(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_test(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_submit(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_notes(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_upload(struct dashboard *d, const struct step_call *c, struct step_result *r);

#endif
