/*
 * What one run obeys: the command line, DartConfiguration.tcl, CTestCustom.cmake and the
 * step of a dashboard that it may be. Read first; constant from then on.
 */
#ifndef CCTR_COMPAT_RUN_RUN_SETTINGS_H
#define CCTR_COMPAT_RUN_RUN_SETTINGS_H

#include "compat/console/run_words.h"
#include "compat/instrument/instrumentation.h"
#include "compat/options/options.h"
#include "compat/run/run_context.h"
#include "compat/settings/settings.h"
#include "runner/model/source.h"
#include "runner/resources/pool.h"

struct configuration;
struct custom;
struct report;
struct wrapper;

/* Makes changes of cctr's own environment, as ctest does: localtime() reads TZ there, and
 * libcurl its proxies. Only main has these functions. */
struct own_environment {
	/* set(ENV{X}) of a test file, for all that follows */
	void (*own_change)(
		struct arena *a, const struct environment_change *changes, size_t n);
	/* By "NAME=VALUE", NULL-ended. */
	void (*own_replace)(struct arena *a, const char *const *variables);
};

/* Where tests come from. main chooses it, since compat/ does not know manifests/. */
struct test_inputs {
	const struct source *source;
	struct str path; /* manifest file, or "" for the build directory */
	struct str share; /* cctr's own .cmake files */
	/* Reads CTestCustom.cmake, and makes the changes of its set(ENV{X}) in cctr's own
	 * environment; NULL if there is no such file. */
	bool (*custom)(struct arena *a, const struct source_request *r,
		struct settings_file *found, struct diag *d);
	const struct own_environment *environment; /* NULL: nothing changes it */
	/* --resource-pool-file */
	bool (*pool_file)(
		struct arena *a, struct str path, struct pool *pool, struct diag *d);
};

/* The input of a run that is a step of a dashboard: what has already been read and
 * printed. */
struct test_step {
	const struct configuration *configuration;
	const struct custom *custom;
	struct str directory; /* the build tree */
	struct str binary; /* the same directory as spelled by the user: files go there */
	struct str tag;
	bool is_script;
	/* Runs the tests, or NULL. Chooses its program after everything is read. */
	struct wrapper *wrapper;
	/* Opens one more report, such as Test.xml; may be NULL. For a memory checker that
	 * report closes JUnit's, if there is one, and passes it the checker's results. */
	struct report *(*open_report)(void *context, struct report *junit);
	/* Called after the run or listing, before the commands of CTestCustom that follow
	 * it; may be NULL. */
	void (*finish)(void *context);
	void *context;
};

struct run_settings {
	struct options options; /* as the files change them */
	struct settings files;
	const struct custom_run *custom; /* of the tests, or of the memory check */
	const struct run_words *words;
	const struct test_inputs *inputs;
	const struct test_step *step; /* NULL: a plain run */
	const struct wrapper *wrapper; /* the program that runs the tests, or NULL */
	/* --wrapper: words before all others, the first one the path of a program. */
	struct str_list before;
	/* NULL: the build tree records nothing */
	const struct instrumentation *instrumentation;
	struct str tag; /* of the dashboard; "": none */
	struct str directory; /* of the build tree, as the user's shell spells it */
	struct str temporary; /* Testing/Temporary, where the files of the run go */
	bool is_stopped; /* a command of CTestCustom has ended all evaluation */
	bool is_obeyed; /* no error so far */
	bool is_unreadable; /* a file cannot be read; that has been reported */
	bool is_live; /* a plain run with --ui=live */
	int results; /* a file for watch_rounds_tell; 0: none */
	bool lists_alone; /* nothing else happens before or after the listing */
};

/* Reads the files and reports their errors; a step's caller has done that. step: NULL for
 * a plain run, whose caller then enters files.place. */
const struct run_settings *run_settings_read(struct run_context *c,
	const struct options *o, const struct test_inputs *inputs,
	const struct test_step *step);
/* The request to read the files of the build tree. */
struct source_request run_settings_request(
	const struct run_context *c, const struct run_settings *s);

#endif
