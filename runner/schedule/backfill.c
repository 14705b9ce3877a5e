/*
 * Backfilling (Lifka 1995; Mu'alem and Feitelson 2001): the best tests that do not fit
 * are the heads, and each head has a reservation. Another test may start before them if
 * it is expected to end before each reservation's shadow time, or takes only what is
 * extra beside it. With one head this is EASY backfilling; more heads are that many steps
 * towards conservative backfilling, in which all waiting tests have reservations.
 *
 * A plan may come with promised starts instead of reservations: then every test that fits
 * may start before the head until the head's promised start is over.
 *
 * Tests that overtake the first head on a guess, or after its time, are counted. After
 * max(8, 2 * parallel) of them the scheduler drains: nothing starts before the head.
 *
 * D. A. Lifka: "The ANL/IBM SP scheduling system", 1995.
 * A. W. Mu'alem, D. G. Feitelson: "Utilization, predictability, workloads, and user
 * runtime estimates in scheduling the IBM SP2 with backfilling", 2001.
 */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

/* Promises are kept loosely: tests take longer than expected, all together. */
#define PROMISE_SLACK 1.5

/* So many queues are looked at in vain beside a head; the others are tried when
 * something ends. */
enum { HELD_BACK_AT_ONCE = 64 };

void
wake_held_back(struct scheduler *s)
{
	for (size_t i = 0; i < s->held_back.n; i++)
		if (s->queues[s->held_back.v[i]].state == QUEUE_HELD_BACK)
			ready_queue_enter(s->ready, s->held_back.v[i]);
	s->held_back.n = 0;
}

/* ---- who is a head ------------------------------------------------------------------
 */

/* A lock that is free again goes to the best test that wants it: a test that waits for
 * one lock and nothing else needs no reservation. */
static bool
waits_for_lock_only(const struct scheduler *s, uint32_t queue)
{
	const struct request_class *class = s->queues[queue].class;
	uint32_t resource = wait_queue_resource(s->waiting, queue);

	return class->locks_n == 1 && resource == class->locks[0] &&
	       allocation_lock_holder(s->allocation, resource) != RANK_NONE;
}

void
note_blocked(struct scheduler *s, uint32_t id)
{
	const struct class_queue *b = &s->queues[id];

	if (s->noted[id] != b->best)
		heap_push(s->a, &s->blocked, b->best, id);
	s->noted[id] = b->best;
}

static bool
is_blocked(const struct scheduler *s, struct heap_item item)
{
	const struct class_queue *b = &s->queues[item.id];

	return b->state == QUEUE_WAITING && b->best == item.key &&
	       !waits_for_lock_only(s, item.id);
}

/* heads: sorted by rank, with room for one more. */
static size_t
insert_head(struct head *heads, size_t n, size_t most, struct head c)
{
	size_t i = n;

	for (; i && c.rank < heads[i - 1].rank; i--)
		if (i < most)
			heads[i] = heads[i - 1];
	if (i < most)
		heads[i] = c;
	return n < most ? n + 1 : most;
}

/* Of each size that has too few slots, its best. */
static size_t
heads_ready(const struct scheduler *s, size_t slots, struct head *heads)
{
	size_t n = 0, most = s->plan->reserve ? s->plan->reserve : 1;

	for (size_t i = 0; i < s->sizes_n; i++) {
		const struct size_class *l = &s->sizes[i];

		if (l->best == RANK_NONE || (!l->is_serial && l->slots <= slots))
			continue;
		if (n < most || l->best < heads[n - 1].rank)
			n = insert_head(heads, n, most,
				(struct head){
					ready_queue_of(s->ready, l->best), l->best});
	}
	return n;
}

static size_t
heads_waiting(struct scheduler *s, struct head *heads, size_t n)
{
	size_t most = s->plan->reserve ? s->plan->reserve : 1, kept = 0;

	while (s->blocked.n && kept < most) {
		struct heap_item item = s->blocked.v[0];

		if (n == most && heads[n - 1].rank < item.key)
			break;
		heap_pop(&s->blocked);
		if (s->noted[item.id] == item.key)
			s->noted[item.id] = RANK_NONE;
		if (!is_blocked(s, item))
			continue;
		n = insert_head(
			heads, n, most, (struct head){item.id, (uint32_t)item.key});
		s->kept[kept++] = item;
	}
	while (kept--) {
		heap_push(s->a, &s->blocked, s->kept[kept].key, s->kept[kept].id);
		s->noted[s->kept[kept].id] = (uint32_t)s->kept[kept].key;
	}
	return n;
}

static struct need
need_of(const struct scheduler *s, const struct head *c)
{
	const struct request_class *k = s->queues[c->queue].class;
	struct need need = {.slots = k->slots,
		.is_alone = k->is_serial,
		.expected_s = s->plan->expected[s->plan->order[c->rank]].seconds,
		.groups = k->groups};

	for (size_t i = 0; i < k->locks_n; i++) {
		uint32_t holder = allocation_lock_holder(s->allocation, k->locks[i]);
		double end = holder == RANK_NONE ? 0
						 : reservations_end(s->reservations,
							   holder, s->now_s);

		if (end > need.not_before_s)
			need.not_before_s = end;
	}
	return need;
}

static void
reserve(struct scheduler *s)
{
	s->is_stale = false;
	if (!s->reservations)
		return;
	for (size_t i = 0; i < s->heads_n; i++)
		s->needs[i] = need_of(s, &s->heads[i]);
	reservations_make(s->reservations, s->needs, s->heads_n, s->now_s);
	s->reserved_times++;
	wake_held_back(s);
}

/* Another test is the first head. */
static void
promise(struct scheduler *s)
{
	node_id node = s->plan->order[s->heads[0].rank];

	s->promised_s = s->reservations
				? s->reservations->v[0].shadow_s
				: s->began_s + PROMISE_SLACK * s->plan->promised_s[node];
}

static void
drop_heads(struct scheduler *s)
{
	s->heads_n = 0;
	s->is_draining = false;
	wake_held_back(s);
}

void
find_heads(struct scheduler *s, size_t slots)
{
	struct head *found = s->found;
	size_t n;
	bool is_other = false, is_news;

	if (s->is_draining)
		return;
	n = s->usage->running ? heads_waiting(s, found, heads_ready(s, slots, found)) : 0;
	if (!n) {
		if (s->heads_n)
			drop_heads(s);
		return;
	}
	is_other = !s->heads_n || found[0].rank != s->heads[0].rank;
	is_news = n != s->heads_n;
	for (size_t i = 0; i < n; i++) {
		is_news = is_news || found[i].rank != s->heads[i].rank;
		s->heads[i] = found[i];
	}
	s->heads_n = n;
	if (is_news || s->is_stale ||
		(s->reservations && s->now_s > s->reservations->v[0].shadow_s))
		reserve(s);
	if (is_other)
		promise(s);
}

/* ---- who may pass -------------------------------------------------------------------
 */

/* Whether a test of that rank and duration would still run at the shadow time. */
static bool
is_late(const struct scheduler *s, size_t head, uint32_t rank, double seconds)
{
	return rank > s->heads[head].rank &&
	       s->now_s + seconds > s->reservations->v[head].shadow_s;
}

bool
size_may_pass(const struct scheduler *s, const struct size_class *l)
{
	for (size_t i = 0; s->reservations && i < s->heads_n; i++) {
		const struct reservation *p = &s->reservations->v[i];

		if (is_late(s, i, l->best, l->best_s) &&
			(p->is_alone || l->slots > p->extra_slots))
			return false;
	}
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

/* Without looking at the pool. */
static bool
takes_a_lock(const struct scheduler *s, const struct class_queue *b, double seconds)
{
	for (size_t i = 0; i < s->heads_n; i++)
		if (is_late(s, i, b->best, seconds) &&
			share_a_lock(b->class, s->queues[s->heads[i].queue].class))
			return true;
	return false;
}

/* Another that needs the same of the pool has just been found to be in the way. */
static bool
was_held_back(const struct scheduler *s, const struct class_queue *b, double seconds)
{
	return b->class->groups &&
	       s->held_back_at[b->class->pool_request] == s->reserved_times &&
	       s->heads_n && is_late(s, 0, b->best, seconds);
}

static bool
leaves_reservations(
	const struct scheduler *s, const struct class_queue *b, double seconds)
{
	for (size_t i = 0; i < s->heads_n; i++)
		if (is_late(s, i, b->best, seconds) &&
			!reservation_allows(&s->reservations->v[i], b->class->slots,
				allocation_grant(s->allocation, b->best)))
			return false;
	return true;
}

static void
charge_reservations(struct scheduler *s, const struct class_queue *b, double seconds)
{
	for (size_t i = 0; i < s->heads_n; i++)
		if (is_late(s, i, b->best, seconds))
			reservation_charge(&s->reservations->v[i], b->class->slots,
				allocation_grant(s->allocation, b->best));
}

static bool
hold_back(struct scheduler *s, uint32_t id)
{
	ready_queue_set(s->ready, id, QUEUE_HELD_BACK);
	VEC_PUSH(s->a, &s->held_back, id);
	s->held_back_now++;
	return false;
}

bool
admit_backfill(struct scheduler *s, uint32_t id)
{
	const struct class_queue *b = &s->queues[id];
	double seconds = s->plan->expected[s->plan->order[b->best]].seconds;

	if (s->reservations &&
		(takes_a_lock(s, b, seconds) || was_held_back(s, b, seconds)))
		return hold_back(s, id);
	if (!wait_queue_admit(s->waiting, id)) {
		note_blocked(s, id);
		return false;
	}
	if (!s->reservations)
		return true;
	if (!leaves_reservations(s, b, seconds)) {
		s->held_back_at[b->class->pool_request] = s->reserved_times;
		allocation_cancel(s->allocation, b->class, b->best);
		return hold_back(s, id);
	}
	charge_reservations(s, b, seconds);
	return true;
}

bool
is_held_back_enough(const struct scheduler *s)
{
	return s->held_back_now >= HELD_BACK_AT_ONCE;
}

void
note_start(struct scheduler *s, uint32_t id)
{
	const struct class_queue *b = &s->queues[id];
	uint32_t rank = b->best;
	const struct expected *e = &s->plan->expected[s->plan->order[b->best]];
	size_t limit = s->o.parallel > 4 ? 2 * s->o.parallel : 8;

	if (s->reservations)
		reservations_started(s->reservations,
			(struct holder){.rank = rank,
				.started_s = s->now_s,
				.expected_s = e->seconds,
				.slots = b->class->slots,
				.grant = allocation_grant(s->allocation, rank)});
	if (!s->heads_n)
		return;
	if (rank == s->heads[0].rank)
		drop_heads(s);
	else if (rank < s->heads[0].rank)
		s->is_stale = true;
	else if ((s->reservations && e->is_guess) || s->now_s > s->promised_s)
		s->is_draining = ++s->overtaken[s->heads[0].rank] >= limit;
}
