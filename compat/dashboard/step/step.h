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
	int submit_index; /* SUBMIT_INDEX; 0: not given, negative: none */
	bool append;
};
/* true: the keyword is given, with values or without. */
bool step_has(const struct step_call *c, const char *name);
/* The first value of a keyword, or STR_NONE. */
struct str step_value(const struct step_call *c, const char *name);
struct str_list step_values(const struct step_call *c, const char *name);

/* NUMBER_ERRORS, DEFECT_COUNT, BUILD_ID: the value for the command's variable. */
struct step_output {
	struct str name, value;
};
typedef VEC(struct step_output) step_outputs;
struct step_result {
	int value; /* RETURN_VALUE */
	step_outputs outputs;
	/* For the caller: "called with no current tag.", without the command's name.
	 * Messages of ctest's own channels have already been printed. */
	str_vec errors;
};

struct dashboard {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	/* From the command line, changed by the command's arguments for its step. */
	struct options *options;
	const struct test_inputs *inputs;
	/* Site, BuildName, SourceDirectory, BuildDirectory, ...: resolved by the caller.
	 */
	struct configuration configuration;
	struct custom custom; /* CTEST_CUSTOM_* */
	struct str directory; /* of the build tree, which is the working directory */
	struct str binary, source; /* as spelled; files go below binary */
	enum model model;
	struct str group; /* the group in the tag */
	bool is_group_the_model; /* a script named none: Submit does not print it */
	struct str tag; /* "20261121-0755"; "": none yet */
	int64_t started_s; /* when cctr started, for TimeLimit */
	/* For a script: it says where its results go, and may have no tag at all. */
	bool is_script;
	bool is_quiet; /* QUIET of the running command */
	bool ends; /* the script ends, unless the error is captured */
	bool is_starting, appends, model_is_known; /* ctest_start */
	bool wants_files; /* ctest_start was called: files need a tag */
	bool is_resuming; /* no start before: a nightly one begins at midnight */
	struct str asked_group; /* from the last GROUP */
	/* Keys that -D sets; a command's own value does not override them. */
	VEC(struct variable) defined;
	/* Global properties of a script; STR_NONE: not set. */
	struct str subproject, subproject_labels, label;
	struct str_list headers; /* from the last HTTPHEADER */
	struct str build; /* its number, from the server's last answer */
	int interrupted; /* the signal that ended a step early */
	enum part part; /* of the running step */
	int submit_index; /* in the names of its files; 0: none */
	int indices[PARTS]; /* of earlier calls: until 4.0 later calls use them too */
	/* The files written under this tag, with their parts. */
	VEC(struct step_file {
		enum part part;
		struct str path; /* below Testing/<tag>, or absolute */
	})
	files;
};

/* Like console_say, but silent for a script's command with QUIET, except for errors. */
void step_say(const struct dashboard *d, enum channel channel, struct str text);
void step_fmt(const struct dashboard *d, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* "\"git\" \"fetch\"": a command as logs show it, without its secrets. */
struct str step_words(struct arena *a, const struct str_list *words);
/* Sets RETURN_VALUE to -1. Always false. */
bool step_fail(struct step_result *r);

/* Testing/<tag>, made if missing; "" after a message why there is none. */
struct str dashboard_directory(struct dashboard *d);
/* The tag in the names of logs: "20261121-0755", "5_20261121-0755". */
struct str dashboard_log_tag(const struct dashboard *d);
/* "Test.xml", "Test_5.xml" */
struct str dashboard_file(const struct dashboard *d, const char *name);
/* Notes that the file is written and can be submitted. */
void dashboard_note_file(struct dashboard *d, struct str file);
/* Testing/Temporary/Last<name>_<tag>.log */
struct str dashboard_log(const struct dashboard *d, const char *name);
/* Makes the directory of such a path. false after a message that there can be no log. */
bool dashboard_log_directory(const struct dashboard *d, struct str path);
/* Writes Testing/<tag>/<name>.xml, and renames it when it is complete. false after a
 * message: it cannot be written. */
bool dashboard_write(struct dashboard *d, const char *name, struct str text);

/* One function per step, in step_<name>.c. */
/* For a caller that does not start: continues with the tag of an earlier start, or makes
 * one. false after a message: there can be none. */
bool step_resume(struct dashboard *d);
/* Makes or reads the tag for a script's ctest_start. */
bool step_begin(struct dashboard *d);
/* The time of a dashboard of this model: now, or when the nightly ones begin. false after
 * a message: it is not known. */
bool step_moment(struct dashboard *d, int64_t *seconds);
/* true: step_moment knows the time. Prints nothing. */
bool step_has_moment(const struct dashboard *d);
bool step_start(struct dashboard *d, const struct step_call *c, struct step_result *r);
/* What the command of an update lacks, in the command's words, or "". */
struct str step_update_missing(struct dashboard *d);
bool step_update(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_configure(
	struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_build(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_test(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_memcheck(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_coverage(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_submit(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_notes(struct dashboard *d, const struct step_call *c, struct step_result *r);
bool step_upload(struct dashboard *d, const struct step_call *c, struct step_result *r);

#endif
