/* The dashboard of a command line: -T, -M, -D. It runs the same steps as a script. */
#ifndef CCTR_COMPAT_DASHBOARD_CLIENT_DASHBOARD_H
#define CCTR_COMPAT_DASHBOARD_CLIENT_DASHBOARD_H

#include "compat/dashboard/step/dashboard.h"
#include "compat/settings/settings.h"

enum { EXIT_NO_DASHBOARD = 12 };

struct client;

/* Reads the configuration. The caller then enters dashboard_place. */
struct client *dashboard_open(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs);
const struct settings_place *dashboard_place(const struct client *c);
/* Prints what precedes the steps. false after a message: there is no dashboard. *build:
 * the build tree of a preset, which the caller enters before dashboard_read_again; "": no
 * preset names one. */
bool dashboard_introduce(struct client *c, struct str *build);
/* Reads the configuration again, as dashboard_open. */
void dashboard_read_again(struct client *c);
/* false after a message: no step may run. */
bool dashboard_begin(struct client *c);
/* Runs the next step. false: none is left. *unset: a variable that the caller removes
 * from cctr's own environment for later steps, or NULL. */
bool dashboard_step(struct client *c, const char **unset);
/* Returns the exit code: one bit for each step that failed. */
int dashboard_end(const struct client *c, int *interrupted);

#endif
