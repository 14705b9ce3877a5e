/*
 * Buckets of ready tests, the ones worth trying in a heap by their best rank.
 *
 * A bucket is in exactly one place: idle (no ready test), active (in the heap), or
 * waiting for one thing that kept its best test from starting: free slots, silence
 * (nothing runs, for RUN_SERIAL), a lock, or a resource type. What fits depends only on
 * the signature, so what keeps one test of a bucket keeps them all.
 *
 * A walk starts when a test that ran has ended, and ends when nothing more fits. Tests
 * that become ready during a walk because one was refused, and that the walk has passed,
 * are kept aside until the next one.
 */
#include "runner/scheduler.h"

#include <math.h>
#include <string.h>

#include "runner/reservation.h"

typedef VEC(uint32_t) id_vec;

struct heap_item {
	uint64_t key;
	uint32_t id;
};
typedef VEC(struct heap_item) heap;

/* Held back: it may fit, and would delay the reserved one. */
enum bucket_state { BUCKET_IDLE, BUCKET_ACTIVE, BUCKET_WAITING, BUCKET_HELD_BACK };

#define KEY_NONE UINT64_MAX
/* So many buckets are looked at in vain beside a reserved test; the rest have their turn
 * when something ends. Keeps an event cheap where every test has a signature of its own.
 */
enum { HELD_BACK_AT_ONCE = 64 };

struct bucket {
	enum bucket_state state;
	const struct test *example;
	size_t slots;
	bool is_serial, fits_nowhere, needs_pool;
	uint32_t *locks;
	size_t locks_n;
	heap ready; /* by rank: of nodes */
	VEC(struct grant *) spare; /* grants that came back, to be filled again */
	uint64_t blocked_key; /* its item in scheduler.blocked; KEY_NONE: has none */
};

struct lock {
	bool is_held;
	node_id holder;
	id_vec waiting;
};

struct scheduler {
	struct arena *a;
	const struct plan *plan;
	struct scheduler_options o;
	VEC(struct bucket) buckets;
	uint32_t *bucket_of; /* by node */
	uint32_t *waits; /* by node: dependencies that have not ended */
	struct grant **grants; /* by node; NULL without a pool */
	VEC(struct lock) locks;
	id_vec *type_waiting; /* by resource type */
	id_vec silence_waiting;
	heap slots_waiting; /* by slots */
	/* By best rank. An item whose bucket has another best rank, or is not active, is
	 * a leftover. */
	heap active;
	id_vec passed; /* ready, but the walk has passed them */
	uint32_t walked; /* rank behind which the walk stands */
	node_id just_started;
	size_t used, running, pending;
	bool serial_runs, is_stopped;
	/* Of a plan by pressure; else reservation is NULL. */
	struct reservation *reservation;
	uint32_t reserved; /* the bucket whose best test it is for, MAP_NONE: nobody */
	double now_s, promised_s; /* promised: the first time that was reserved */
	size_t passed_over;
	bool is_draining, is_stale;
	heap blocked; /* by best rank: buckets that failed while another was reserved */
	id_vec held_back;
	size_t held_back_now; /* since scheduler_next was called */
};

/* ---- heap: least key first -----------------------------------------------------------
 */

static void
heap_push(struct arena *a, heap *h, uint64_t key, uint32_t id)
{
	size_t i = h->n, up;

	VEC_PUSH(a, h, (struct heap_item){key, id});
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (h->v[up].key <= key)
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = (struct heap_item){key, id};
}

static void
heap_pop(heap *h)
{
	struct heap_item last = h->v[--h->n];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < h->n; i = down) {
		if (down + 1 < h->n && h->v[down + 1].key < h->v[down].key)
			down++;
		if (h->v[down].key >= last.key)
			break;
		h->v[i] = h->v[down];
	}
	h->v[i] = last;
}

/* ---- buckets -------------------------------------------------------------------------
 */

static uint32_t
lock_named(struct scheduler *s, struct map *names, struct str name)
{
	uint32_t *id = map_at(names, name);

	if (*id == MAP_NONE) {
		*id = (uint32_t)s->locks.n;
		VEC_PUSH(s->a, &s->locks, (struct lock){.is_held = false});
	}
	return *id;
}

static size_t
slots_of(const struct scheduler *s, const struct test *t)
{
	size_t wanted =
		t->properties->processors > 0 ? (size_t)t->properties->processors : 1;

	if (t->properties->processor_affinity && s->o.affinity_cpus &&
		wanted > s->o.affinity_cpus)
		wanted = s->o.affinity_cpus;
	return wanted < s->o.parallel ? wanted : s->o.parallel;
}

static void
write_number(struct buf *key, uint64_t n)
{
	buf_add(key, &n, sizeof n);
}

static void
write_text(struct buf *key, struct str s)
{
	write_number(key, s.n);
	buf_str(key, s);
}

/* Tests that may pass a reserved one are told by their time: it is part of the signature,
 * in powers of two. */
static uint64_t
time_class(const struct scheduler *s, node_id node)
{
	enum { SHORTEST = -5 };
	int exponent = SHORTEST;

	if (!s->reservation)
		return 0;
	if (s->plan->expected[node].seconds > 0)
		frexp(s->plan->expected[node].seconds, &exponent);
	return (uint64_t)((exponent < SHORTEST ? SHORTEST : exponent) - SHORTEST);
}

/* Two tests with the same signature fit at the same times. */
static struct str
signature(const struct scheduler *s, struct buf *key, node_id node)
{
	const struct test *t = s->plan->nodes[node].test;
	const struct properties *p = t->properties;

	key->n = 0;
	write_number(key, time_class(s, node));
	write_number(key, slots_of(s, t));
	write_number(key, p->run_serial);
	write_number(key, p->resource_locks.n);
	for (size_t i = 0; i < p->resource_locks.n; i++)
		write_text(key, p->resource_locks.v[i]);
	for (size_t g = 0; s->o.pool && g < p->resource_groups.n; g++) {
		const struct resource_group *group = &p->resource_groups.v[g];

		write_number(key, group->n);
		for (size_t i = 0; i < group->n; i++) {
			write_text(key, group->v[i].type);
			write_number(key, group->v[i].slots);
		}
	}
	return buf_as_str(key);
}

static uint32_t
bucket_new(struct scheduler *s, struct map *lock_names, const struct test *t)
{
	const struct properties *p = t->properties;
	struct bucket b = {
		.example = t,
		.slots = slots_of(s, t),
		.is_serial = p->run_serial,
		.needs_pool = s->o.pool && p->resource_groups.n,
		.locks = NEW_ARRAY(s->a, uint32_t, p->resource_locks.n),
		.locks_n = p->resource_locks.n,
		.blocked_key = KEY_NONE,
	};

	for (size_t i = 0; i < b.locks_n; i++)
		b.locks[i] = lock_named(s, lock_names, p->resource_locks.v[i]);
	if (b.needs_pool && !pool_could_fit(s->o.pool, s->a, &p->resource_groups)) {
		b.fits_nowhere = true;
		b.needs_pool = false;
	}
	VEC_PUSH(s->a, &s->buckets, b);
	return (uint32_t)(s->buckets.n - 1);
}

static void
sort_into_buckets(struct scheduler *s)
{
	struct map names = map_in(s->a), lock_names = map_in(s->a);
	struct buf key = {.arena = s->a};

	s->bucket_of = NEW_ARRAY(s->a, uint32_t, s->plan->n);
	for (node_id i = 0; i < s->plan->n; i++) {
		const struct test *t = s->plan->nodes[i].test;
		struct str text = signature(s, &key, i);
		uint32_t b = map_get(&names, text);

		if (b == MAP_NONE) {
			b = bucket_new(s, &lock_names, t);
			map_set(&names, str_dup(s->a, text), b);
		}
		s->bucket_of[i] = b;
	}
}

/* ---- readiness -----------------------------------------------------------------------
 */

static void
activate(struct scheduler *s, uint32_t b)
{
	struct bucket *bucket = &s->buckets.v[b];

	bucket->state = BUCKET_ACTIVE;
	heap_push(s->a, &s->active, bucket->ready.v[0].key, b);
}

static void
make_ready(struct scheduler *s, node_id node)
{
	uint32_t b = s->bucket_of[node];
	struct bucket *bucket = &s->buckets.v[b];
	uint32_t rank = s->plan->nodes[node].rank;
	bool is_best = !bucket->ready.n || rank < bucket->ready.v[0].key;

	heap_push(s->a, &bucket->ready, rank, node);
	if (bucket->state == BUCKET_IDLE || (bucket->state != BUCKET_WAITING && is_best))
		activate(s, b);
}

static void
wake(struct scheduler *s, id_vec *waiting)
{
	for (size_t i = 0; i < waiting->n; i++)
		activate(s, waiting->v[i]);
	waiting->n = 0;
}

static void
wake_held_back(struct scheduler *s)
{
	for (size_t i = 0; i < s->held_back.n; i++)
		if (s->buckets.v[s->held_back.v[i]].state == BUCKET_HELD_BACK)
			activate(s, s->held_back.v[i]);
	s->held_back.n = 0;
}

static void
wake_for_slots(struct scheduler *s, size_t free_slots)
{
	while (s->slots_waiting.n && s->slots_waiting.v[0].key <= free_slots) {
		uint32_t b = s->slots_waiting.v[0].id;

		heap_pop(&s->slots_waiting);
		activate(s, b);
	}
}

/* From the top again, with what the last walk had passed. */
static void
start_walk(struct scheduler *s)
{
	s->walked = 0;
	for (size_t i = 0; i < s->passed.n; i++)
		make_ready(s, s->passed.v[i]);
	s->passed.n = 0;
}

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
			make_ready(s, user);
	}
}

struct scheduler *
scheduler_new(struct arena *a, const struct plan *p, const struct scheduler_options *o)
{
	struct scheduler *s = NEW(a, struct scheduler);

	*s = (struct scheduler){.a = a,
		.plan = p,
		.o = *o,
		.just_started = MAP_NONE,
		.reserved = MAP_NONE};
	if (!s->o.parallel)
		s->o.parallel = 1;
	if (p->expected)
		s->reservation = reservation_new(a, p->n, o->pool, s->o.parallel);
	sort_into_buckets(s);
	s->waits = NEW_ARRAY(a, uint32_t, p->n);
	if (o->pool) {
		s->grants = NEW_ARRAY(a, struct grant *, p->n);
		s->type_waiting = NEW_ARRAY(a, id_vec, o->pool->n);
	}
	for (node_id i = 0; i < p->n; i++) {
		s->waits[i] = p->nodes[i].waits;
		s->pending += !(o->finished && o->finished[i]);
	}
	for (size_t k = 0; k < p->n; k++) {
		node_id i = p->order[k];

		if (!p->nodes[i].waits && !(o->finished && o->finished[i]))
			make_ready(s, i);
	}
	for (node_id i = 0; i < p->n && o->finished; i++)
		if (o->finished[i])
			release_users(s, i);
	return s;
}

/* ---- starting ------------------------------------------------------------------------
 */

static size_t
free_slots(const struct scheduler *s, size_t usable)
{
	size_t limit = usable < s->o.parallel ? usable : s->o.parallel;

	return limit > s->used ? limit - s->used : 0;
}

/* NULL when all locks are free. */
static struct lock *
held_lock(struct scheduler *s, const struct bucket *b)
{
	for (size_t i = 0; i < b->locks_n; i++)
		if (s->locks.v[b->locks[i]].is_held)
			return &s->locks.v[b->locks[i]];
	return NULL;
}

/* On success the grant is charged; *blocking is the type that did not fit. */
static struct grant *
take_grant(struct scheduler *s, struct bucket *b, uint32_t *blocking)
{
	struct grant *g;

	if (!b->spare.n)
		VEC_PUSH(s->a, &b->spare, NEW(s->a, struct grant));
	g = b->spare.v[b->spare.n - 1];
	if (!pool_take(s->o.pool, s->a, &b->example->properties->resource_groups, g,
		    blocking))
		return NULL;
	b->spare.n--;
	return g;
}

/* Takes what the best test of the bucket needs, or puts the bucket where it waits. */
static bool
admit(struct scheduler *s, uint32_t id, size_t slots)
{
	struct bucket *b = &s->buckets.v[id];
	struct lock *lock;
	struct grant *grant = NULL;
	uint32_t blocking;

	b->state = BUCKET_WAITING;
	if (b->is_serial && s->running) {
		VEC_PUSH(s->a, &s->silence_waiting, id);
		return false;
	}
	if (b->slots > slots) {
		heap_push(s->a, &s->slots_waiting, b->slots, id);
		return false;
	}
	lock = held_lock(s, b);
	if (lock) {
		VEC_PUSH(s->a, &lock->waiting, id);
		return false;
	}
	if (b->needs_pool && !(grant = take_grant(s, b, &blocking))) {
		INVARIANT(blocking != MAP_NONE);
		VEC_PUSH(s->a, &s->type_waiting[blocking], id);
		return false;
	}
	for (size_t i = 0; i < b->locks_n; i++)
		s->locks.v[b->locks[i]] = (struct lock){
			true, b->ready.v[0].id, s->locks.v[b->locks[i]].waiting};
	if (grant)
		s->grants[b->ready.v[0].id] = grant;
	return true;
}

/* ---- reservation ---------------------------------------------------------------------
 */

static uint64_t
best_key(const struct scheduler *s, uint32_t id)
{
	return s->buckets.v[id].ready.v[0].key;
}

static void
reserve_again(struct scheduler *s)
{
	const struct bucket *b = &s->buckets.v[s->reserved];
	struct need need = {.slots = b->slots, .is_alone = b->is_serial};

	if (b->needs_pool)
		need.groups = &b->example->properties->resource_groups;
	for (size_t i = 0; i < b->locks_n; i++) {
		const struct lock *lock = &s->locks.v[b->locks[i]];
		double end = lock->is_held ? reservation_end(s->reservation, lock->holder,
						     s->now_s)
					   : 0;

		if (end > need.not_before_s)
			need.not_before_s = end;
	}
	reservation_make(s->reservation, &need, s->now_s);
	s->is_stale = false;
	wake_held_back(s);
}

static void
reserve(struct scheduler *s, uint32_t id)
{
	s->reserved = id;
	s->passed_over = 0;
	reserve_again(s);
	s->promised_s = s->reservation->until_s;
}

/* A lock that is free again goes to the best that wants it: who waits for one lock and
 * nothing else needs no reservation. */
static bool
waits_for_lock_only(struct scheduler *s, const struct bucket *b)
{
	return b->locks_n == 1 && held_lock(s, b);
}

/* The bucket's best test did not fit. */
static void
note_blocked(struct scheduler *s, uint32_t id)
{
	struct bucket *b = &s->buckets.v[id];

	if (id == s->reserved || !s->running || waits_for_lock_only(s, b))
		return;
	if (s->reserved != MAP_NONE && best_key(s, id) > best_key(s, s->reserved)) {
		if (b->blocked_key != best_key(s, id))
			heap_push(s->a, &s->blocked, best_key(s, id), id);
		b->blocked_key = best_key(s, id);
		return;
	}
	if (s->reserved != MAP_NONE && !s->is_draining) {
		struct bucket *old = &s->buckets.v[s->reserved];

		if (old->blocked_key != best_key(s, s->reserved))
			heap_push(
				s->a, &s->blocked, best_key(s, s->reserved), s->reserved);
		old->blocked_key = best_key(s, s->reserved);
	}
	reserve(s, id);
}

static void
reserve_for_next(struct scheduler *s)
{
	s->reserved = MAP_NONE;
	s->is_draining = false;
	wake_held_back(s);
	while (s->blocked.n && s->reserved == MAP_NONE) {
		struct heap_item item = s->blocked.v[0];
		struct bucket *b = &s->buckets.v[item.id];

		heap_pop(&s->blocked);
		if (b->blocked_key == item.key)
			b->blocked_key = KEY_NONE;
		if (b->state == BUCKET_WAITING && b->ready.v[0].key == item.key &&
			!waits_for_lock_only(s, b))
			reserve(s, item.id);
	}
}

static bool
hold_back(struct scheduler *s, uint32_t id)
{
	s->buckets.v[id].state = BUCKET_HELD_BACK;
	VEC_PUSH(s->a, &s->held_back, id);
	s->held_back_now++;
	return false;
}

static bool
share_a_lock(const struct bucket *a, const struct bucket *b)
{
	for (size_t i = 0; i < a->locks_n; i++)
		for (size_t k = 0; k < b->locks_n; k++)
			if (a->locks[i] == b->locks[k])
				return true;
	return false;
}

/* Gives up what admit took. */
static void
dismiss(struct scheduler *s, uint32_t id)
{
	struct bucket *b = &s->buckets.v[id];
	node_id node = b->ready.v[0].id;

	for (size_t i = 0; i < b->locks_n; i++)
		s->locks.v[b->locks[i]].is_held = false;
	if (b->needs_pool) {
		pool_return(s->o.pool, s->grants[node]);
		VEC_PUSH(s->a, &b->spare, s->grants[node]);
		s->grants[node] = NULL;
	}
}

/* As admit, and nothing that would delay the reserved test. */
static bool
admit_beside(struct scheduler *s, uint32_t id, size_t slots)
{
	struct bucket *b = &s->buckets.v[id];
	struct reservation *r = s->reservation;
	node_id node = b->ready.v[0].id;
	bool yields = s->reserved != MAP_NONE && s->reserved != id && s->running;
	bool is_late;
	const struct grant *grant;

	if (yields && s->is_draining)
		return hold_back(s, id);
	is_late = yields && best_key(s, id) > best_key(s, s->reserved) &&
		  s->now_s + s->plan->expected[node].seconds > r->until_s;
	if (is_late && (b->slots > r->spare_slots ||
			       share_a_lock(b, &s->buckets.v[s->reserved])))
		return hold_back(s, id);
	if (!admit(s, id, slots)) {
		note_blocked(s, id);
		return false;
	}
	grant = s->grants ? s->grants[node] : NULL;
	if (!is_late)
		return true;
	if (!reservation_leaves(r, b->slots, grant)) {
		dismiss(s, id);
		return hold_back(s, id);
	}
	reservation_charge(r, b->slots, grant);
	return true;
}

/* The node of the bucket starts: who is reserved for now, and has been passed over? */
static void
note_start(struct scheduler *s, uint32_t id, node_id node)
{
	const struct expected *e = &s->plan->expected[node];
	size_t limit = s->o.parallel > 4 ? 2 * s->o.parallel : 8;

	reservation_started(
		s->reservation, (struct holder){.node = node,
					.started_s = s->now_s,
					.expected_s = e->seconds,
					.slots = s->buckets.v[id].slots,
					.grant = s->grants ? s->grants[node] : NULL});
	if (s->reserved == id)
		reserve_for_next(s);
	else if (s->reserved == MAP_NONE)
		return;
	else if (s->plan->nodes[node].rank < best_key(s, s->reserved))
		s->is_stale = true;
	else if (e->is_guess || s->now_s > s->promised_s)
		s->is_draining = ++s->passed_over >= limit;
}

static void
look_at_reservation(struct scheduler *s)
{
	if (s->reserved == MAP_NONE || s->is_draining)
		return;
	if (s->is_stale || s->now_s > s->reservation->until_s)
		reserve_again(s);
}

/* ---- starting, continued -------------------------------------------------------------
 */

static struct action
start(struct scheduler *s, uint32_t id)
{
	struct bucket *b = &s->buckets.v[id];
	node_id node = b->ready.v[0].id;

	heap_pop(&b->ready);
	b->state = BUCKET_IDLE;
	if (b->ready.n)
		activate(s, id);
	s->used += b->slots;
	s->running++;
	s->pending--;
	s->serial_runs = b->is_serial;
	s->walked = s->plan->nodes[node].rank;
	s->just_started = node;
	if (s->reservation)
		note_start(s, id, node);
	return (struct action){.kind = ACT_START,
		.node = node,
		.grant = s->grants ? s->grants[node] : NULL,
		.fits_nowhere = b->fits_nowhere};
}

/* The active bucket with the best rank, leftovers dropped; MAP_NONE when there is none.
 */
static uint32_t
best_bucket(struct scheduler *s)
{
	while (s->active.n) {
		struct heap_item item = s->active.v[0];
		const struct bucket *b = &s->buckets.v[item.id];

		heap_pop(&s->active);
		if (b->state == BUCKET_ACTIVE && b->ready.v[0].key == item.key)
			return item.id;
	}
	return MAP_NONE;
}

static bool
start_best(struct scheduler *s, size_t slots, struct action *action)
{
	uint32_t b;

	if (s->is_stopped || s->serial_runs || !slots)
		return false;
	while (s->held_back_now < HELD_BACK_AT_ONCE && (b = best_bucket(s)) != MAP_NONE)
		if (s->reservation ? admit_beside(s, b, slots) : admit(s, b, slots)) {
			*action = start(s, b);
			return true;
		}
	return false;
}

struct action
scheduler_next(struct scheduler *s, size_t usable_slots)
{
	struct action action = {.kind = ACT_WAIT};
	size_t slots = free_slots(s, usable_slots);

	s->just_started = MAP_NONE;
	s->held_back_now = 0;
	wake_for_slots(s, slots);
	if (s->reservation)
		look_at_reservation(s);
	if (start_best(s, slots, &action))
		return action;
	if (s->passed.n && (!s->running || s->o.rewalk_after_refusal)) {
		start_walk(s);
		if (start_best(s, slots, &action))
			return action;
	}
	if (!s->running && (!s->pending || s->is_stopped))
		action.kind = ACT_DONE;
	/* On an idle machine everything fits that ever will. */
	INVARIANT(action.kind == ACT_DONE || s->running || usable_slots < s->o.parallel);
	return action;
}

/* ---- ending --------------------------------------------------------------------------
 */

static void
give_back(struct scheduler *s, node_id node)
{
	struct bucket *b = &s->buckets.v[s->bucket_of[node]];

	INVARIANT(s->running > 0 && s->used >= b->slots);
	if (s->reservation)
		reservation_ended(s->reservation, node);
	s->running--;
	s->used -= b->slots;
	s->serial_runs = false;
	for (size_t i = 0; i < b->locks_n; i++)
		s->locks.v[b->locks[i]].is_held = false;
	if (b->needs_pool) {
		INVARIANT(s->grants[node]);
		pool_return(s->o.pool, s->grants[node]);
		VEC_PUSH(s->a, &b->spare, s->grants[node]);
	}
}

/* Whoever waited for something that came back is worth trying. */
static void
wake_waiting(struct scheduler *s, node_id node)
{
	const struct bucket *b = &s->buckets.v[s->bucket_of[node]];
	const struct grant *grant = b->needs_pool ? s->grants[node] : NULL;

	if (!s->running) {
		wake(s, &s->silence_waiting);
		wake_held_back(s);
	}
	for (size_t i = 0; i < b->locks_n; i++)
		wake(s, &s->locks.v[b->locks[i]].waiting);
	for (size_t g = 0; grant && g < grant->n; g++)
		for (size_t i = 0; i < grant->v[g].n; i++)
			wake(s, &s->type_waiting[grant->v[g].v[i].type]);
}

void
scheduler_ended(struct scheduler *s, node_id node)
{
	bool was_refused = node == s->just_started;

	s->just_started = MAP_NONE;
	give_back(s, node);
	/* After a refusal all is as it was before: what did not fit still does not. */
	if (!was_refused) {
		wake_waiting(s, node);
		start_walk(s);
	}
	release_users(s, node);
	if (s->grants)
		s->grants[node] = NULL;
}

void
scheduler_time(struct scheduler *s, double now_s)
{
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
	return s->running;
}

size_t
scheduler_slots_used(const struct scheduler *s)
{
	return s->used;
}
