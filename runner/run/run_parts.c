/* See run_parts.h. */
#include "runner/run/run_parts.h"

void
run_send(const struct run *run, const struct event *e)
{
	bool is_result = e->kind == EVENT_END || e->kind == EVENT_WITHDRAW ||
			 e->kind == EVENT_FINISH;

	for (size_t i = 0; i < run->reports_n; i++)
		if (is_result || !run->reports[i]->type->only_results)
			run->reports[i]->type->event(run->reports[i], e);
}

void
run_look_again(const struct run *run)
{
	if (run->throttle)
		run->throttle->looks = true;
}
