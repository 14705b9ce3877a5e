/*
 * What runs after a process, in the local engine. See engine_local.h.
 *
 * The task stays, with its outcome and its output, and has another process. That process
 * is found, read, reaped and interrupted like any test, and only its test waits for it.
 */
#include "runner/run/engine_local.h"

#include <errno.h>

bool
local_begin_post_run(struct task *t)
{
	struct local *e = t->engine;
	struct launch l = {.timeout_ns = NO_TIMEOUT};
	struct process_begun begun;
	int error;

	if (!t->post_run || e->interrupted_by || !t->post_run->begin(t->post_run, &l))
		return false;
	t->limit_ns = LOOP_FOREVER;
	error = process_start(e->starter, &l, &begun);
	if (!error && !local_started(t, &begun))
		error = errno;
	if (error) {
		t->post_run->end(t->post_run, error, 0);
		return false;
	}
	t->is_post_run = true;
	return true;
}

void
local_end_post_run(struct task *t)
{
	t->post_run->end(t->post_run, 0, t->end.was_signalled ? t->end.signal : 0);
}
