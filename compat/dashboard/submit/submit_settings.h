/* The settings of a connection to a dashboard: from the configuration, then from the
 * environment. */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_SETTINGS_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_SETTINGS_H

#include "compat/dashboard/submit/http.h"
#include "compat/settings/configuration.h"
#include "runner/cmakelang/dialect.h"

struct http_settings submit_settings(
	struct arena *a, const struct configuration *c, const struct dialect *dialect);
/* SubmitURL, or the URL that the Drop keys form. */
struct str submit_address(struct arena *a, const struct configuration *c);

#endif
