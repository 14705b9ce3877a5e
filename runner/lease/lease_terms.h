/* Resources as text, as a group of RESOURCE_GROUPS: "gpus:2,gpus:2,ports:1"; a type alone
 * is one slot; "gpus@3:1" is one of the instance 3. */
#ifndef CCTR_RUNNER_LEASE_LEASE_TERMS_H
#define CCTR_RUNNER_LEASE_LEASE_TERMS_H

#include "runner/model/model.h"

enum { LEASE_TERMS_MOST = 1024 };

/* false: *why is a phrase. */
bool lease_terms_read(
	struct arena *a, struct str text, struct resource_groups *g, const char **why);

#endif
