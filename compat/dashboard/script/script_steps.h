/*
 * The steps of a dashboard that scripts call: ctest(1), "Dashboard Client Steps". Each is
 * a row: the keywords of its command, and functions that run before and after the step.
 * The row and its functions are in script_<name>.c.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STEPS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STEPS_H

#include "compat/dashboard/script/script_state.h"
#include "compat/dashboard/script/script_arguments.h"
#include "compat/dashboard/script/script_keys.h"
#include "compat/dashboard/step/dashboard.h"
#include "compat/presets/presets.h"

/* One call of such a command, from its arguments to its reply. */
struct step_request {
	struct scripts *scripts;
	struct arena *arena;
	struct script_call words; /* of the script, including its variables */
	struct script_reply *reply;
	const struct script_step *row;
	struct dashboard *d;
	struct step_input in; /* of the step; its stamp and files are set at the end */
	struct step_argument *arguments; /* of the call */
	struct options options; /* from the command line; the call may change them */
	struct custom custom;
	/* Filled by the step. before() may fill it instead, and set is_done. */
	struct step_result result;
	bool is_done;
	bool has_error; /* CMake's own error was raised */
	struct str refusal; /* error in the arguments, or STR_NONE */
	size_t errors; /* of the console at the beginning */
	struct str here; /* where the script runs */
};

/* request_key or request_key_silently */
typedef void key_setter(struct step_request *r, const char *key, struct str value);

struct script_step {
	const char *command; /* "ctest_build" */
	enum part part;
	/* Its own keywords, up to one without a name; may be NULL. */
	const struct keyword *keywords;
	/* Keywords that it shares with another command, or that go with both own and
	 * others; up to one without a name; may be NULL. */
	const struct keyword *more;
	/* Keywords that replace its own if the first word is the first of these; may be
	 * NULL. */
	const struct keyword *others;
	bool is_alone; /* takes only its own, QUIET and CAPTURE_CMAKE_ERROR */
	bool is_alone_now; /* also RETURN_VALUE and SOURCE (4.0) */
	/* The new implementation (4.0): prints less about its keys and about refused
	 * calls, and stays in the script's directory instead of the build directory. */
	bool is_anew;
	/* Any of these may be NULL. */
	/* Called when the arguments are known. Errors that it raises by request_error do
	 * not stop the step. */
	void (*check)(struct step_request *r);
	/* Sets keys and options. false after request_refuse. */
	bool (*before)(struct step_request *r);
	/* Called after the step: sets the script's variables other than RETURN_VALUE. */
	void (*after)(struct step_request *r);
};

extern const struct script_step script_step_build, script_step_configure,
	script_step_coverage, script_step_memcheck, script_step_submit, script_step_test,
	script_step_update, script_step_upload;

/* The first value of a keyword, or STR_NONE. */
struct str request_value(const struct step_request *r, const char *keyword);
bool request_has(const struct step_request *r, const char *keyword);
/* The value of the keyword; without one, the value of the variable. */
struct str request_value_or(
	const struct step_request *r, const char *keyword, const char *variable);
struct str request_variable(const struct step_request *r, const char *name);
/* Sets the script's variable that the keyword names, if any. */
void request_set(struct step_request *r, const char *keyword, struct str value);
/* Sets that variable to the step's output with this name, if there is one. */
void request_set_output(struct step_request *r, const char *keyword);
/* Where the step works: BUILD or CTEST_BINARY_DIRECTORY. */
struct str request_build_directory(const struct step_request *r);
/* The cmake that a step runs. */
struct str request_cmake(const struct step_request *r);
/* Sets a key of the configuration. */
void request_key(struct step_request *r, const char *key, struct str value);
/* Sets a key without a message under -VV. */
void request_key_silently(struct step_request *r, const char *key, struct str value);
/* Sets a key by request_key from its variable in the table, if that is set. */
void request_key_of(struct step_request *r, const char *key);
/* Sets so all keys of the command in the table. */
void request_keys(struct step_request *r);
/* Raises "CMake Error at ...:\n  TEXT"; the step continues. */
void request_error(struct step_request *r, struct str text);
/* Raises "CMake Error at ...:\n  COMMAND TEXT"; the step does not run. Always false. */
bool request_refuse(struct step_request *r, struct str text);
/* Adds values as if the call had them. */
void request_add_values(
	struct step_request *r, const char *keyword, struct str_list values);
/* Drops the values that keep() refuses. */
void request_keep_values(struct step_request *r, const char *keyword,
	bool (*keep)(struct step_request *r, struct str value));
/* Drops the keyword's files that do not exist, with an error for each. */
void request_check_files(struct step_request *r, const char *keyword);
/* The preset of a call: PRESET, or its replacement. */
struct step_preset {
	struct str name, file; /* the file is absolute; "": none */
	bool has_generator; /* the preset or the script names a generator */
};
/* "": no preset is requested. */
struct str request_preset_name(const struct step_request *r, enum preset_step step);
/* false after request_refuse; o as for preset_for_step. */
bool request_take_preset(struct step_request *r, enum preset_step step, struct options *o,
	struct step_preset *taken);
/* The keywords that ctest_memcheck shares with ctest_test. */
extern const struct keyword script_test_keywords[];
bool script_before_test(struct step_request *r);

/* For the table of commands. false: there is no such step. */
bool script_answer_step(struct script_command *c);
/* Continues after the script has raised the errors of the arguments. */
void script_answer_go_on(struct script_command *c);

#endif
