/*
 * The dashboard of a command line since ctest 4.0: -T, -M and -D run the commands of
 * scripts. Their variables are set from the configuration and, since 4.4, from -D.
 */
#ifndef CCTR_COMPAT_DASHBOARD_CLIENT_SCRIPT_CLIENT_H
#define CCTR_COMPAT_DASHBOARD_CLIENT_SCRIPT_CLIENT_H

#include "compat/dashboard/step/dashboard.h"

struct script_client;

/* The options may change between commands. */
struct script_client *script_client_new(struct arena *a, const struct options *options,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs);
/* The dashboard that the client's commands share. */
struct dashboard *script_client_dashboard(struct script_client *c);
/* Sets the keys of the configuration that -D defines. */
void script_client_define_keys(
	struct script_client *c, struct configuration *configuration);
/* Reads CTestCustom.cmake and the definitions of -D, once. false after a message: a file
 * cannot be read. */
CCTR_MUST_CHECK bool script_client_begin(struct script_client *c);
/* Sets variables from the configuration; call it after each reading. */
void script_client_take(
	struct script_client *c, const struct configuration *configuration);
/* The seconds of CTEST_TIME_LIMIT, or since 4.4 of TimeLimit; STR_NONE: there is no
 * limit. */
struct str script_client_limit(
	const struct script_client *c, const struct configuration *configuration);
/* *build: the build directory of the configure preset that a variable names; "": none.
 * false after a message: the preset cannot be used. */
bool script_client_preset_build(struct script_client *c, struct str *build);
/* ctest_start. false after a message: no dashboard was started. */
bool script_client_start(struct script_client *c);
/* Runs the command of a step. false: it raised an error, or RETURN_VALUE says that it
 * failed. *value: RETURN_VALUE, or 0. After a fatal error of a command nothing runs, and
 * *value stays. */
bool script_client_run(struct script_client *c, enum part part, int *value);

#endif
