/*
 * Starts and ends.
 *
 * A walk starts when a test that ran has ended, and ends when nothing more fits. Tests
 * that become ready during a walk because one was refused, and that the walk has passed,
 * are kept aside until the next one.
 */
#include "runner/schedule/scheduler.h"

#include <math.h>

#include "runner/schedule/backfill.h"

struct scheduler {
	struct arena *a;
	const struct plan *plan;
	struct scheduler_options o; /* with classes */
	struct request_classes *own_classes; /* o.classes, if the caller gave none */
	struct allocation *allocation;
	const struct usage *usage; /* of it */
	struct ready_queue *ready;
	const struct class_queue *queues; /* of it */
	const struct size_class *sizes; /* of it */
	size_t queues_n, sizes_n;
	struct wait_queues *waiting;
	struct backfill *backfill; /* NULL: any test that fits may start */
	struct leases *leases; /* NULL: no test has asked for one */
	uint32_t *types; /* with leases: to work with */
	uint32_t *waits; /* by node: dependencies that have not ended */
	unsigned char *life; /* by rank: enum node_life */
	VEC(uint32_t) passed; /* ready, but the walk has passed them */
	uint32_t walked; /* rank that the walk has reached */
	node_id just_started; /* nothing else was asked since; MAP_NONE */
	node_id last_started;
	size_t usable; /* slots, when scheduler_next was called last */
	size_t pending, pending_serial;
	bool is_stopped;
};

static void
add_ready(struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank, id = ready_queue_of(s->ready, rank);

	if (!ready_queue_push(s->ready, rank))
		return;
	if (s->queues[id].state != QUEUE_WAITING)
		ready_queue_enter(s->ready, id);
	else if (!wait_queue_update(s->waiting, id) && s->backfill)
		backfill_blocked(s->backfill, id);
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

/* finished: nodes that do not start, or NULL. */
static void
build_queues(struct scheduler *s, const bool *finished)
{
	bool by_length = s->plan->expected && s->plan->reserve;

	s->allocation = allocation_new(s->a, s->plan->n, &s->o);
	s->usage = allocation_usage(s->allocation);
	s->ready = ready_queue_new(s->a, s->plan, s->o.classes, finished, by_length);
	s->queues = ready_queue_all(s->ready, &s->queues_n);
	s->sizes = ready_queue_sizes(s->ready, &s->sizes_n);
	s->waiting = wait_queues_new(s->a, s->o.classes, s->ready, s->allocation);
	s->backfill =
		backfill_new(s->a, s->plan, &s->o, s->allocation, s->ready, s->waiting);
}

static void
count_tests(struct scheduler *s)
{
	const struct request_classes *classes = s->o.classes;

	s->waits = NEW_ARRAY(s->a, uint32_t, s->plan->n);
	s->life = NEW_ARRAY(s->a, unsigned char, s->plan->n);
	for (node_id i = 0; i < s->plan->n; i++) {
		s->waits[i] = s->plan->nodes[i].waits;
		if (s->o.finished && s->o.finished[i])
			continue;
		s->pending++;
		s->pending_serial += classes->v.v[classes->of[i]].is_serial;
	}
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
		s->o.classes = s->own_classes = request_classes_build(a, p, &s->o);
	build_queues(s, s->o.finished);
	count_tests(s);
	for (node_id i = 0; i < p->n && o->finished; i++)
		if (o->finished[i]) {
			s->life[p->nodes[i].rank] = LIFE_ENDED;
			release_users(s, i);
		}
	return s;
}

/* A test of the class starts. */
static void
pass_leases(struct scheduler *s, const struct request_class *class)
{
	for (size_t i = 0; i < class->needs_n; i++)
		s->types[i] = class->needs[i].type;
	leases_overtake(s->leases, s->types, class->needs_n);
}

static void
start_test(struct scheduler *s, uint32_t id, struct action *action)
{
	const struct class_queue *b = &s->queues[id];

	action->kind = ACT_START;
	action->node = s->plan->order[b->best];
	action->soon = ready_queue_fetch(s->ready, id);
	action->grant = allocation_grant(s->allocation, b->best);
	action->pool_node =
		action->grant ? pool_node_of(s->o.pool, action->grant) : MAP_NONE;
	action->fits_nowhere = allocation_fits_nowhere(s->allocation, b->class);
	action->lacks_node = allocation_lacks_node(s->allocation, b->class);
	action->processors = allocation_start(s->allocation, b->class, b->best);
	if (s->o.parts)
		action->part = &s->o.parts->v[b->class->part];
	s->pending--;
	s->pending_serial -= b->class->is_serial;
	s->walked = b->best;
	s->just_started = s->last_started = action->node;
	s->life[b->best] = LIFE_RUNS;
	if (s->backfill)
		backfill_started(s->backfill, id);
	if (s->leases)
		pass_leases(s, b->class);
	ready_queue_pop(s->ready, id);
	if (b->best != RANK_NONE)
		ready_queue_enter(s->ready, id);
}

/* Whether the slots of its part are enough. */
static bool
has_part_room(const struct scheduler *s, uint32_t part, size_t slots)
{
	return !s->o.parts || slots <= allocation_part_room(s->allocation, part);
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
			(l->is_serial && s->usage->running) ||
			!has_part_room(s, l->part, l->slots))
			continue;
		if (s->backfill && !backfill_allows(s->backfill, l))
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
	bool could = s->backfill ? backfill_admit(s->backfill, id)
				 : wait_queue_admit(s->waiting, id);

	if (could)
		start_test(s, id, action);
	if (from != RESOURCE_NONE)
		wait_queue_wake_next(s->waiting, from, b->size_class);
	return could;
}

static bool
start_head(struct scheduler *s, size_t slots, struct action *action)
{
	uint32_t id = backfill_head(s->backfill);
	const struct class_queue *b = &s->queues[id];

	if (b->class->slots > slots || (b->class->is_serial && s->usage->running) ||
		!has_part_room(s, b->class->part, b->class->slots))
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
	enum backfill_rule rule;

	if (s->is_stopped || s->usage->serial_runs || !slots)
		return false;
	for (;;) {
		if (s->backfill &&
			(rule = backfill_rule(s->backfill, slots)) != START_ANY)
			return rule == START_HEAD && start_head(s, slots, action);
		if ((size = best_size(s, slots)) == MAP_NONE)
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
	if (s->backfill)
		backfill_begin(s->backfill);
	if (start_best(s, slots, &action))
		return action;
	if (s->passed.n && (!s->usage->running || s->o.rewalk_after_refusal)) {
		start_walk(s);
		if (start_best(s, slots, &action))
			return action;
	}
	if (!s->usage->running && (!s->pending || s->is_stopped))
		action.kind = ACT_DONE;
	/* On an idle machine everything fits that ever will, unless a node comes, or
	 * other runs hold some. */
	INVARIANT(action.kind == ACT_DONE || s->usage->running ||
		  usable_slots < s->o.parallel ||
		  (s->o.pool && (s->o.pool->shared_n ||
					pool_count_nodes(s->o.pool, POOL_NODE_AWAY))));
	return action;
}

/* Queues that wait for something that the class holds are tried again. After a refusal
 * what the pool refused before is still refused. */
static void
wake_waiters(struct scheduler *s, const struct request_class *class)
{
	for (size_t i = 0; i < class->locks_n; i++)
		wait_queue_wake(s->waiting, class->locks[i]);
	for (size_t i = 0; i < class->needs_n; i++)
		wait_queue_wake(
			s->waiting, resource_of_type(s->o.classes, class->needs[i].type));
	if (class->groups)
		wait_queue_wake(s->waiting, resource_all_types(s->o.classes));
	if (s->o.affinity_cpus)
		wait_queue_wake(s->waiting, resource_processors(s->o.classes));
	if (!s->usage->running)
		wait_queue_wake(s->waiting, resource_idle_machine(s->o.classes));
}

/* Slots that leases gave back may be what queues wait for. */
static void
wake_for_leases(struct scheduler *s)
{
	bool has_news = false;

	for (uint32_t i = 0; i < s->o.pool->n; i++) {
		if (!leases_news(s->leases, i))
			continue;
		/* On several nodes any type may be what is short. */
		allocation_type_changed(s->allocation, i);
		wait_queue_wake(s->waiting, resource_of_type(s->o.classes, i));
		has_news = true;
	}
	if (has_news)
		wait_queue_wake(s->waiting, resource_all_types(s->o.classes));
	if (has_news && s->backfill)
		backfill_wake(s->backfill);
}

static void
settle_leases(struct scheduler *s)
{
	leases_settle(s->leases);
	wake_for_leases(s);
}

/* The running test gives back what it holds. */
static void
release_test(struct scheduler *s, uint32_t rank, bool was_refused)
{
	const struct request_class *class = ready_queue_class(s->ready, rank);

	if (s->backfill)
		backfill_ended(s->backfill, rank);
	if (s->leases)
		(void)leases_end(
			s->leases, s->plan->order[rank], s->life[rank] == LIFE_ENDED);
	allocation_end(s->allocation, class, rank, was_refused);
	if (s->leases)
		settle_leases(s);
	wake_waiters(s, class);
}

void
scheduler_runs(struct scheduler *s)
{
	s->just_started = MAP_NONE;
}

void
scheduler_ended(struct scheduler *s, node_id node)
{
	bool was_refused = node == s->just_started;
	uint32_t rank = s->plan->nodes[node].rank;

	INVARIANT(s->life[rank] == LIFE_RUNS);
	s->just_started = MAP_NONE;
	s->life[rank] = LIFE_ENDED;
	release_test(s, rank, was_refused);
	if (!was_refused) {
		if (s->backfill && !s->usage->running)
			backfill_wake(s->backfill);
		start_walk(s);
	}
	release_users(s, node);
}

void
scheduler_again(struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank;

	INVARIANT(s->life[rank] == LIFE_RUNS);
	if (node == s->just_started)
		s->just_started = MAP_NONE;
	s->life[rank] = LIFE_PENDING;
	s->pending++;
	s->pending_serial += ready_queue_class(s->ready, rank)->is_serial;
	release_test(s, rank, false);
	if (s->backfill && !s->usage->running)
		backfill_wake(s->backfill);
	start_walk(s);
	add_ready(s, node);
}

/* ---- once more ------------------------------------------------------------------- */

node_id
scheduler_started_user(const struct scheduler *s, node_id node)
{
	const struct node *t = &s->plan->nodes[node];

	for (uint32_t k = 0; k < t->users_n; k++)
		if (s->life[s->plan->nodes[t->users[k]].rank] != LIFE_PENDING)
			return t->users[k];
	return MAP_NONE;
}

static bool
was_passed(struct scheduler *s, node_id node)
{
	for (size_t i = 0; i < s->passed.n; i++)
		if (s->passed.v[i] == node) {
			s->passed.v[i] = s->passed.v[--s->passed.n];
			return true;
		}
	return false;
}

/* The test waited for nothing else. */
static void
unready(struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank, id = ready_queue_of(s->ready, rank);
	uint32_t from;

	if (was_passed(s, node) || !ready_queue_remove(s->ready, rank))
		return;
	from = wait_queue_forget(s->waiting, id);
	if (s->queues[id].best != RANK_NONE)
		ready_queue_enter(s->ready, id);
	if (from != RESOURCE_NONE)
		wait_queue_wake_next(s->waiting, from, s->queues[id].size_class);
	if (s->backfill)
		backfill_forget(s->backfill);
}

void
scheduler_retry(struct scheduler *s, node_id node)
{
	const struct node *t = &s->plan->nodes[node];

	INVARIANT(s->life[t->rank] == LIFE_ENDED && !s->waits[node] && !s->is_stopped);
	INVARIANT(scheduler_started_user(s, node) == MAP_NONE);
	for (uint32_t k = 0; k < t->users_n; k++)
		if (!s->waits[t->users[k]]++)
			unready(s, t->users[k]);
	s->life[t->rank] = LIFE_PENDING;
	s->pending++;
	s->pending_serial += ready_queue_class(s->ready, t->rank)->is_serial;
	start_walk(s);
	add_ready(s, node);
}

void
scheduler_name_instances(
	struct scheduler *s, uint32_t pool_node, struct str type, struct str_list ids)
{
	pool_name_instances(s->o.pool, pool_node, type, ids);
}

const struct pool *
scheduler_pool(const struct scheduler *s)
{
	return s->o.pool;
}

bool
scheduler_limit_node(struct scheduler *s, uint32_t pool_node, const struct node_limits *l)
{
	return node_limits_set(s->a, s->o.pool, pool_node, l);
}

void
scheduler_set_presence(
	struct scheduler *s, uint32_t pool_node, enum pool_presence presence)
{
	const struct request_classes *classes = s->o.classes;

	pool_set_presence(s->a, s->o.pool, pool_node, presence);
	allocation_nodes_changed(s->allocation);
	for (uint32_t i = 0; i <= classes->types_n; i++)
		wait_queue_wake(s->waiting, resource_of_type(classes, i));
	if (!s->usage->running)
		wait_queue_wake(s->waiting, resource_idle_machine(classes));
	if (s->backfill && !s->usage->running)
		backfill_wake(s->backfill);
	start_walk(s);
}

/* ---- other runs ------------------------------------------------------------------ */

/* Of one type of the pool. */
static void
set_others(struct scheduler *s, uint32_t type, const uint64_t *slots)
{
	struct pool *p = s->o.pool;
	bool is_more = false;

	for (uint32_t i = 0; i < p->types[type].n; i++) {
		uint64_t before = p->types[type].v[i].others;

		pool_set_others(p, type, i, slots[pool_number_of(p, type, i)]);
		is_more = is_more || p->types[type].v[i].others < before;
	}
	if (!is_more)
		return;
	allocation_type_changed(s->allocation, type);
	wait_queue_wake(s->waiting, resource_of_type(s->o.classes, type));
	wait_queue_wake(s->waiting, resource_all_types(s->o.classes));
	if (s->backfill)
		backfill_wake(s->backfill);
}

void
scheduler_set_others(struct scheduler *s, uint32_t type, const uint64_t *slots)
{
	for (; type < s->o.pool->n; type += (uint32_t)pool_types_n(s->o.pool))
		set_others(s, type, slots);
}

/* Whether the best test of the queue waits for nothing but the pool. */
static bool
waits_for_pool(const struct scheduler *s, uint32_t id, size_t slots)
{
	const struct class_queue *q = &s->queues[id];

	return q->best != RANK_NONE && q->state == QUEUE_WAITING &&
	       resource_is_type(s->o.classes, wait_queue_resource(s->waiting, id)) &&
	       q->class->slots <= slots && !(q->class->is_serial && s->usage->running) &&
	       allocation_held_lock(s->allocation, q->class) == RESOURCE_NONE;
}

/* The best such test after that rank, or the best of all (RANK_NONE). */
static const struct class_queue *
next_for_pool(const struct scheduler *s, uint32_t after, size_t slots)
{
	const struct class_queue *best = NULL;

	for (uint32_t i = 0; i < s->queues_n; i++) {
		const struct class_queue *q = &s->queues[i];

		if ((after == RANK_NONE || q->best > after) &&
			(!best || q->best < best->best) && waits_for_pool(s, i, slots))
			best = q;
	}
	return best;
}

const struct request_class *
scheduler_wanted(struct scheduler *s)
{
	enum { MOST_TRIES = 8 };
	size_t slots = allocation_free_slots(s->allocation, s->usable);
	const struct class_queue *q = NULL;

	if (!s->o.pool || !s->o.pool->shared_n || s->is_stopped || s->usage->serial_runs)
		return NULL;
	for (int i = 0; i < MOST_TRIES; i++) {
		q = next_for_pool(s, q ? q->best : RANK_NONE, slots);
		if (!q)
			break;
		if (pool_would_fit(s->o.pool, s->a, q->class->groups))
			return q->class;
	}
	return NULL;
}

const struct request_class *
scheduler_request(const struct scheduler *s, node_id node)
{
	INVARIANT(node < s->plan->n);
	return ready_queue_class(s->ready, s->plan->nodes[node].rank);
}

void
scheduler_pool_is_known(struct scheduler *s, bool is_there)
{
	INVARIANT(s->own_classes && s->o.pool);
	request_classes_settle(s->own_classes, s->a, is_there ? s->o.pool : NULL);
	if (s->backfill)
		backfill_pool_is_known(s->backfill);
}

/* ---- parts ----------------------------------------------------------------------- */

/* What runs has the same as before. */
static void
follow_running(struct scheduler *s, const struct allocation *old,
	const struct backfill *backfill)
{
	for (uint32_t rank = 0; rank < s->plan->n; rank++)
		if (s->life[rank] == LIFE_RUNS)
			allocation_follow(s->allocation, old,
				ready_queue_class(s->ready, rank), rank);
	if (s->backfill)
		backfill_follow(s->backfill, backfill);
}

static void
follow_leases(struct scheduler *s, size_t types_before)
{
	if (!s->leases)
		return;
	leases_grow(s->leases, types_before);
	s->types = NEW_ARRAY(s->a, uint32_t, s->o.pool->n);
	allocation_set_leases(s->allocation, s->leases);
	if (s->backfill)
		backfill_set_leases(s->backfill, s->leases);
}

void
scheduler_parts_changed(struct scheduler *s)
{
	const struct allocation *allocation = s->allocation;
	const struct backfill *backfill = s->backfill;
	size_t types_before = s->o.classes->types_n;
	bool *finished = NEW_ARRAY(s->a, bool, s->plan->n);

	INVARIANT(s->o.parts);
	for (node_id i = 0; i < s->plan->n; i++)
		finished[i] = s->life[s->plan->nodes[i].rank] != LIFE_PENDING;
	s->own_classes = request_classes_build(s->a, s->plan, &s->o);
	s->o.classes = s->own_classes;
	build_queues(s, finished);
	follow_running(s, allocation, backfill);
	follow_leases(s, types_before);
	s->walked = 0;
	s->passed.n = 0;
	for (node_id i = 0; i < s->plan->n; i++)
		if (!finished[i] && s->plan->nodes[i].waits && !s->waits[i])
			add_ready(s, i);
}

size_t
scheduler_part_running(const struct scheduler *s, uint32_t part)
{
	return allocation_part_running(s->allocation, part);
}

void
scheduler_lives(const struct scheduler *s, unsigned char *life)
{
	for (node_id i = 0; i < s->plan->n; i++)
		life[i] = s->life[s->plan->nodes[i].rank];
}

/* ---------------------------------------------------------------------------------- */

void
scheduler_time(struct scheduler *s, double now_s)
{
	if (s->backfill)
		backfill_set_time(s->backfill, now_s);
}

void
scheduler_stop(struct scheduler *s)
{
	s->is_stopped = true;
}

bool
scheduler_is_stopped(const struct scheduler *s)
{
	return s->is_stopped;
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

/* ---- leases ---------------------------------------------------------------------- */

static bool
waits_for_type(const void *context, uint32_t type)
{
	const struct scheduler *s = context;

	return wait_queue_has(s->waiting, resource_of_type(s->o.classes, type));
}

static bool
does_run(const void *context, uint32_t node)
{
	const struct scheduler *s = context;

	return s->life[s->plan->nodes[node].rank] == LIFE_RUNS;
}

static uint32_t
find_heir(const void *context, uint32_t holder, struct str *fixture)
{
	const struct scheduler *s = context;
	const struct properties *from = s->plan->nodes[holder].test->properties;

	if (!str_list_has(from->fixtures_setup, *fixture) &&
		!str_list_has(from->fixtures_cleanup, *fixture))
		return MAP_NONE;
	for (node_id i = 0; i < s->plan->n; i++) {
		const struct node *t = &s->plan->nodes[i];
		struct str_list cleanups = t->test->properties->fixtures_cleanup;

		if (i == holder || s->life[t->rank] == LIFE_ENDED)
			continue;
		for (size_t k = 0; k < cleanups.n; k++)
			if (str_eq(cleanups.v[k], *fixture)) {
				*fixture = cleanups.v[k];
				return i;
			}
	}
	return MAP_NONE;
}

static bool
do_tests_fit(const void *context, struct arena *scratch, struct pool *copy)
{
	const struct scheduler *s = context;
	const struct request_classes *classes = s->o.classes;

	for (size_t i = 0; i < classes->v.n; i++) {
		const struct request_class *c = &classes->v.v[i];

		if (c->groups && !allocation_fits_nowhere(s->allocation, c) &&
			!pool_has_place(copy, scratch, c->groups))
			return false;
	}
	return true;
}

static bool
has_node(const struct scheduler *s, uint32_t rank)
{
	const struct grant *g = allocation_grant(s->allocation, rank);

	return g && pool_node_of(s->o.pool, g) != MAP_NONE;
}

struct leases *
scheduler_leases(struct scheduler *s, node_id node, const char **why)
{
	uint32_t rank = s->plan->nodes[node].rank;
	const struct test *t = s->plan->nodes[node].test;
	unsigned patience = s->o.parallel > 4 ? 2 * (unsigned)s->o.parallel : 8;

	INVARIANT(s->life[rank] == LIFE_RUNS);
	*why = "the run has no resources";
	if (!s->o.pool)
		return NULL;
	*why = "the run has several nodes, and the test asked for nothing of its own";
	if (s->o.pool->nodes_n > 1 && !has_node(s, rank))
		return NULL;
	if (!s->leases) {
		s->leases = leases_new(s->a, s->o.pool, s->plan->n, patience,
			(struct lease_tests){
				s, waits_for_type, does_run, find_heir, do_tests_fit});
		s->types = NEW_ARRAY(s->a, uint32_t, s->o.pool->n);
		allocation_set_leases(s->allocation, s->leases);
		if (s->backfill)
			backfill_set_leases(s->backfill, s->leases);
	}
	leases_begin(s->leases, node, allocation_grant(s->allocation, rank),
		(uint32_t)t->properties->resource_groups.n, request_part(&s->o, node));
	return s->leases;
}

struct leases *
scheduler_all_leases(const struct scheduler *s)
{
	return s->leases;
}

bool
scheduler_can_lease(const struct scheduler *s)
{
	return s->o.pool != NULL;
}

void
scheduler_open_leases(struct scheduler *s)
{
	if (!s->leases)
		return;
	leases_open_pool(s->leases);
	wake_for_leases(s);
}

void
scheduler_close_leases(struct scheduler *s)
{
	if (s->leases)
		leases_close_pool(s->leases);
}

bool
scheduler_leases_changed(struct scheduler *s)
{
	if (!s->leases)
		return false;
	wake_for_leases(s);
	return leases_settled(s->leases);
}

bool
scheduler_end_leases(struct scheduler *s, node_id node)
{
	bool is_whole = !s->leases || leases_end(s->leases, node, false);

	if (s->leases)
		settle_leases(s);
	return is_whole;
}

/* ---- why a test waits ------------------------------------------------------------ */

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

static struct blocker
blocked_by_head(const struct scheduler *s, uint32_t rank)
{
	struct blocker b = {.kind = BLOCKED_BY_RANK, .node = MAP_NONE};
	uint32_t head = RANK_NONE;
	double shadow_s = HUGE_VAL;

	if (s->backfill)
		head = backfill_first(s->backfill, &shadow_s);
	if (head == RANK_NONE || head == rank)
		return b;
	b.kind = BLOCKED_BY_RESERVATION;
	b.node = s->plan->order[head];
	if (isfinite(shadow_s))
		b.until_s = shadow_s;
	return b;
}

struct blocker
scheduler_blocker(const struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank;
	struct blocker b = {.node = MAP_NONE};

	INVARIANT(node < s->plan->n);
	if (s->life[rank] != LIFE_PENDING)
		return b;
	if (s->is_stopped) {
		b.kind = BLOCKED_BY_STOP;
		return b;
	}
	if (s->waits[node])
		return blocked_by_dependency(s, node);
	if (s->usage->serial_runs)
		return (struct blocker){
			.kind = BLOCKED_BY_SERIAL, .node = s->last_started};
	b = blocked_by_need(s->plan, &s->o, s->allocation,
		ready_queue_class(s->ready, rank), s->usable);
	return b.kind == BLOCKED_NOT ? blocked_by_head(s, rank) : b;
}

const struct grant *
scheduler_grant(const struct scheduler *s, node_id node)
{
	INVARIANT(node < s->plan->n);
	return allocation_grant(s->allocation, s->plan->nodes[node].rank);
}

/* ---- load ------------------------------------------------------------------------ */

/* Why nothing starts although processor slots are free, for ctest's --test-load. */

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

		if (l->best != RANK_NONE && !(l->is_serial && s->usage->running) &&
			has_part_room(s, l->part, l->slots))
			look_at(&w, &first_rank, l, usable);
	}
	if (w.kind == WAIT_LOAD && s->pending == s->pending_serial)
		w.kind = WAIT_ONLY_SERIAL;
	else if (first_rank == RANK_NONE)
		w.kind = WAIT_NOT_FOR_LOAD;
	if (first_rank != RANK_NONE)
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
