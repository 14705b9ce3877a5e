/* A nudge too early delays what follows it like any other message, so the rest gets some
 * time to come by itself. */
#include "runner/remote/nudge.h"

#define FIRST_PAUSE_NS 1000000u
#define LONGEST_PAUSE_NS 1000000000u

void
nudge_heard(struct nudge *n, uint64_t now_ns, bool is_cut)
{
	n->pause_ns = FIRST_PAUSE_NS;
	n->due_ns = is_cut ? now_ns + n->pause_ns : 0;
}

bool
nudge_is_due(struct nudge *n, uint64_t now_ns)
{
	if (!n->due_ns || now_ns < n->due_ns)
		return false;
	n->pause_ns =
		2 * n->pause_ns < LONGEST_PAUSE_NS ? 2 * n->pause_ns : LONGEST_PAUSE_NS;
	n->due_ns = now_ns + n->pause_ns;
	return true;
}
