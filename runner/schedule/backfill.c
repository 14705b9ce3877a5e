/*
 * Backfilling (Lifka 1995; Mu'alem and Feitelson 2001): the best tests that do not fit
 * are the heads, and each head has a reservation. Another test may start before them if
 * it is expected to end before each reservation's shadow time, or takes only what is
 * extra beside it. With one head this is EASY backfilling; more heads are that many steps
 * towards conservative backfilling, in which all waiting tests have reservations.
 *
 * Each part has heads of its own, since tests of another part cannot give it what it
 * waits for.
 *
 * A plan may come with promised starts instead of reservations: then every test that fits
 * may start before the head until the head's promised start is over.
 *
 * Tests that overtake the first head on a guess, or after its time, are counted. After
 * max(8, 2 * parallel) of them the scheduler drains: nothing starts before the head. It
 * does not drain for a head that waits for what another run holds or for a node that is
 * away: the end of this run's tests would not help it.
 *
 * D. A. Lifka: "The ANL/IBM SP scheduling system", 1995.
 * A. W. Mu'alem, D. G. Feitelson: "Utilization, predictability, workloads, and user
 * runtime estimates in scheduling the IBM SP2 with backfilling", 2001.
 */
#include "runner/schedule/backfill.h"

#include <math.h>
#include <string.h>

#include "runner/base/heap.h"
#include "runner/schedule/reservation.h"

/* Promises are kept loosely: tests take longer than expected, all together. */
#define PROMISE_SLACK 1.5

/* So many queues are looked at in vain beside a head; the others are tried when
 * something ends. */
enum { HELD_BACK_AT_ONCE = 64 };

/* The best test of the queue does not fit. */
struct head {
	uint32_t queue, rank;
};

struct backfill {
	struct arena *a;
	const struct plan *plan;
	size_t parallel;
	size_t most, most_of_part; /* heads */
	size_t most_kept; /* room of kept */
	const struct pool *pool; /* NULL: none */
	const struct scheduler_parts *parts; /* NULL: none */
	struct allocation *allocation;
	const struct usage *usage; /* of it */
	struct ready_queue *ready;
	const struct class_queue *queues; /* of it */
	const struct size_class *sizes; /* of it */
	size_t sizes_n;
	struct wait_queues *waiting;

	double began_s, now_s;
	bool has_begun;
	struct head *heads; /* by rank */
	size_t heads_n;
	struct head *found; /* to work with, and so are: */
	struct need *needs;
	struct heap_item *kept;
	struct reservations *reservations; /* NULL: promised starts only */
	const struct reservation *reserved; /* of them, by head */
	bool is_stale; /* a better test than the heads has started since */
	double promised_s; /* the first time that the first head was promised */
	uint32_t *overtaken; /* by rank: how often, while it was the first head */
	bool is_draining;

	heap blocked; /* queues that wait for a resource, by best rank */
	uint32_t *noted; /* by queue: rank of its item in blocked */
	VEC(uint32_t) held_back; /* queues */
	size_t held_back_now; /* since backfill_begin */
	uint64_t reserved_times; /* how often reservations have been made */
	uint64_t *
		held_back_at; /* by pool request: reserved_times when one was held back */
};

/* In all. */
static size_t
heads_of(const struct scheduler_parts *parts, size_t most_of_part)
{
	size_t open = 0;

	if (!parts)
		return most_of_part;
	for (size_t i = 0; i < parts->n; i++)
		open += !parts->v[i].is_closed;
	open = open ? open : 1;
	return most_of_part * open < RESERVE_MOST ? most_of_part * open : RESERVE_MOST;
}

struct backfill *
backfill_new(struct arena *a, const struct plan *p, const struct scheduler_options *o,
	struct allocation *allocation, struct ready_queue *ready,
	struct wait_queues *waiting)
{
	struct backfill *b;
	size_t queues_n;

	INVARIANT(p->reserve <= RESERVE_MOST);
	if (!p->expected || (!p->reserve && !p->promised_s))
		return NULL;
	b = NEW(a, struct backfill);
	*b = (struct backfill){.a = a,
		.plan = p,
		.parallel = o->parallel,
		.pool = o->pool,
		.parts = o->parts,
		.most_of_part = p->reserve ? p->reserve : 1,
		.allocation = allocation,
		.usage = allocation_usage(allocation),
		.ready = ready,
		.waiting = waiting};
	b->most = heads_of(o->parts, b->most_of_part);
	b->most_kept = o->parts ? RESERVE_MOST : b->most;
	b->queues = ready_queue_all(ready, &queues_n);
	b->sizes = ready_queue_sizes(ready, &b->sizes_n);
	if (p->reserve) {
		b->reservations =
			reservations_new(a, p->n, o->pool, o->parallel, b->most);
		b->reserved = reservations_made(b->reservations);
	}
	b->overtaken = NEW_ARRAY(a, uint32_t, p->n);
	b->heads = NEW_ARRAY(a, struct head, b->most);
	b->found = NEW_ARRAY(a, struct head, b->most);
	b->needs = NEW_ARRAY(a, struct need, b->most);
	b->kept = NEW_ARRAY(a, struct heap_item, b->most_kept);
	b->held_back_at = NEW_ARRAY(a, uint64_t, o->classes->pool_requests_n);
	b->noted = NEW_ARRAY(a, uint32_t, queues_n);
	for (size_t i = 0; i < queues_n; i++)
		b->noted[i] = RANK_NONE;
	return b;
}

void
backfill_follow(struct backfill *b, const struct backfill *old)
{
	b->began_s = old->began_s;
	b->now_s = old->now_s;
	b->has_begun = old->has_begun;
	if (b->plan->n)
		memcpy(b->overtaken, old->overtaken, b->plan->n * sizeof *b->overtaken);
	if (b->reservations)
		reservations_follow(b->reservations, old->reservations);
}

void
backfill_pool_is_known(struct backfill *b)
{
	if (b->reservations)
		reservations_pool_is_known(b->reservations);
}

void
backfill_set_leases(struct backfill *b, const struct leases *l)
{
	if (b->reservations)
		reservations_set_leases(b->reservations, b->plan->order, l);
}

void
backfill_set_time(struct backfill *b, double now_s)
{
	INVARIANT(!b->has_begun || now_s >= b->now_s);
	if (!b->has_begun)
		b->began_s = now_s;
	b->has_begun = true;
	b->now_s = now_s;
}

void
backfill_begin(struct backfill *b)
{
	b->held_back_now = 0;
}

void
backfill_wake(struct backfill *b)
{
	for (size_t i = 0; i < b->held_back.n; i++)
		if (b->queues[b->held_back.v[i]].state == QUEUE_HELD_BACK)
			ready_queue_enter(b->ready, b->held_back.v[i]);
	b->held_back.n = 0;
}

/* ---- who is a head --------------------------------------------------------------- */

/* A lock that is free again goes to the best test that wants it: a test that waits for
 * one lock and nothing else needs no reservation. */
static bool
waits_for_lock_only(const struct backfill *b, uint32_t queue)
{
	const struct request_class *class = b->queues[queue].class;
	uint32_t resource = wait_queue_resource(b->waiting, queue);

	return class->locks_n == 1 && resource == class->locks[0] &&
	       allocation_lock_holder(b->allocation, resource) != RANK_NONE;
}

void
backfill_blocked(struct backfill *b, uint32_t id)
{
	const struct class_queue *q = &b->queues[id];

	if (b->noted[id] != q->best)
		heap_push(b->a, &b->blocked, q->best, id);
	b->noted[id] = q->best;
}

static bool
is_blocked(const struct backfill *b, struct heap_item item)
{
	const struct class_queue *q = &b->queues[item.id];

	return q->state == QUEUE_WAITING && q->best == item.key &&
	       !(b->parts && b->parts->v[q->class->part].is_closed) &&
	       !waits_for_lock_only(b, item.id);
}

static uint32_t
part_of(const struct backfill *b, const struct head *c)
{
	return b->queues[c->queue].class->part;
}

/* The place of the worst head of the part if it has as many as it may have; else n. */
static size_t
find_surplus(const struct backfill *b, const struct head *heads, size_t n, uint32_t part)
{
	size_t worst = n, count = 0;

	for (size_t i = 0; i < n; i++)
		if (part_of(b, &heads[i]) == part) {
			worst = i;
			count++;
		}
	return count < b->most_of_part ? n : worst;
}

/* heads: sorted by rank. */
static size_t
insert_head(const struct backfill *b, struct head *heads, size_t n, struct head c)
{
	size_t i = find_surplus(b, heads, n, part_of(b, &c));

	if (i == n && n == b->most)
		i--;
	if (i < n && heads[i].rank < c.rank)
		return n;
	if (i == n)
		n++;
	for (; i && c.rank < heads[i - 1].rank; i--)
		heads[i] = heads[i - 1];
	heads[i] = c;
	return n;
}

/* The best test of each size class for which too few slots are free. */
static size_t
heads_ready(const struct backfill *b, size_t slots, struct head *heads)
{
	size_t n = 0;

	for (size_t i = 0; i < b->sizes_n; i++) {
		const struct size_class *l = &b->sizes[i];

		/* Tests that wait for slots of their part overtake only each other. */
		if (l->best == RANK_NONE || (!l->is_serial && l->slots <= slots) ||
			(b->parts &&
				l->slots > allocation_part_room(b->allocation, l->part)))
			continue;
		n = insert_head(b, heads, n,
			(struct head){ready_queue_of(b->ready, l->best), l->best});
	}
	return n;
}

static size_t
heads_waiting(struct backfill *b, struct head *heads, size_t n)
{
	size_t kept = 0;

	while (b->blocked.n && kept < b->most_kept) {
		struct heap_item item = b->blocked.v[0];

		if (n == b->most && heads[n - 1].rank < item.key)
			break;
		heap_pop(&b->blocked);
		if (b->noted[item.id] == item.key)
			b->noted[item.id] = RANK_NONE;
		if (!is_blocked(b, item))
			continue;
		n = insert_head(b, heads, n, (struct head){item.id, (uint32_t)item.key});
		b->kept[kept++] = item;
	}
	while (kept--) {
		heap_push(b->a, &b->blocked, b->kept[kept].key, b->kept[kept].id);
		b->noted[b->kept[kept].id] = (uint32_t)b->kept[kept].key;
	}
	return n;
}

static struct need
need_of(const struct backfill *b, const struct head *c)
{
	const struct request_class *k = b->queues[c->queue].class;
	struct need need = {.slots = k->slots,
		.is_alone = k->is_serial,
		.part = k->part,
		.expected_s = b->plan->expected[b->plan->order[c->rank]].seconds,
		.groups = k->groups};

	for (size_t i = 0; i < k->locks_n; i++) {
		uint32_t holder = allocation_lock_holder(b->allocation, k->locks[i]);
		double end = holder == RANK_NONE ? 0
						 : reservations_end(b->reservations,
							   holder, b->now_s);

		if (end > need.not_before_s)
			need.not_before_s = end;
	}
	return need;
}

static void
make_reservations(struct backfill *b)
{
	b->is_stale = false;
	if (!b->reservations)
		return;
	for (size_t i = 0; i < b->heads_n; i++)
		b->needs[i] = need_of(b, &b->heads[i]);
	reservations_make(b->reservations, b->needs, b->heads_n, b->now_s);
	b->reserved_times++;
	backfill_wake(b);
}

/* Another test is the first head: when will it start? */
static void
promise_start(struct backfill *b)
{
	node_id node = b->plan->order[b->heads[0].rank];

	b->promised_s = b->reservations
				? b->reserved[0].shadow_s
				: b->began_s + PROMISE_SLACK * b->plan->promised_s[node];
}

static void
drop_heads(struct backfill *b)
{
	b->heads_n = 0;
	b->is_draining = false;
	backfill_wake(b);
}

void
backfill_forget(struct backfill *b)
{
	if (b->heads_n)
		drop_heads(b);
}

/* A head could not start when it should have. */
static bool
is_overdue(const struct backfill *b)
{
	for (size_t i = 0; b->reservations && i < b->heads_n; i++)
		if (b->now_s > b->reserved[i].shadow_s)
			return true;
	return false;
}

static void
find_heads(struct backfill *b, size_t slots)
{
	struct head *found = b->found;
	size_t n;
	bool is_other = false, is_news;

	if (b->is_draining && b->usage->running)
		return;
	n = b->usage->running ? heads_waiting(b, found, heads_ready(b, slots, found)) : 0;
	if (!n) {
		if (b->heads_n)
			drop_heads(b);
		return;
	}
	is_other = !b->heads_n || found[0].rank != b->heads[0].rank;
	is_news = n != b->heads_n;
	for (size_t i = 0; i < n; i++) {
		is_news = is_news || found[i].rank != b->heads[i].rank;
		b->heads[i] = found[i];
	}
	b->heads_n = n;
	if (is_news || b->is_stale || is_overdue(b))
		make_reservations(b);
	if (is_other)
		promise_start(b);
}

enum backfill_rule
backfill_rule(struct backfill *b, size_t slots)
{
	find_heads(b, slots);
	if (b->is_draining)
		return START_HEAD;
	return b->held_back_now >= HELD_BACK_AT_ONCE ? START_NONE : START_ANY;
}

uint32_t
backfill_head(const struct backfill *b)
{
	INVARIANT(b->heads_n > 0);
	return b->heads[0].queue;
}

uint32_t
backfill_first(const struct backfill *b, double *shadow_s)
{
	if (!b->heads_n)
		return RANK_NONE;
	if (b->reservations)
		*shadow_s = b->reserved[0].shadow_s;
	return b->heads[0].rank;
}

/* ---- who may start before the heads ---------------------------------------------- */

/* Whether a test of that rank and duration would still run at the shadow time. */
static bool
is_late(const struct backfill *b, size_t head, uint32_t rank, double seconds)
{
	return rank > b->heads[head].rank &&
	       b->now_s + seconds > b->reserved[head].shadow_s;
}

bool
backfill_allows(const struct backfill *b, const struct size_class *size)
{
	for (size_t i = 0; b->reservations && i < b->heads_n; i++)
		if (is_late(b, i, size->best, size->best_s) &&
			(b->reserved[i].is_alone ||
				size->slots > b->reserved[i].extra_slots))
			return false;
	return true;
}

static bool
share_a_lock(const struct request_class *a, const struct request_class *b)
{
	for (size_t i = 0; i < a->locks_n; i++)
		for (size_t k = 0; k < b->locks_n; k++)
			if (a->locks[i] == b->locks[k])
				return true;
	return false;
}

/* Whether the test takes a lock that a head needs. Found without looking at the pool. */
static bool
takes_a_lock(const struct backfill *b, const struct class_queue *q, double seconds)
{
	for (size_t i = 0; i < b->heads_n; i++)
		if (is_late(b, i, q->best, seconds) &&
			share_a_lock(q->class, b->queues[b->heads[i].queue].class))
			return true;
	return false;
}

/* Whether another test with the same request to the pool has just been held back. */
static bool
was_held_back(const struct backfill *b, const struct class_queue *q, double seconds)
{
	return q->class->groups &&
	       b->held_back_at[q->class->pool_request] == b->reserved_times &&
	       b->heads_n && is_late(b, 0, q->best, seconds);
}

static bool
leaves_reservations(const struct backfill *b, const struct class_queue *q, double seconds)
{
	for (size_t i = 0; i < b->heads_n; i++)
		if (is_late(b, i, q->best, seconds) &&
			!reservations_allow(b->reservations, i, q->class->slots,
				allocation_grant(b->allocation, q->best)))
			return false;
	return true;
}

static void
charge_reservations(struct backfill *b, const struct class_queue *q, double seconds)
{
	for (size_t i = 0; i < b->heads_n; i++)
		if (is_late(b, i, q->best, seconds))
			reservations_charge(b->reservations, i, q->class->slots,
				allocation_grant(b->allocation, q->best));
}

static bool
hold_back(struct backfill *b, uint32_t id)
{
	ready_queue_set(b->ready, id, QUEUE_HELD_BACK);
	VEC_PUSH(b->a, &b->held_back, id);
	b->held_back_now++;
	return false;
}

bool
backfill_admit(struct backfill *b, uint32_t queue)
{
	const struct class_queue *q = &b->queues[queue];
	double seconds = b->plan->expected[b->plan->order[q->best]].seconds;

	if (b->is_draining)
		return wait_queue_admit(b->waiting, queue);
	if (b->reservations &&
		(takes_a_lock(b, q, seconds) || was_held_back(b, q, seconds)))
		return hold_back(b, queue);
	if (!wait_queue_admit(b->waiting, queue)) {
		backfill_blocked(b, queue);
		return false;
	}
	if (!b->reservations)
		return true;
	if (!leaves_reservations(b, q, seconds)) {
		b->held_back_at[q->class->pool_request] = b->reserved_times;
		allocation_cancel(b->allocation, q->class, q->best);
		return hold_back(b, queue);
	}
	charge_reservations(b, q, seconds);
	return true;
}

/* Whether the first head may start when all that runs has ended. */
static bool
can_drain(const struct backfill *b)
{
	if (b->reservations && isfinite(b->reserved[0].shadow_s))
		return true;
	return !b->pool ||
	       (!b->pool->shared_n && !pool_count_nodes(b->pool, POOL_NODE_AWAY));
}

void
backfill_started(struct backfill *b, uint32_t queue)
{
	const struct class_queue *q = &b->queues[queue];
	const struct expected *e = &b->plan->expected[b->plan->order[q->best]];
	size_t limit = b->parallel > 4 ? 2 * b->parallel : 8;

	if (b->reservations)
		reservations_started(b->reservations,
			(struct holder){.rank = q->best,
				.started_s = b->now_s,
				.expected_s = e->seconds,
				.slots = q->class->slots,
				.grant = allocation_grant(b->allocation, q->best)});
	if (!b->heads_n)
		return;
	if (q->best == b->heads[0].rank)
		drop_heads(b);
	else if (q->best < b->heads[0].rank)
		b->is_stale = true;
	else if (q->class->part != b->queues[b->heads[0].queue].class->part)
		return;
	else if ((b->reservations && e->is_guess) || b->now_s > b->promised_s)
		b->is_draining =
			++b->overtaken[b->heads[0].rank] >= limit && can_drain(b);
}

void
backfill_ended(struct backfill *b, uint32_t rank)
{
	if (b->reservations)
		reservations_ended(b->reservations, rank);
}
