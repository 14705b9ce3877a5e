/*
 * The steps of a dashboard that scripts call: ctest(1), "Dashboard Client Steps". Each is
 * a row: what its command takes, which keys of the configuration come from variables, and
 * what is to be done before and after the step. The row, with its functions, is in
 * script_<name>.c.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STEPS_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STEPS_H

#include "compat/dashboard/script/script_state.h"
#include "compat/dashboard/script/script_arguments.h"
#include "compat/dashboard/step/step.h"
#include "compat/presets/preset_step.h"

/* A call of such a command, from its arguments to its reply. */
struct step_request {
	struct scripts *scripts;
	struct arena *arena;
	struct script_call words; /* of the script, with its variables */
	struct script_reply *reply;
	const struct script_step *row;
	struct dashboard *d;
	struct step_call call;
	struct step_argument *arguments; /* those of the call */
	struct options options; /* of the command line; the call may change them */
	/* Filled by the step; before() may fill it and set is_done. */
	struct step_result result;
	bool is_done;
	bool has_error; /* an error of CMake's was raised */
	struct str refusal; /* of the arguments, or STR_NONE */
	size_t errors; /* of the console, when it began */
	struct str here; /* where the script runs */
};

/* request_key or request_key_silently */
typedef void key_setter(struct step_request *r, const char *key, struct str value);

/* A key of the configuration and the variable of the script that sets it. */
struct script_key {
	const char *key, *variable;
};

struct script_step {
	const char *command; /* "ctest_build" */
	enum part part;
	/* Its own, up to one without a name; may be NULL. */
	const struct keyword *keywords;
	/* Those that it has in common with another one, or that go with both, the same
	 * way. */
	const struct keyword *more;
	/* Instead of its own, when the first word is the first of these; may be NULL. */
	const struct keyword *others;
	bool is_alone; /* takes only its own, QUIET and CAPTURE_CMAKE_ERROR */
	bool is_alone_now; /* that, RETURN_VALUE and SOURCE (4.0) */
	/* ctest has written it anew (4.0): it says less of its keys and where it is
	 * refused, and stays where the script is, not in the build directory. */
	bool is_anew;
	/* Set before before(), in this order, up to one without a key; may be NULL. */
	const struct script_key *keys;
	/* Any of these may be NULL. */
	/* The arguments are there. What it raises by request_error ends nothing. */
	void (*check)(struct step_request *r);
	/* Sets keys and options. false after request_refuse. */
	bool (*before)(struct step_request *r);
	/* The step has run: sets what the script gets besides RETURN_VALUE. */
	void (*after)(struct step_request *r);
};

extern const struct script_step script_step_build, script_step_configure,
	script_step_coverage, script_step_memcheck, script_step_submit, script_step_test,
	script_step_update, script_step_upload;

/* Of ctest_update, up to one without a key. */
extern const struct script_key script_update_keys[];

/* The first value of a keyword, or STR_NONE. */
struct str request_value(const struct step_request *r, const char *keyword);
bool request_has(const struct step_request *r, const char *keyword);
/* The keyword's value; where it has none, the variable's. */
struct str request_value_or(
	const struct step_request *r, const char *keyword, const char *variable);
struct str request_variable(const struct step_request *r, const char *name);
/* The script's variable that a keyword names, if it names one. */
void request_set(struct step_request *r, const char *keyword, struct str value);
/* The same with the step's output of that name, if it has one. */
void request_set_output(struct step_request *r, const char *keyword);
/* Where the step works: BUILD, or CTEST_BINARY_DIRECTORY. */
struct str request_build_directory(const struct step_request *r);
/* The cmake that a step runs. */
struct str request_cmake(const struct step_request *r);
/* A key of the configuration. */
void request_key(struct step_request *r, const char *key, struct str value);
/* The same, and -VV does not say so. */
void request_key_silently(struct step_request *r, const char *key, struct str value);
/* As the first from a variable, if that is set and not empty. */
void request_key_of(struct step_request *r, const char *key, const char *variable);
/* "CMake Error at ...:\n  TEXT", and it goes on. */
void request_error(struct step_request *r, struct str text);
/* "CMake Error at ...:\n  COMMAND TEXT": the step does not run. Returns false. */
bool request_refuse(struct step_request *r, struct str text);
/* As if the call had them. */
void request_add_values(
	struct step_request *r, const char *keyword, struct str_list values);
/* Drops the values that keep() refuses. */
void request_keep_values(struct step_request *r, const char *keyword,
	bool (*keep)(struct step_request *r, struct str value));
/* The keyword's files: those that are not there are errors, and dropped. */
void request_check_files(struct step_request *r, const char *keyword);
/* The preset that a call uses: PRESET, or what stands for it. */
struct step_preset {
	struct str name, file; /* the file is absolute; "": none */
	bool has_generator; /* it says one, or the script does */
};
/* "": none is asked for. */
struct str request_preset_name(const struct step_request *r, enum preset_step step);
/* false after request_refuse; o as for preset_for_step. */
bool request_take_preset(struct step_request *r, enum preset_step step, struct options *o,
	struct step_preset *taken);
/* What ctest_memcheck has in common with ctest_test. */
extern const struct keyword script_test_keywords[];
bool script_before_test(struct step_request *r);

/* Of the commands' table. false: it has no such step. */
bool script_answer_step(struct script_command *c);
/* The script has seen the errors of the arguments. */
void script_answer_go_on(struct script_command *c);

/* The dashboard of the process: a script goes on with what another has started. */
struct dashboard *script_dashboard(struct scripts *s);
void script_set_key(struct dashboard *d, const char *key, struct str value);
/* The key's value from the variable, if it is set. */
void script_take_key(struct dashboard *d, const struct script_call *call, const char *key,
	const char *variable);
/* Absolute, from the directory that the script runs in. */
struct str script_path(struct scripts *s, struct str path);

/* The files are included by the prelude, so many commands deeper than it asks, and these
 * are their names in messages. */
void script_custom_begin(struct script_command *c, const struct str_list *files,
	const struct str *spelled, uint64_t deeper);
/* CTestCustom.cmake or CTestCustom.ctest of the directory, or STR_NONE. */
struct str script_custom_file(struct arena *a, struct str directory);
/* Of the commands: ctest_read_custom_files, and one of its files was included. */
void script_answer_custom_files(struct script_command *c);
void script_answer_custom_file(struct script_command *c);

/* ctest_start in three steps, between which the prelude includes the files that the last
 * one named: CTestConfig.cmake, then CTestCustom.cmake. */
void script_answer_start(struct script_command *c);
void script_answer_configured(struct script_command *c);
void script_answer_customized(struct script_command *c);

/* The script is over: files that are still being read have ended it. */
void script_custom_end(struct scripts *s);
/* So have those of ctest_start, which ends itself. */
void script_starts_end(struct scripts *s);
/* Those of another script, or NULL for one that begins. */
void script_starts_set(struct scripts *s, struct script_start *starts);

#endif
