/*
 * A PMIx server (pmix_host.h) for tests that start on this machine. It is started with
 * the first test that may ask for leases by PMIx's calls. Where it ends, its programs get
 * no more answers, and the next test gets another server.
 */
#ifndef CCTR_RUNNER_PMIX_PMIX_SERVER_H
#define CCTR_RUNNER_PMIX_PMIX_SERVER_H

#include "runner/base/base.h"

struct loop;
struct pmix_server;

struct pmix_listener {
	void *context;
	/* A program of that test asks something: control_requests.h. */
	void (*asked)(void *context, uint32_t test, uint64_t number, struct str request);
	/* No program waits for an answer any more; numbers begin again. */
	void (*lost)(void *context);
};

struct pmix_server *pmix_server_open(
	struct arena *a, struct loop *l, const struct pmix_listener *listener);
/* Before the loop ends. */
void pmix_server_close(struct pmix_server *s);
/* The next attempt of the test, which has that number, may ask, with so many processes.
 * true: pmix_server_admit() knows whether it can. false: the loop tells when this is to
 * be called again. */
bool pmix_server_ask(struct pmix_server *s, uint32_t test, unsigned ranks);
/* Then the attempt starts. *variables, "NAME=VALUE", are those of the first of its
 * processes; in those of the others PMIX_RANK is 1 and so on. false: *why is a phrase. */
CCTR_MUST_CHECK bool pmix_server_admit(struct pmix_server *s, struct arena *a,
	uint32_t test, struct str_list *variables, const char **why);
/* The test, if it is known, asks for nothing more. */
void pmix_server_leave(struct pmix_server *s, uint32_t test);
/* Lines: the number of a question, a blank, its answer (control_leases.h). */
void pmix_server_put(struct pmix_server *s, struct str answers);
/* While it is held, nothing is asked. */
void pmix_server_hold(struct pmix_server *s, bool is_held);

#endif
