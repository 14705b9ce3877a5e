/* Does the best test of a queue fit now, and if not, for which resource does it wait? */
#include "runner/schedule/scheduler_state.h"

bool
admit(struct scheduler *s, uint32_t id)
{
	const struct class_queue *b = &s->queues.v[id];
	uint32_t resource = allocation_take(s->allocation, b->class, b->best);

	if (resource == RESOURCE_NONE)
		return true;
	wait_queue_add(s, resource, id);
	return false;
}
