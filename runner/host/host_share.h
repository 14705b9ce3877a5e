/*
 * A run beside others on the same machine: what it holds of its pool is in a file that
 * all of them read, and it takes only what the others do not hold.
 *
 * A run looks into the file and changes it while no other run does: enter, let the
 * scheduler decide, leave. So each claim is made as a whole or not at all, and no run
 * holds a part while it waits for the rest.
 */
#ifndef CCTR_RUNNER_HOST_HOST_SHARE_H
#define CCTR_RUNNER_HOST_HOST_SHARE_H

#include "runner/base/loop.h"
#include "runner/host/host_file.h"
#include "runner/schedule/scheduler.h"

struct host_share;
struct host_listener {
	void *context;
	/* Others have given something back, or look. */
	void (*news)(void *context);
	/* Something that the user should know. */
	void (*say)(void *context, struct str text);
};

/* whole: see host_claims_new. NULL after diag_error. */
struct host_share *host_share_open(struct arena *a, const struct host_place *place,
	struct pool *p, const struct pool *whole, struct diag *d);
/* Before the first look. */
void host_share_begin(
	struct host_share *h, struct loop *l, const struct host_listener *listener);

enum host_look {
	HOST_LOOKS, /* leave follows */
	HOST_LATER, /* another run looks: try again at the time of host_share_again */
	/* The file cannot be read or written. The first time a diag_error says why; the
	 * scheduler sees nothing of others any more. */
	HOST_LOST,
};
enum host_look host_share_enter(
	struct host_share *h, struct scheduler *s, struct diag *d);
/* done: what the scheduler has decided; NULL: it was not asked. false after a diag_error:
 * it must not be done, since others do not know it; the file is lost. */
CCTR_MUST_CHECK bool host_share_leave(struct host_share *h, struct scheduler *s,
	const struct action *done, struct diag *d);
/* When the next look is due, whatever happens; LOOP_FOREVER: only when something
 * happens. */
uint64_t host_share_again(const struct host_share *h);
/* Nothing is held any more. */
void host_share_close(struct host_share *h);

#endif
