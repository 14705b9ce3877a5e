/*
 * The dashboard of a command line since ctest 4.0: -T, -M and -D run the commands of
 * scripts, which find as variables what the configuration and, since 4.4, -D say.
 */
#ifndef CCTR_COMPAT_DASHBOARD_CLIENT_SCRIPT_CLIENT_H
#define CCTR_COMPAT_DASHBOARD_CLIENT_SCRIPT_CLIENT_H

#include "compat/dashboard/step/step.h"

struct script_client;

/* The options may change between commands. */
struct script_client *script_client_new(struct arena *a, const struct options *options,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs);
/* The dashboard that its commands share. */
struct dashboard *script_client_dashboard(struct script_client *c);
/* Keys of the configuration that -D sets. */
void script_client_define_keys(
	struct script_client *c, struct configuration *configuration);
/* CTestCustom.cmake and the definitions of -D, once. */
void script_client_begin(struct script_client *c);
/* What the configuration says, each time that it was read. */
void script_client_take(
	struct script_client *c, const struct configuration *configuration);
/* The build directory of the configure preset that a variable names, or "": none.
 * false, and said: it cannot be used. */
bool script_client_preset_build(struct script_client *c, struct str *build);
/* ctest_start; false: no dashboard was started, which is said. */
bool script_client_start(struct script_client *c);
/* The command of a step. false: it raised an error, or RETURN_VALUE says that it failed;
 * *value is that, or 0. */
bool script_client_run(struct script_client *c, enum part part, int *value);

#endif
