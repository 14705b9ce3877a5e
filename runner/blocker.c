/* Why a test waits, from what the scheduler knows; linear in what the test itself needs.
 */
#include <math.h>

#include "runner/kinds.h"
#include "runner/scheduler_state.h"

static struct blocker
blocked_by_dependency(const struct scheduler *s, node_id node)
{
	const struct selected *t = &s->plan->selection->v[node];
	struct blocker b = {.kind = BLOCKED_BY_DEPENDENCY, .node = MAP_NONE};

	for (size_t i = 0; i < t->depends_n && b.node == MAP_NONE; i++)
		if (s->life[s->plan->nodes[t->depends[i]].rank] != LIFE_ENDED)
			b.node = t->depends[i];
	return b;
}

/* An instance cannot be large enough alone, or all together. */
static uint32_t
scarce_type(const struct scheduler *s, const struct kind *k)
{
	uint32_t gate = k->groups ? gate_refused(s, k) : GATE_NONE;

	if (gate != GATE_NONE)
		return gate - (uint32_t)s->kinds->locks.n;
	for (size_t i = 0; i < k->needs_n; i++)
		if (!gate_has_room(s, gate_of_type(s, k->needs[i].type), &k->needs[i]))
			return k->needs[i].type;
	return MAP_NONE;
}

static struct blocker
blocked_by_claim(const struct scheduler *s, uint32_t rank)
{
	struct blocker b = {.kind = BLOCKED_BY_RANK, .node = MAP_NONE};

	if (!s->claims_n || rank == s->claims[0].rank)
		return b;
	b.kind = BLOCKED_BY_RESERVATION;
	b.node = s->plan->order[s->claims[0].rank];
	if (s->reservation && isfinite(s->reservation->openings[0].until_s))
		b.until_s = s->reservation->openings[0].until_s;
	return b;
}

struct blocker
scheduler_blocker(const struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank, lock, type;
	const struct kind *k = kind_at(s, rank);
	struct blocker b = {.node = MAP_NONE};

	if (s->life[rank] != LIFE_PENDING)
		return b;
	if (s->waits[node])
		return blocked_by_dependency(s, node);
	if (s->serial_runs)
		return (struct blocker){
			.kind = BLOCKED_BY_SERIAL, .node = s->last_started};
	if (k->is_serial && s->running)
		b.kind = BLOCKED_BY_OTHERS;
	else if (k->slots > free_slots(s, SIZE_MAX))
		b.kind = BLOCKED_BY_SLOTS;
	else if (k->needs_processors && k->slots > s->processors_free)
		b.kind = BLOCKED_BY_PROCESSORS;
	else if ((lock = held_lock(s, k)) != GATE_NONE)
		b = (struct blocker){.kind = BLOCKED_BY_LOCK,
			.node = s->plan->order[s->gates[lock].holder],
			.name = s->kinds->locks.v[lock]};
	else if ((type = scarce_type(s, k)) != MAP_NONE)
		b = (struct blocker){.kind = BLOCKED_BY_RESOURCE,
			.node = MAP_NONE,
			.name = s->o.pool->types[type].name};
	else
		b = blocked_by_claim(s, rank);
	return b;
}
