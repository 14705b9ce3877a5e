/*
 * A run with a PMIx server (pmix_server.h): tests that are admitted may ask for leases.
 * Where the server ends, their pending requests are canceled.
 */
#ifndef CCTR_RUNNER_PMIX_PMIX_LINK_H
#define CCTR_RUNNER_PMIX_PMIX_LINK_H

#include "runner/run/runner.h"

struct pmix_link;

struct pmix_link *pmix_link_new(struct arena *a);
/* For struct run; what it hears, other (or NULL) hears, too. */
struct control *pmix_link_control(struct pmix_link *l, struct control *other);
/* While the run goes on. */
struct pmix_server *pmix_link_server(const struct pmix_link *l);

#endif
