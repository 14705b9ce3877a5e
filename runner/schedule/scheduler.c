/*
 * Starts and ends.
 *
 * A walk starts when a test that ran has ended, and ends when nothing more fits. Tests
 * that become ready during a walk because one was refused, and that the walk has passed,
 * are kept aside until the next one.
 */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

static void
add_ready(struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank, id = ready_queue_of(s->ready, rank);

	if (!ready_queue_push(s->ready, rank))
		return;
	if (s->queues[id].state != QUEUE_WAITING)
		ready_queue_enter(s->ready, id);
	else if (!wait_queue_update(s->waiting, id) && s->backfills)
		note_blocked(s, id);
}

/* From the top again, with what the last walk had passed. */
static void
start_walk(struct scheduler *s)
{
	s->walked = 0;
	for (size_t i = 0; i < s->passed.n; i++)
		add_ready(s, s->passed.v[i]);
	s->passed.n = 0;
}

/* The users of the node wait for one node less. */
static void
release_users(struct scheduler *s, node_id node)
{
	const struct node *t = &s->plan->nodes[node];

	for (uint32_t k = 0; k < t->users_n; k++) {
		node_id user = t->users[k];

		INVARIANT(s->waits[user] > 0);
		if (--s->waits[user] > 0 || (s->o.finished && s->o.finished[user]))
			continue;
		if (s->plan->nodes[user].rank < s->walked)
			VEC_PUSH(s->a, &s->passed, user);
		else
			add_ready(s, user);
	}
}

static void
prepare_backfill(struct scheduler *s)
{
	const struct plan *p = s->plan;
	size_t most = p->reserve ? p->reserve : 1;

	s->backfills = p->expected && (p->reserve || p->promised_s);
	if (!s->backfills)
		return;
	if (p->reserve)
		s->reservations = reservations_new(
			s->a, p->n, s->o.pool, s->o.parallel, p->reserve);
	s->overtaken = NEW_ARRAY(s->a, uint32_t, p->n);
	s->heads = NEW_ARRAY(s->a, struct head, most);
	s->found = NEW_ARRAY(s->a, struct head, most);
	s->needs = NEW_ARRAY(s->a, struct need, most);
	s->held_back_at = NEW_ARRAY(s->a, uint64_t, s->classes->pool_requests_n);
	s->kept = NEW_ARRAY(s->a, struct heap_item, most);
}

struct scheduler *
scheduler_new(struct arena *a, const struct plan *p, const struct scheduler_options *o)
{
	struct scheduler *s = NEW(a, struct scheduler);
	*s = (struct scheduler){
		.a = a, .plan = p, .o = *o, .just_started = MAP_NONE, .usable = SIZE_MAX};
	if (!s->o.parallel)
		s->o.parallel = 1;
	if (!o->classes)
		s->own_classes = request_classes_build(a, p, &s->o);
	s->classes = o->classes ? o->classes : s->own_classes;
	s->allocation = allocation_new(a, p->n, s->classes, &s->o);
	s->usage = allocation_usage(s->allocation);
	s->waits = NEW_ARRAY(a, uint32_t, p->n);
	s->life = NEW_ARRAY(a, unsigned char, p->n);
	prepare_backfill(s);
	for (node_id i = 0; i < p->n; i++) {
		s->waits[i] = p->nodes[i].waits;
		if (o->finished && o->finished[i])
			continue;
		s->pending++;
		s->pending_serial += s->classes->v.v[s->classes->of[i]].is_serial;
	}
	s->ready =
		ready_queue_new(a, p, s->classes, o->finished, s->reservations != NULL);
	s->queues = ready_queue_all(s->ready, &s->queues_n);
	s->sizes = ready_queue_sizes(s->ready, &s->sizes_n);
	s->waiting = wait_queues_new(a, s->classes, s->ready, s->allocation);
	if (s->backfills)
		s->noted = NEW_ARRAY(a, uint32_t, s->queues_n);
	for (size_t i = 0; s->backfills && i < s->queues_n; i++)
		s->noted[i] = RANK_NONE;
	for (node_id i = 0; i < p->n && o->finished; i++)
		if (o->finished[i]) {
			s->life[p->nodes[i].rank] = LIFE_ENDED;
			release_users(s, i);
		}
	return s;
}

static struct action
start(struct scheduler *s, uint32_t id)
{
	const struct class_queue *b = &s->queues[id];
	node_id node = s->plan->order[b->best];
	struct action action = {.kind = ACT_START,
		.node = node,
		.soon = ready_queue_fetch(s->ready, id),
		.grant = allocation_grant(s->allocation, b->best),
		.fits_nowhere = allocation_fits_nowhere(s->allocation, b->class),
		.processors = allocation_start(s->allocation, b->class, b->best)};

	s->pending--;
	s->pending_serial -= b->class->is_serial;
	s->walked = b->best;
	s->just_started = s->last_started = node;
	s->life[b->best] = LIFE_RUNS;
	if (s->backfills)
		note_start(s, id);
	ready_queue_pop(s->ready, id);
	if (b->best != RANK_NONE)
		ready_queue_enter(s->ready, id);
	return action;
}

/* The size class whose best test has the best rank of those that may start; MAP_NONE:
 * none. */
static uint32_t
best_size(const struct scheduler *s, size_t slots)
{
	uint32_t best = MAP_NONE, rank = RANK_NONE;

	for (size_t i = 0; i < s->sizes_n; i++) {
		const struct size_class *l = &s->sizes[i];

		if (l->best >= rank || l->slots > slots ||
			(l->is_serial && s->usage->running))
			continue;
		if (s->heads_n && !size_may_pass(s, l))
			continue;
		best = (uint32_t)i;
		rank = l->best;
	}
	return best;
}

/* The queue has left its size class. */
static bool
try_queue(struct scheduler *s, uint32_t id, struct action *action)
{
	const struct class_queue *b = &s->queues[id];
	uint32_t from = wait_queue_forget(s->waiting, id);
	bool could;

	could = s->backfills && !s->is_draining ? admit_backfill(s, id)
						: wait_queue_admit(s->waiting, id);
	if (could)
		*action = start(s, id);
	if (from != RESOURCE_NONE)
		wait_queue_wake_next(s->waiting, from, b->size_class);
	return could;
}

/* Nothing else starts before the first head does. */
static bool
start_head(struct scheduler *s, size_t slots, struct action *action)
{
	uint32_t id = s->heads[0].queue;
	const struct class_queue *b = &s->queues[id];

	if (b->class->slots > slots || (b->class->is_serial && s->usage->running))
		return false;
	if (b->state == QUEUE_WAITING && !wait_queue_leave(s->waiting, id))
		return false;
	if (b->state == QUEUE_READY)
		ready_queue_leave(s->ready, id);
	return try_queue(s, id, action);
}

static bool
start_best(struct scheduler *s, size_t slots, struct action *action)
{
	uint32_t size;

	if (s->is_stopped || s->usage->serial_runs || !slots)
		return false;
	for (;;) {
		if (s->backfills)
			find_heads(s, slots);
		if (s->is_draining)
			return start_head(s, slots, action);
		if (is_held_back_enough(s) || (size = best_size(s, slots)) == MAP_NONE)
			return false;
		if (try_queue(s, ready_queue_take(s->ready, size), action))
			return true;
	}
}

struct action
scheduler_next(struct scheduler *s, size_t usable_slots)
{
	struct action action = {.kind = ACT_WAIT};
	size_t slots = allocation_free_slots(s->allocation, usable_slots);

	s->usable = usable_slots;
	s->just_started = MAP_NONE;
	s->held_back_now = 0;
	if (start_best(s, slots, &action))
		return action;
	if (s->passed.n && (!s->usage->running || s->o.rewalk_after_refusal)) {
		start_walk(s);
		if (start_best(s, slots, &action))
			return action;
	}
	if (!s->usage->running && (!s->pending || s->is_stopped))
		action.kind = ACT_DONE;
	/* On an idle machine everything fits that ever will. */
	INVARIANT(action.kind == ACT_DONE || s->usage->running ||
		  usable_slots < s->o.parallel);
	return action;
}

/* Queues that wait for something that the class holds are worth trying. After a refusal
 * all is as it was before: what did not fit still does not, and the queues after that of
 * the refused test are tried. */
static void
wake_waiters(struct scheduler *s, const struct request_class *class)
{
	for (size_t i = 0; i < class->locks_n; i++)
		wait_queue_wake(s->waiting, class->locks[i]);
	for (size_t i = 0; i < class->needs_n; i++)
		wait_queue_wake(
			s->waiting, resource_of_type(s->classes, class->needs[i].type));
	if (class->needs_n)
		wait_queue_wake(s->waiting, resource_all_types(s->classes));
	if (s->o.affinity_cpus)
		wait_queue_wake(s->waiting, resource_processors(s->classes));
	if (!s->usage->running)
		wait_queue_wake(s->waiting, resource_idle_machine(s->classes));
}

/* The running test gives back what it holds. */
static void
release(struct scheduler *s, uint32_t rank, bool was_refused)
{
	const struct request_class *class = ready_queue_class(s->ready, rank);

	if (s->reservations)
		reservations_ended(s->reservations, rank, s->now_s);
	allocation_end(s->allocation, class, rank, was_refused);
	wake_waiters(s, class);
}

void
scheduler_ended(struct scheduler *s, node_id node)
{
	bool was_refused = node == s->just_started;
	uint32_t rank = s->plan->nodes[node].rank;

	s->just_started = MAP_NONE;
	s->life[rank] = LIFE_ENDED;
	release(s, rank, was_refused);
	if (!was_refused) {
		if (!s->usage->running)
			wake_held_back(s);
		start_walk(s);
	}
	release_users(s, node);
}

void
scheduler_pool_is_known(struct scheduler *s, bool is_there)
{
	INVARIANT(s->own_classes && s->o.pool);
	request_classes_settle(s->own_classes, s->a, is_there ? s->o.pool : NULL);
	if (s->reservations)
		reservations_pool_is_known(s->reservations);
}

void
scheduler_time(struct scheduler *s, double now_s)
{
	if (!s->has_begun)
		s->began_s = now_s;
	s->has_begun = true;
	s->now_s = now_s;
}

void
scheduler_stop(struct scheduler *s)
{
	s->is_stopped = true;
}

size_t
scheduler_running(const struct scheduler *s)
{
	return s->usage->running;
}

size_t
scheduler_pending(const struct scheduler *s)
{
	return s->pending;
}

size_t
scheduler_slots_used(const struct scheduler *s)
{
	return s->usage->slots;
}
