/* What the command line says, as values. ctest(1). */
#ifndef CCTR_COMPAT_OPTIONS_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_OPTIONS_H

#include "compat/options/console_options.h"
#include "compat/options/dashboard_options.h"
#include "compat/options/engine_options.h"
#include "compat/options/report_options.h"
#include "compat/options/resource_options.h"
#include "compat/options/run_options.h"
#include "compat/options/schedule_options.h"
#include "compat/options/selection_options.h"
#include "runner/base/caller.h"
#include "runner/cmakelang/dialect.h"
#include "runner/model/source.h"

/* ctest's exit codes. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 1, /* bad arguments or directory, text not written */
	EXIT_TESTS_FAILED =
		8 /* also: test files that cannot be read, bad resource spec */
};

enum name_list { NAMES_NOT, NAMES_TESTS, NAMES_LABELS };
enum show_only { SHOW_NOTHING, SHOW_HUMAN, SHOW_JSON_V1 };
enum help_request {
	HELP_NONE,
	HELP_USAGE,
	HELP_VERSION,
	HELP_VERSION_FULL,
	HELP_VERSION_JSON,
	HELP_PRESETS /* --list-presets */
};

/* A use of an option of cctr's own on the command line. */
struct own_use {
	const char *name; /* the first of its row, such as "-r" */
	bool has_value;
	struct str value;
};
/* What an option of cctr's own is set to, and where that is said. */
struct own_setting {
	struct str name; /* without dashes */
	struct str_list values; /* "true" where an option takes no value */
	const char *source; /* "command line", "environment", "tree", "user", "default" */
	struct str place; /* "--ui", "CCTR_UI", "/tree/cctr.yaml:3"; "" for a default */
	struct str profile; /* of the file; "": none */
};
enum show_history { SHOW_HISTORY_NOT, SHOW_HISTORY_HUMAN, SHOW_HISTORY_JSON };
enum show_settings { SHOW_SETTINGS_NOT, SHOW_SETTINGS_HUMAN, SHOW_SETTINGS_JSON };

/* Which build tree, and what its configuration says: --test-dir, --overwrite. */
struct tree_options {
	struct str test_dir; /* --test-dir */
	struct str entered; /* full path of test_dir, once it has been entered */
	struct caller_names names; /* of directories, as the caller's PWD spells them */
	struct str source_dir;
	str_vec overwrites; /* "key=value" */
};

/* --build-and-test. */
struct build_options {
	bool is_asked; /* --build-and-test */
	struct str source, binary; /* as given */
	struct str generator, platform, toolset, project, make_program;
	struct str config_sample, exe_dir, run_dir;
	str_vec targets; /* "" is the default one */
	str_vec options; /* of cmake */
	str_vec test_command;
	bool no_cmake, no_clean, two_config;
	double timeout_s; /* 0 or less: no limit */
};

/* What evaluates scripts. */
enum script_evaluator { EVALUATED_BY_CMAKE, EVALUATED_BY_CTEST };

struct script_request {
	struct str script; /* "FILE[,ARGUMENT]" */
	bool is_process; /* -SP: in its own process */
};
struct script_options {
	VEC(struct script_request) requests;
	bool is_alone; /* after -SR, which is for a process of -SP: no other script counts
			*/
	enum script_evaluator evaluator; /* --script-host */
	VEC(struct variable) definitions; /* -D "NAME[:TYPE]=VALUE" */
};

struct submit_options {
	int index; /* 0: none */
	bool is_http_1_0;
	str_vec headers;
};

struct options {
	struct str compat_version; /* --compat-version */
	struct str profile; /* --profile, CCTR_PROFILE; "": none */
	struct str_list own_keys; /* options that cctr.yaml may set */
	VEC(struct own_use) own_uses;
	VEC(struct own_setting) own_settings; /* in the table's order */
	struct str_list own_files; /* the files that were read, the strongest first */
	enum show_settings show_settings; /* cctr config */
	/* cctr history, cctr advise; the tests that it names are selection.tests */
	enum show_history show_history;
	bool show_log; /* cctr log; likewise */
	bool advises; /* cctr advise */
	bool has_wrong_defaults; /* a mistake in cctr.yaml or in a variable */
	struct str_list words; /* of the command line, the program's first */
	struct str manifest; /* --manifest FILE, "-" for standard input */
	struct str configuration; /* -C, or STR_NONE */
	struct str_list environment; /* "NAME=VALUE" of the preset, for cctr itself too */
	struct tree_options tree;
	struct selection_options selection;
	struct resource_options resources;
	struct schedule_options schedule;
	struct engine_options engine;
	struct run_options run;
	struct report_options report;
	struct console_options console;
	struct build_options build; /* --build-and-test */
	struct dashboard_options dashboard;
	struct script_options script;
	struct submit_options submit;
	bool has_error; /* an error that ctest notices only later */
	bool print_labels;
	enum name_list names; /* --completion tests, --completion labels */
	str_vec print_commands; /* names of tests */
	struct str debug_test; /* --debug-test; STR_NONE: not given */
	struct str_list debugger; /* the words after "--" then */
	/* For print_commands: what cctr was started with. */
	const char *const *caller_environment;
	enum show_only show_only;
	enum help_request help;
};

/* What command_line_parse prints before anything runs, in order. */
struct options_message {
	bool to_stderr;
	bool is_silent; /* for the log alone */
	size_t logs; /* how many --output-log came before; the last gets the message */
	bool is_warning; /* else an error; only for logged messages */
	struct str text; /* with its newline */
};
typedef VEC(struct options_message) options_messages;

/* Whether the command line has that option of cctr's own, such as "--nodes". */
bool options_have_own(const struct options *o, const char *name);
/* Like strtol on the whole text. false: the text has other characters. */
bool option_read_long(struct arena *a, struct str text, long *value);
/* Like strtoul on the whole text, but refuses a minus. false: the text has other
 * characters. */
bool option_read_unsigned(struct str text, unsigned long *value);
/* The configuration that the value of -C names. */
struct str option_configuration(struct arena *a, struct str text);
/* Parse the values of -j and --no-tests. false: not a valid value. */
bool option_read_parallel(
	const struct dialect *dialect, struct str text, struct schedule_options *o);
bool option_read_no_tests(struct str text, enum no_tests *action);

#endif
