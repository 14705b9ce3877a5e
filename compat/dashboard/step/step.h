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
#ifndef CCTR_COMPAT_DASHBOARD_STEP_STEP_H
#define CCTR_COMPAT_DASHBOARD_STEP_STEP_H

#include "compat/console/console.h"
#include "compat/options/dashboard_options.h"
#include "compat/run/mode.h"
#include "compat/settings/configuration.h"
#include "compat/settings/custom.h"

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
	int submit_index; /* SUBMIT_INDEX; 0: not told, less: none */
	bool append;
};
/* The keyword is there, with values or without. */
bool step_has(const struct step_call *c, const char *name);
/* The first value of a keyword, or STR_NONE. */
struct str step_value(const struct step_call *c, const char *name);
struct str_list step_values(const struct step_call *c, const char *name);

/* NUMBER_ERRORS, DEFECT_COUNT, BUILD_ID: what the command's variable becomes. */
struct step_output {
	struct str name, value;
};
typedef VEC(struct step_output) step_outputs;
struct step_result {
	int value; /* RETURN_VALUE */
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
	struct str directory; /* of the build tree, which is the working directory */
	struct str binary, source; /* as they are spelled; files go below binary */
	enum model model;
	struct str group; /* of the tag */
	bool is_group_the_model; /* a script named none: Submit does not say it */
	struct str tag; /* "20261121-0755", "" when there is none yet */
	int64_t started_s; /* when cctr started, for TimeLimit */
	/* Of a script: it says where its results go and may have no tag at all. */
	bool is_script;
	bool is_quiet; /* of the command that runs */
	bool ends; /* the script has no use for what comes behind */
	bool is_starting, appends, model_is_known; /* ctest_start */
	bool wants_files; /* one was called: without a tag files are missed */
	bool is_resuming; /* without a start: a nightly one begins at midnight */
	struct str asked_group; /* of the last GROUP */
	/* Keys that -D sets: what a command sets is not what they get. */
	VEC(struct variable) defined;
	/* Global properties of a script; STR_NONE: not set. */
	struct str subproject, subproject_labels, label;
	struct str_list headers; /* of the last HTTPHEADER */
	struct str build; /* its number, as the server last said it */
	int interrupted; /* the signal that ended a step early */
	enum part part; /* of the step that runs */
	int submit_index; /* in the names of its files; 0: none */
	int indices[PARTS]; /* of earlier calls: until 4.0 they hold for later ones */
	/* What was written under this tag: paths, with the part they are of. */
	VEC(struct step_file {
		enum part part;
		struct str path; /* below Testing/<tag>, or absolute */
	})
	files;
};

/* As console_say, but QUIET of a script's command leaves errors alone. */
void step_say(const struct dashboard *d, enum channel channel, struct str text);
void step_fmt(const struct dashboard *d, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* "\"git\" \"fetch\"": a command in logs, without its secrets. */
struct str step_words(struct arena *a, const struct str_list *words);
/* RETURN_VALUE is -1. Always false. */
bool step_fail(struct step_result *r);

/* Testing/<tag>, made where it is not there; "" after it has said why there is none. */
struct str dashboard_directory(struct dashboard *d);
/* The tag as it stands in the names of logs: "20261121-0755", "5_20261121-0755". */
struct str dashboard_log_tag(const struct dashboard *d);
/* "Test.xml", "Test_5.xml" */
struct str dashboard_file(const struct dashboard *d, const char *name);
/* It is written, and can be submitted. */
void dashboard_note_file(struct dashboard *d, struct str file);
/* Testing/Temporary/Last<name>_<tag>.log */
struct str dashboard_log(const struct dashboard *d, const char *name);
/* Makes the directory that such a path names; false after it has said that there can be
 * no log. */
bool dashboard_log_directory(const struct dashboard *d, struct str path);
/* Testing/<tag>/<name>.xml gets the text, under its name only when it is whole. false,
 * and said, where it cannot be written. */
bool dashboard_write(struct dashboard *d, const char *name, struct str text);

/* One function per step, in step_<name>.c. */
/* For a caller that does not start: goes on with the tag of an earlier start, or makes
 * one. false, and said, where there can be none. */
bool step_resume(struct dashboard *d);
/* The tag of a script's ctest_start. */
bool step_begin(struct dashboard *d);
/* The moment that a dashboard of its model is of: now, or when the nightly ones begin.
 * false, and said, where nobody knows it. */
bool step_moment(struct dashboard *d, int64_t *seconds);
/* Whether anybody knows it; says nothing. */
bool step_has_moment(const struct dashboard *d);
bool step_start(struct dashboard *d, const struct step_call *c, struct step_result *r);
/* What an update of a command is called without, in the command's words, or "". */
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
