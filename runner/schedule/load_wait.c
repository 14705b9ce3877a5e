/*
 * Why nothing starts although processor slots are free, for ctest's --test-load. Only the
 * best test of each size class is looked at.
 */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

static bool
is_ready(const struct scheduler *s, uint32_t rank)
{
	return s->life[rank] == LIFE_PENDING && !s->waits[s->plan->order[rank]] &&
	       !(ready_queue_class(s->ready, rank)->is_serial && s->usage->running);
}

static void
look_at(struct load_wait *w, uint32_t *first_rank, const struct size_class *l,
	size_t usable)
{
	if (l->slots <= usable)
		w->kind = WAIT_NOT_FOR_LOAD;
	if (l->slots < w->least_slots)
		w->least_slots = l->slots;
	if (l->best >= *first_rank)
		return;
	*first_rank = l->best;
	w->first_slots = l->slots;
}

struct load_wait
scheduler_look(const struct scheduler *s, size_t usable)
{
	struct load_wait w = {.kind = WAIT_LOAD, .least_slots = SIZE_MAX};
	uint32_t first_rank = RANK_NONE;

	if (!s->pending || s->is_stopped || s->usage->slots >= s->o.parallel)
		return (struct load_wait){.kind = WAIT_NOT_FOR_LOAD};
	if (s->usage->serial_runs)
		return (struct load_wait){.kind = WAIT_SERIAL_RUNS};
	for (size_t i = 0; i < s->sizes_n; i++) {
		const struct size_class *l = &s->sizes[i];

		if (l->best != RANK_NONE && !(l->is_serial && s->usage->running))
			look_at(&w, &first_rank, l, usable);
	}
	if (w.kind == WAIT_LOAD && s->pending == s->pending_serial)
		return (struct load_wait){.kind = WAIT_ONLY_SERIAL};
	if (first_rank == RANK_NONE)
		return (struct load_wait){.kind = WAIT_NOT_FOR_LOAD};
	w.first = s->plan->order[first_rank];
	return w;
}

node_id
scheduler_last_of(const struct scheduler *s, size_t slots)
{
	for (uint32_t rank = (uint32_t)s->plan->n; rank-- > 0;)
		if (is_ready(s, rank) &&
			ready_queue_class(s->ready, rank)->slots == slots)
			return s->plan->order[rank];
	BUG("no test needs so many slots");
}
