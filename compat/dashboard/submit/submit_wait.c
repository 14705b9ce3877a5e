/* The wait between two attempts: a timer of the loop, which a signal ends. See
 * submit.h. */
#include "compat/dashboard/submit/submit.h"
#include "runner/base/loop.h"

struct pause {
	struct submit *submit;
	bool is_over;
};

static void
on_time(void *context)
{
	struct pause *p = context;

	p->is_over = true;
}

static void
on_children(void *context)
{
	(void)context;
}

static void
on_signal(void *context, int signal, bool by_terminal)
{
	struct pause *p = context;

	(void)by_terminal;
	p->submit->interrupted = signal;
	p->is_over = true;
}

bool
submit_wait(struct submit *s)
{
	struct pause p = {.submit = s};
	const struct loop_listener listener = {&p, on_children, on_signal};
	struct diag diag = diag_in(s->arena);
	struct loop *loop;

	if (s->delay_s == 0)
		return true;
	loop = loop_open(s->arena, &listener, &diag);
	if (!loop) {
		console_diag(s->console, &diag);
		return false;
	}
	loop_timer_start(loop_timer_new(loop, on_time, &p),
		loop_now_ns() + (uint64_t)s->delay_s * UINT64_C(1000000000));
	while (!p.is_over)
		loop_turn(loop, LOOP_FOREVER);
	loop_close(loop);
	return s->interrupted == 0;
}
