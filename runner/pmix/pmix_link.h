/*
 * A run with a PMIx server (pmix_host.h): tests that are admitted may ask for leases by
 * PMIx's calls. The server is started with the first of them. Where it ends, their
 * pending requests are canceled, and the next test gets another server.
 */
#ifndef CCTR_RUNNER_PMIX_PMIX_LINK_H
#define CCTR_RUNNER_PMIX_PMIX_LINK_H

#include "runner/run/runner.h"

struct pmix_link;

struct pmix_link *pmix_link_new(struct arena *a);
/* For struct run; what it hears, other (or NULL) hears, too. */
struct control *pmix_link_control(struct pmix_link *l, struct control *other);
/* The next attempt of the test may ask, with so many processes. true: pmix_link_admit()
 * knows whether it can. false: the loop tells when this is to be called again. */
bool pmix_link_ask(struct pmix_link *l, node_id node, unsigned ranks);
/* Then the attempt starts. *variables, "NAME=VALUE", are those of the first of its
 * processes; in those of the others PMIX_RANK is 1 and so on. false: *why is a phrase. */
CCTR_MUST_CHECK bool pmix_link_admit(struct pmix_link *l, struct arena *a, node_id node,
	struct str_list *variables, const char **why);
/* After the run. */
void pmix_link_close(struct pmix_link *l);

#endif
