/* Leases over the socket. See control_leases.h. */
#include "runner/control/control_leases.h"

#include "runner/base/json_line.h"
#include "runner/base/loop.h"
#include "runner/control/control_answers.h"
#include "runner/lease/lease_terms.h"

static const char *const statuses[] = {
	[LEASE_GRANTED] = "granted",
	[LEASE_PARTIAL] = "partial",
	[LEASE_PENDING] = "pending",
	[LEASE_DENIED] = "denied",
	[LEASE_CANCELED] = "canceled",
};
static const char *const states[] = {
	[LEASE_WAITS] = "waits",
	[LEASE_HELD] = "held",
	[LEASE_ENDED] = "ended",
};

_Static_assert((int)CONTROL_ALLOC_QUERY - (int)CONTROL_ALLOC_NEW == (int)LEASE_QUERY,
	"the verbs are in the order of enum lease_verb");

static double
now_s(void)
{
	return (double)loop_now_ns() / 1e9;
}

/* ---- who asks -------------------------------------------------------------------- */

bool
lease_asker_find(
	struct lease_asker *asker, const struct runner *r, int pid, const char **why)
{
	struct test_state s;

	if (asker->node != MAP_NONE) {
		s = runner_test(r, asker->node);
		if (s.stage == TEST_RUNS && s.began_ns == asker->started_ns)
			return true;
	}
	asker->node = runner_owner(r, pid);
	*why = "the process belongs to no test that runs";
	if (asker->node == MAP_NONE)
		return false;
	asker->started_ns = runner_test(r, asker->node).began_ns;
	return true;
}

/* ---- answers --------------------------------------------------------------------- */

static void
add_units(struct buf *b, const struct pool *p, uint32_t type, const struct grant_unit *v,
	size_t n)
{
	const struct resource_type *t = &p->types[type];

	for (size_t i = 0; i < n; i++) {
		if (v[i].type != type || !v[i].slots)
			continue;
		json_line_open(b, NULL, '{');
		json_line_text(b, "id", t->v[v[i].instance].id);
		json_line_count(b, "slots", v[i].slots);
		json_line_close(b, '}');
	}
}

static bool
has_type(const struct grant_unit *v, size_t n, uint32_t type)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].type == type)
			return true;
	return false;
}

/* By type; a type of which nothing is left is there, and empty. */
static void
add_types(struct buf *b, const struct pool *p, const struct grant_unit *v, size_t n)
{
	for (uint32_t type = 0; type < p->n && n; type++) {
		if (!has_type(v, n, type))
			continue;
		json_line_open(b, NULL, '{');
		json_line_text(b, "type", p->types[type].name);
		json_line_open(b, "units", '[');
		add_units(b, p, type, v, n);
		json_line_close(b, ']');
		json_line_close(b, '}');
	}
}

static void
add_holdings(struct buf *b, const struct leases *l, const struct lease *e)
{
	const struct grant *g = leases_grant(l, e->holder);

	json_line_open(b, "holds", '[');
	for (uint32_t i = 0; e->is_own && g && i < leases_own_groups(l, e->holder); i++)
		add_types(b, leases_pool(l), g->v[i].v, g->v[i].n);
	add_types(b, leases_pool(l), e->units.v, e->units.n);
	json_line_close(b, ']');
}

static void
add_lent(struct buf *b, const struct pool *p, const struct lease *e)
{
	if (!e->lent.n)
		return;
	json_line_open(b, "lent", '[');
	for (size_t i = 0; i < e->lent.n; i++) {
		json_line_open(b, NULL, '{');
		json_line_text(b, "type", p->types[e->lent.v[i].type].name);
		json_line_count(b, "slots", e->lent.v[i].slots);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
	if (e->back_s > 0)
		json_line_seconds(b, "back", e->back_s - now_s());
}

/* Of the lease, or of the test for its own. */
static void
add_time_left(struct buf *b, const struct runner *r, const struct lease *e)
{
	struct test_state s = runner_test(r, e->holder);

	if (e->end_s > 0)
		json_line_seconds(b, "left", e->end_s - now_s());
	else if (e->is_own && s.stage == TEST_RUNS && s.limit_ns != LOOP_FOREVER)
		json_line_seconds(b, "left", (double)s.limit_ns / 1e9 - now_s());
}

static void
add_lease(struct buf *b, const char *key, const struct runner *r, const struct leases *l,
	const struct lease *e)
{
	json_line_open(b, key, '{');
	json_line_text(b, "id", str_of(e->id));
	json_line_text(b, "state", str_of(states[e->state]));
	if (e->fixture.p)
		json_line_text(b, "cleanup", e->fixture);
	json_line_text(b, "request", str_of(statuses[e->status]));
	if (e->status == LEASE_DENIED)
		json_line_text(b, "reason", str_of(e->reason));
	if (e->units.n)
		json_line_count(b, "group", e->group);
	add_holdings(b, l, e);
	add_lent(b, leases_pool(l), e);
	if (e->state != LEASE_ENDED)
		add_time_left(b, r, e);
	json_line_close(b, '}');
}

static const struct lease *
lease_of_group(const struct leases *l, node_id node, uint32_t group)
{
	const struct lease *e;
	size_t at = 0;

	while ((e = leases_next(l, node, &at)))
		if (e->group == group && e->state == LEASE_HELD)
			return e;
	return NULL;
}

/* All groups of the test, as its variables number them. */
static void
add_groups(struct buf *b, const struct leases *l, node_id node)
{
	const struct grant *g = leases_grant(l, node);
	const struct pool *p = leases_pool(l);

	json_line_open(b, "groups", '[');
	for (uint32_t i = 0; i < leases_groups(l, node); i++) {
		const struct lease *e = lease_of_group(l, node, i);

		json_line_open(b, NULL, '[');
		if (g && i < leases_own_groups(l, node))
			add_types(b, p, g->v[i].v, g->v[i].n);
		else if (e)
			add_types(b, p, e->units.v, e->units.n);
		json_line_close(b, ']');
	}
	json_line_close(b, ']');
}

static void
add_leases(struct buf *b, const struct runner *r, const struct leases *l, node_id node)
{
	const struct lease *e;
	size_t at = 0;

	json_line_open(b, "leases", '[');
	while ((e = leases_next(l, node, &at)))
		add_lease(b, NULL, r, l, e);
	json_line_close(b, ']');
}

/* For the lease, or for all of the test (NULL). */
static void
put_answer(struct buf *b, const struct runner *r, const struct leases *l, node_id node,
	const struct lease_answer *answer)
{
	control_begin_answer(b, "ok");
	json_line_text(b, "request", str_of(statuses[answer->status]));
	if (answer->reason)
		json_line_text(b, "reason", str_of(answer->reason));
	if (answer->lease)
		add_lease(b, "lease", r, l, answer->lease);
	else
		add_leases(b, r, l, node);
	add_groups(b, l, node);
	control_end_answer(b);
}

/* ---- requests -------------------------------------------------------------------- */

static bool
read_resources(struct arena *a, const struct control_request *q, struct lease_request *to,
	const char **why)
{
	*to = (struct lease_request){.id = q->id,
		.fixture = q->fixture,
		.is_immediate = q->is_immediate,
		.blocks = q->blocks,
		.seconds = q->seconds,
		.now_s = now_s()};
	return lease_terms_read(a, q->resources, &to->wanted, why) &&
	       lease_terms_read(a, q->wish, &to->wished, why);
}

/* The test's own lease ends with the test, at its limit. */
static bool
moves_limit(const struct control_request *q)
{
	return q->verb == CONTROL_ALLOC_EXTEND && q->seconds != 0 &&
	       (!q->id.p || str_is(q->id, LEASE_OWN));
}

static void
note_wait(struct lease_wait *wait, const struct lease *e, bool is_request)
{
	*wait = (struct lease_wait){.is_request = is_request};
	memcpy(wait->id, e->id, sizeof wait->id);
}

/* false: the request that is awaited is pending. */
static bool
answer_wait(struct buf *b, struct runner *r, struct leases *l,
	const struct lease_asker *asker, const struct control_request *q,
	struct lease_wait *wait)
{
	struct lease_request query = {.id = q->id};
	struct lease_answer answer;

	leases_block(l, asker->node, q->id.p ? q->id : STR(LEASE_OWN), true);
	runner_leases_changed(r);
	answer = leases_ask(l, asker->node, LEASE_QUERY, &query);
	if (answer.status == LEASE_PENDING) {
		note_wait(wait, answer.lease, false);
		return false;
	}
	put_answer(b, r, l, asker->node, &answer);
	return true;
}

bool
control_lease_answer(struct buf *b, struct runner *r, const struct lease_asker *asker,
	const struct control_request *q, struct lease_wait *wait)
{
	const char *why;
	struct lease_request request;
	struct lease_answer answer = {.status = LEASE_GRANTED};
	struct leases *l = runner_leases(r, asker->node, &why);

	if (!l || !read_resources(b->arena, q, &request, &why)) {
		control_refuse(b, why);
		return true;
	}
	if (q->verb == CONTROL_ALLOC_NEW && q->fixture.p &&
		runner_is_stopping(r, asker->node)) {
		control_refuse(b, "the partition of the test is being stopped, and such "
				  "a lease would outlive it");
		return true;
	}
	if (q->verb == CONTROL_ALLOC_WAIT)
		return answer_wait(b, r, l, asker, q, wait);
	if (q->verb != CONTROL_ALLOC_QUERY || q->id.p)
		answer = leases_ask(l, asker->node,
			(enum lease_verb)(q->verb - CONTROL_ALLOC_NEW), &request);
	/* The lease says how its last request went. */
	if (q->verb == CONTROL_ALLOC_QUERY && answer.lease)
		answer = (struct lease_answer){LEASE_GRANTED, NULL, answer.lease};
	if (answer.status != LEASE_DENIED && moves_limit(q) &&
		!runner_move_limit(r, asker->node, q->seconds))
		answer.reason = "the test has no time limit";
	if (answer.status == LEASE_PENDING &&
		(q->blocks || q->awaits || answer.lease->is_untried)) {
		note_wait(wait, answer.lease, true);
		wait->is_short = !q->blocks && !q->awaits;
		runner_leases_changed(r);
		return false;
	}
	put_answer(b, r, l, asker->node, &answer);
	if (q->verb != CONTROL_ALLOC_QUERY)
		runner_leases_changed(r);
	return true;
}

/* The test has ended. */
static void
put_canceled(struct buf *b)
{
	control_begin_answer(b, "ok");
	json_line_text(b, "request", str_of(statuses[LEASE_CANCELED]));
	control_end_answer(b);
}

bool
control_lease_ended(struct buf *b, struct runner *r, const struct lease_asker *asker,
	const struct lease_wait *wait)
{
	struct lease_request query = {.id = str_of(wait->id)};
	struct test_state s = runner_test(r, asker->node);
	struct lease_answer answer;
	struct leases *l;
	const char *why;

	if (s.stage != TEST_RUNS || s.began_ns != asker->started_ns) {
		put_canceled(b);
		return true;
	}
	l = runner_leases(r, asker->node, &why);
	INVARIANT(l);
	answer = leases_ask(l, asker->node, LEASE_QUERY, &query);
	if (answer.status == LEASE_PENDING &&
		!(wait->is_short && !answer.lease->is_untried))
		return false;
	put_answer(b, r, l, asker->node, &answer);
	return true;
}

void
control_lease_leave(
	struct runner *r, const struct lease_asker *asker, const struct lease_wait *wait)
{
	struct lease_request cancel = {.id = str_of(wait->id)};
	struct test_state s = runner_test(r, asker->node);
	struct leases *l;
	const char *why;

	if (s.stage != TEST_RUNS || s.began_ns != asker->started_ns)
		return;
	l = runner_leases(r, asker->node, &why);
	if (wait->is_request)
		(void)leases_ask(l, asker->node, LEASE_CANCEL, &cancel);
	else
		leases_block(l, asker->node, cancel.id, false);
	runner_leases_changed(r);
}

uint64_t
control_lease_expire(struct runner *r)
{
	struct leases *l = runner_all_leases(r);
	double next_s = l ? leases_expire(l, now_s()) : 0;

	if (l)
		runner_leases_changed(r);
	return seconds_to_ns(next_s);
}
