/*
 * The steps of a dashboard: one struct of data goes in, one comes out. A step reads no
 * CMake variable and does not know its caller: the command line (-T, -M, -D) or a command
 * of a script. The caller resolves variables and files to the keys of struct
 * configuration before the call.
 *
 * A step prints ctest's messages through the console, and writes its files below
 * Testing/. What only its caller can express (a CMake error, a variable to set) goes into
 * the result.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_STEP_H
#define CCTR_COMPAT_DASHBOARD_STEP_STEP_H

#include "compat/console/console.h"
#include "compat/instrument/instrumentation.h"
#include "compat/options/dashboard_options.h"
#include "compat/run/mode.h"
#include "compat/settings/configuration.h"
#include "compat/settings/custom.h"

/* A keyword of the command with the words after it: GROUP g, PARTS a b. */
struct step_argument {
	struct str name;
	const struct str *values;
	size_t n;
};
struct step_call {
	enum part part;
	const struct step_argument *arguments;
	size_t n;
	/* In the names of the step's files. Of the caller: SUBMIT_INDEX; 0: not given,
	 * negative: none. */
	int submit_index;
	bool append;
};
/* true: the keyword is given, with values or without. */
bool step_has(const struct step_call *c, const char *name);
/* The first value of a keyword, or STR_NONE. */
struct str step_value(const struct step_call *c, const char *name);
struct str_list step_values(const struct step_call *c, const char *name);

/* The dashboard that results belong to. */
struct stamp {
	struct str tag; /* "20261121-0755"; "": none yet */
	struct str group; /* in the tag */
	bool is_group_the_model; /* no group was named: Submit does not print it */
	struct str asked_group; /* from --group or the last GROUP */
	enum model model;
	/* No start before: a nightly dashboard begins at midnight. */
	bool is_resumed;
};

/* A file that was written, with the part that submits it. */
struct step_file {
	enum part part;
	struct str path; /* below Testing/<tag>, or absolute */
};
typedef VEC(struct step_file) step_files;

struct step_input {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	/* From the command line, changed by the command's arguments. */
	const struct options *options;
	const struct test_inputs *inputs;
	/* Site, BuildName, SourceDirectory, BuildDirectory, ...: resolved by the caller.
	 */
	const struct configuration *configuration;
	const struct custom *custom; /* CTEST_CUSTOM_* */
	/* Where the step works: the build tree. Programs start there, and relative names
	 * are there. */
	struct str directory;
	struct str binary, source; /* as spelled; files go below binary */
	struct stamp stamp;
	/* For a script: it says where its results go, and may have no tag at all. */
	bool is_script;
	bool is_quiet; /* QUIET */
	bool wants_files; /* ctest_start was called: files need a tag */
	/* Global properties of a script; STR_NONE: not set. */
	struct str subproject, subproject_labels, label;
	const step_files *files; /* of earlier steps under this tag */
	struct str_list headers; /* of earlier calls: HTTPHEADER */
	struct str build; /* its number, from the server's last answer; "": none */
	int interrupted; /* the signal that ended an earlier step, or 0 */
	struct step_call call;
};

/* NUMBER_ERRORS, DEFECT_COUNT, BUILD_ID: the value for the command's variable. */
struct step_output {
	struct str name, value;
};
typedef VEC(struct step_output) step_outputs;
struct step_result {
	bool has_failed;
	int value; /* RETURN_VALUE */
	step_outputs outputs;
	step_files files; /* written */
	/* For the caller: "called with no current tag.", without the command's name.
	 * Messages of ctest's own channels have already been printed. */
	str_vec errors;
	struct str refusal; /* another such message, for a call that is an error, or "" */
	int interrupted; /* the signal that ended the step, or an earlier one, early */
	const char *unset; /* a variable that later steps do not get, or NULL */
	bool ends; /* the script ends, unless the error is captured */
};

/* Like console_say, but silent for a script's command with QUIET, except for errors. */
void step_say(const struct step_input *in, enum channel channel, struct str text);
void step_fmt(const struct step_input *in, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* "\"git\" \"fetch\"": a command as logs show it, without its secrets. */
struct str step_words(struct arena *a, const struct str_list *words);
/* Sets RETURN_VALUE to -1. Always false. */
bool step_fail(struct step_result *r);

/* Whether CTEST_TIME_LIMIT leaves time for another step. */
bool step_has_time(const struct options *o);

/* The file that a name from the user means. */
const char *step_path(const struct step_input *in, struct str name);
/* A key of the configuration; "": it is not set. */
struct str step_key(const struct step_input *in, const char *key);
/* As spelled. A command with BUILD works in another directory than that of the files. */
struct str step_build_directory(const struct step_input *in);
/* "./x": the full path relative to the source tree or to the build tree, whichever is
 * shorter, as CDash expects it. A tree may be "". */
struct str step_short_path(
	struct arena *a, struct str source, struct str binary, struct str path);
/* Testing/<tag>, made if missing; "" after a message why there is none. */
struct str step_directory(const struct step_input *in, struct step_result *r);
/* The tag in the names of logs: "20261121-0755", "5_20261121-0755". */
struct str step_log_tag(const struct step_input *in);
/* "Test.xml", "Test_5.xml" */
struct str step_file_name(const struct step_input *in, const char *name);
/* Notes that the file is written and can be submitted. */
void step_note_file(const struct step_input *in, struct step_result *r, struct str file);
/* Testing/Temporary/Last<name>_<tag>.log */
struct str step_log(const struct step_input *in, const char *name);
/* Makes the directory of such a path. false after a message that there can be no log. */
bool step_log_directory(const struct step_input *in, struct str path);
/* Writes Testing/<tag>/<name>.xml, and renames it when it is complete. false after a
 * message: it cannot be written. */
bool step_write(const struct step_input *in, struct step_result *r, const char *name,
	struct str text);

/* false: the build tree certainly records nothing. */
bool step_may_be_recorded(const struct step_input *in);
/* What the build tree records, after the hook for CDash: its data are in the tree's
 * cdash folder. NULL: nothing. */
const struct instrumentation *step_instrumentation(const struct step_input *in);
/* Prints why something recorded is left out. */
void step_complain(const struct step_input *in, const struct buf *complaints);

/* What the command of an update lacks, in the command's words, or "". */
struct str step_update_missing(const struct step_input *in);

/* One function per step, in step_<name>.c. false: it failed. */
typedef bool step_function(const struct step_input *in, struct step_result *r);
step_function step_update, step_configure, step_build, step_test, step_memcheck,
	step_coverage, step_submit, step_notes, step_upload;

#endif
