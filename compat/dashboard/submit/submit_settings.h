/* What a connection to a dashboard is like: the configuration, then the environment. */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_SETTINGS_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_SETTINGS_H

#include "compat/console/console.h"
#include "compat/dashboard/submit/http.h"
#include "compat/settings/configuration.h"

/* What is not right of it is said on the console, and replaced. */
struct http_settings submit_settings(struct arena *a, const struct configuration *c,
	const struct dialect *dialect, struct console *console);
/* SubmitURL, or what the Drop keys make. */
struct str submit_address(struct arena *a, const struct configuration *c);

#endif
