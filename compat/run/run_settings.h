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
#include "compat/run/run_inputs.h"
#include "compat/settings/settings.h"

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
