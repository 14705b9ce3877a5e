/*
 * The steps of a dashboard that scripts call: ctest(1), "Dashboard Client Steps". Each is
 * a row: the keywords of its command, and functions that run before and after the step.
 * The row and its functions are in script_<name>.c if they are not short.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STEPS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STEPS_H

#include "compat/dashboard/script/script_state.h"
#include "compat/dashboard/script/script_arguments.h"
#include "compat/dashboard/script/script_keys.h"
#include "compat/dashboard/step/dashboard.h"
#include "compat/presets/presets.h"

/* One call of such a command, from its arguments to its reply. */
struct step_request;

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
	bool is_new_implementation;
	/* Any of these may be NULL. */
	/* Called when the arguments are known. Errors that it raises by request_error do
	 * not stop the step. */
	void (*check)(struct step_request *r);
	/* Sets keys and options. false after request_refuse. */
	bool (*before)(struct step_request *r);
	/* Called after the step: sets the script's variables other than RETURN_VALUE. */
	void (*after)(struct step_request *r);
	/* Called at the end, even if the step did not run. */
	void (*always)(struct step_request *r);
};

extern const struct script_step script_step_build, script_step_configure,
	script_step_memcheck, script_step_submit, script_step_test, script_step_update;

struct arena *request_arena(const struct step_request *r);
/* The input of the step. */
const struct step_input *request_input(const struct step_request *r);
/* From the command line; the call may change them. */
struct options *request_options(struct step_request *r);
struct dashboard *request_dashboard(struct step_request *r);
/* Where the step finds the sources. */
void request_set_source(struct step_request *r, struct str source);
/* before(): the step does not run. Where its directory can be entered, that line is an
 * error, and RETURN_VALUE is -1. */
void request_fail(struct step_request *r, struct str message);
/* The script ends after the call, unless the error is captured. */
void request_end(struct step_request *r);
/* true: request_error was called. */
bool request_has_error(const struct step_request *r);
/* The first value of a keyword, or STR_NONE. */
struct str request_value(const struct step_request *r, const char *keyword);
bool request_has(const struct step_request *r, const char *keyword);
/* The value of the keyword; without one, the value of the variable. */
struct str request_value_or(
	const struct step_request *r, const char *keyword, const char *variable);
struct str request_variable(const struct step_request *r, const char *name);
/* Called by a command line, not by a script. */
bool request_is_of_client(const struct step_request *r);
/* A variable of the script's environment, or NULL. */
const char *request_environment(const struct step_request *r, const char *name);
/* false: the step has no output with this name. */
bool request_output(const struct step_request *r, const char *name, struct str *value);
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
/* With the new implementation the names of site and build are those of the variables. */
void request_take_names(struct step_request *r);
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

/* For the table of commands. false: there is no such step. */
bool script_answer_step(struct script_command *c);
/* Continues after the script has raised the errors of the arguments. */
void script_answer_go_on(struct script_command *c);

#endif
