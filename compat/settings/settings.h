/*
 * What the build tree says beside its tests: DartConfiguration.tcl and CTestCustom.cmake,
 * and what they change of the options.
 */
#ifndef CCTR_COMPAT_SETTINGS_SETTINGS_H
#define CCTR_COMPAT_SETTINGS_SETTINGS_H

#include "compat/console/console.h"
#include "compat/settings/configuration.h"
#include "compat/settings/custom.h"
#include "runner/process/job_server.h"

struct settings {
	struct arena *arena;
	struct options *options; /* changed by what is read */
	const struct dialect *dialect;
	struct console *console;
	/* Where files go: BuildDirectory as it is spelled, relative to itself if it is
	 * relative, and also where it is not there. */
	struct str binary;
	struct str start; /* where the configuration was read first */
	struct configuration configuration;
	struct custom custom;
	bool is_script; /* its variables were not taken from a file */
	/* The configuration, or the directory that it names; which was said. */
	bool is_unreadable;
};

/* What ctest sets in its own environment; files, commands and tests find it there. */
void settings_enter_environment(
	struct arena *a, const struct options *o, const struct dialect *dialect);
/* The same by ctest_start, which nobody watches, whatever --interactive-debug-mode says.
 */
void settings_enter_dashboard(
	struct arena *a, const struct options *o, const struct dialect *dialect);
/* Goes to the BuildDirectory that the configuration names, and returns where that is. */
struct str settings_read_configuration(struct settings *s, struct str directory);
/* In the directory that it has gone to: before a step of a dashboard that needs what an
 * earlier one has written. */
void settings_read_again(struct settings *s);
/* What the command line says is stronger than every file. */
void settings_overwrite(struct settings *s);
/* The same where ctest reads it twice, behind CTestCustom: it goes to the directory
 * again, which may be below itself. -> where that is. */
struct str settings_go_on(struct settings *s, struct str directory);
/* Says that a file that is there cannot be read; always false. */
bool settings_say_unreadable(
	struct arena *a, struct console *console, struct str file, int error);
/* What -V says of it, and complaints about it. */
void settings_say_configuration(struct settings *s);
/* The variables of CTestCustom.cmake, n of them; NULL: there is no such file. Says what
 * is wrong with them. */
void settings_take_custom(struct settings *s, const struct variable *v, size_t n);
/* CTestCustom's limits are stronger than the command line's. false: one of them is none,
 * and the run must fail; of the variables of a script it is said here. */
bool settings_obey_custom(struct settings *s);
/* The job server of MAKEFLAGS, which then says how many tests run where -j does not; NULL
 * when there is none. */
struct job_server *settings_connect_job_server(struct settings *s);
/* What stands behind all else where something has failed. */
void settings_say_failure(const struct settings *s);
/* A directory for files of the run; false after it has said that there is none: errno. */
bool settings_make_directory(struct arena *a, struct console *console, const char *path);

#endif
