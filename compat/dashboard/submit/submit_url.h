/* The name of a file on the server, and its URL. */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_URL_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_URL_H

#include "runner/cmakelang/dialect.h"

struct submit_names {
	struct str site, build, subproject; /* subproject STR_NONE for none */
	struct str tag, group;
};

/* "SITE___BUILD___TAG-GROUP___XML___NAME" */
struct str submit_remote_name(struct arena *a, const struct submit_names *n,
	const struct dialect *dialect, struct str name);
/* names: NULL for a file that does not belong to this build. */
struct str submit_url(struct arena *a, struct str url, struct str remote,
	const struct submit_names *names, struct str md5);
/* Encodes all bytes except letters, digits and "-._~" as %XX. */
struct str submit_escape(struct arena *a, struct str s);

#endif
