/* What clients of a run share: finding it, asking it, and saying what went wrong. */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_CALL_H
#define CCTR_RUNNER_CONTROL_CONTROL_CALL_H

#include "runner/control/control_requests.h"

enum { CODE_OK, CODE_REFUSED, CODE_USAGE, CODE_PENDING };

/* Says why on standard error; returns the code. */
int control_fail(struct arena *a, int code, const char *fmt, ...) CCTR_PRINTF(3, 4);
/* The sockets of all runs of this machine. false after a message. */
CCTR_MUST_CHECK bool control_find_runs(struct arena *a, struct str_list *paths);
/* A connection to the run of that process, unless it is 0; else of the tree, else (NULL)
 * of the run that has started us, else of the tree here. -1 after a message. */
int control_call(struct arena *a, const char *tree, uint64_t pid);
/* One line. false: why is a sentence. */
bool control_ask(struct arena *a, int fd, const struct control_request *q,
	struct str *line, const char **why);

#endif
