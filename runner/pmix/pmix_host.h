/*
 * The PMIx server of a run, in a process of its own: libpmix has threads, reads the
 * environment, needs descriptors below 1024, ends the process where it is confused, and
 * can be opened only once. All of that is apart from the run.
 *
 * The process knows which programs may connect, and nothing of leases. The standard input
 * and output are a socket on which the run admits programs, one line each:
 *
 *   admit NAMESPACE RANKS    answered by {"variables":["NAME=VALUE",...]} or {"why":""}
 *   leave NAMESPACE          no answer
 *
 * On the standard error, which is a socket, too, it asks the run, and gets answers in any
 * order:
 *
 *   NUMBER NAMESPACE REQUEST       as of control_requests.h
 *   NUMBER ANSWER                  as of control_leases.h
 */
#ifndef CCTR_RUNNER_PMIX_PMIX_HOST_H
#define CCTR_RUNNER_PMIX_PMIX_HOST_H

#include "runner/base/base.h"

/* The first word of the command line of that process; the folder for files of libpmix
 * follows. */
#define PMIX_HOST_WORD "--pmix-host"

/* Why there can be no server; NULL: there can be one. */
const char *pmix_host_lacks(void);
/* Returns the exit code when the run closes its end. */
int pmix_host_run(struct arena *a, const char *folder);

#endif
