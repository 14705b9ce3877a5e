/*
 * What the build tree sets beside its tests: DartConfiguration.tcl and CTestCustom.cmake,
 * and how they change the options.
 */
#ifndef CCTR_COMPAT_SETTINGS_SETTINGS_H
#define CCTR_COMPAT_SETTINGS_SETTINGS_H

#include "compat/console/console.h"
#include "compat/options/options.h"
#include "compat/settings/configuration.h"
#include "compat/settings/custom.h"
#include "runner/process/job_server.h"

struct settings {
	struct arena *arena;
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	/* Where files go: BuildDirectory as it is spelled, even if it does not exist. A
	 * relative one is relative to itself. */
	struct str binary;
	struct str start; /* where the configuration was first read */
	/* The build tree, if it is not the working directory; "": it is. main enters the
	 * path and gives PWD the name. */
	struct settings_place {
		struct str path, name;
	} place;
	struct configuration configuration;
	struct custom custom;
	bool is_script; /* the variables come from a script, not from a file */
	/* The configuration, or the directory that it names, cannot be read; that has
	 * been reported. */
	bool is_unreadable;
};

/* The variables that ctest sets in its own environment, as "NAME=VALUE": files, commands
 * and tests see them. is_dashboard: a start of a dashboard by a command, which always
 * counts as non-interactive, whatever --interactive-debug-mode says. */
struct str_list settings_variables(struct arena *a, const struct options *o,
	const struct dialect *dialect, bool is_dashboard);
/* Those of them that ctest sets before it runs a script. */
struct str_list settings_script_variables(struct arena *a, const struct options *o);
/* Finds the BuildDirectory that the configuration names: s->place. Returns its path. */
struct str settings_read_configuration(struct settings *s, struct str directory);
/* The functions that take `changed` write what the files set into these options. */
/* Reads the configuration again in the build tree: for a step of a
 * dashboard that needs the output of an earlier one. */
void settings_read_again(struct settings *s, struct options *changed);
/* Applies --overwrite, which wins over every file. */
void settings_overwrite(struct settings *s);
/* For dialects that read the configuration again after CTestCustom, and enter the
 * directory again, which may be below itself. Returns its path. */
struct str settings_go_on(
	struct settings *s, struct options *changed, struct str directory);
/* Reports that an existing file cannot be read. Always false. */
bool settings_say_unreadable(
	struct arena *a, struct console *console, struct str file, int error);
/* Prints what -V shows about the configuration, and its errors. */
void settings_say_configuration(struct settings *s, struct options *changed);
/* Applies what CTestCustom.cmake sets, and reports errors in its variables. */
void settings_take_custom(struct settings *s, const struct settings_file *found);
/* CTestCustom's limits win over the command line's. false: a limit is invalid, and the
 * run must fail. For the variables of a script the error is printed here. */
bool settings_obey_custom(const struct settings *s, struct options *changed);
/* Connects to the job server of MAKEFLAGS. NULL: there is none. */
struct job_server *settings_connect_job_server(
	struct arena *a, const struct dialect *dialect);
/* The last message of a run in which something has failed. */
void settings_say_failure(const struct settings *s);
/* Makes a directory for files of the run. false after reporting the errno. */
bool settings_make_directory(struct arena *a, struct console *console, const char *path);

#endif
