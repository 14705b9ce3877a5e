/* See runner.h. */
#include "runner/run/runner.h"

#include "runner/base/loop.h"
#include "runner/run/live.h"
#include "runner/run/run_parts.h"

struct runner {
	const struct run *run;
	struct engine *engine;
	struct live_set *live;
	struct results *results;
	uint64_t began_ns;
	bool is_paused, cancels_waiting;
	bool *canceled; /* by node; NULL: none */
	bool is_alone; /* the file of other runs is lost */
};

struct runner *
runner_new(const struct run *run, uint64_t began_ns, struct engine *e, struct live_set *l,
	struct results *o)
{
	struct runner *r = NEW(run->arena, struct runner);

	*r = (struct runner){
		.run = run, .engine = e, .live = l, .results = o, .began_ns = began_ns};
	return r;
}

struct runner_counts
runner_count(const struct runner *r)
{
	struct results_count n = results_count(r->results);

	return (struct runner_counts){.tests = r->run->plan->n,
		.ended = n.ended,
		.passed = n.passed,
		.failed = n.failed,
		.is_paused = r->is_paused};
}

struct test_state
runner_test(const struct runner *r, node_id node)
{
	const struct live *l = live_running(r->live, node);
	struct test_state s = {.stage = TEST_WAITS};

	INVARIANT(node < r->run->plan->n);
	if (l)
		return (struct test_state){.stage = TEST_RUNS,
			.attempt = &l->attempt,
			.started_ns = l->started_ns,
			.began_ns = l->began_ns,
			.limit_ns = l->limit_ns};
	s.result = results_of(r->results, node);
	if (s.result)
		s.stage = TEST_ENDED;
	return s;
}

node_id
runner_next(const struct runner *r, size_t *at)
{
	const struct live *l;

	while ((l = live_next(r->live, at)))
		if (live_running(r->live, l->attempt.node))
			return l->attempt.node;
	return MAP_NONE;
}

node_id
runner_find(const struct runner *r, struct str name)
{
	const struct plan *p = r->run->plan;
	uint64_t number;

	for (node_id i = 0; i < p->n; i++)
		if (str_eq(p->nodes[i].test->name, name))
			return i;
	if (str_unsigned(name, UINT_MAX, &number))
		for (node_id i = 0; i < p->n; i++)
			if (p->nodes[i].number == number)
				return i;
	return MAP_NONE;
}

const struct node *
runner_node(const struct runner *r, node_id node)
{
	INVARIANT(node < r->run->plan->n);
	return &r->run->plan->nodes[node];
}

struct blocker
runner_blocker(const struct runner *r, node_id node)
{
	return scheduler_blocker(r->run->scheduler, node);
}

struct str
runner_tail(const struct runner *r, struct arena *a, node_id node, size_t n)
{
	return r->engine->type->tail(r->engine, a, node, n);
}

const struct partitions *
runner_partitions(const struct runner *r, double *seconds)
{
	*seconds = runner_seconds(r);
	return r->run->partitions;
}

void
runner_pause(struct runner *r, bool is_paused)
{
	r->is_paused = is_paused;
	run_look_again(r->run);
}

static void
set_limit(struct runner *r, struct live *l, uint64_t limit_ns)
{
	uint64_t now_ns = loop_now_ns();
	uint64_t left_ns = limit_ns > now_ns ? limit_ns - now_ns : 0;

	l->limit_ns = limit_ns;
	l->launch.timeout_ns = left_ns;
	r->engine->type->set_limit(r->engine, l->attempt.node, left_ns, false);
}

bool
runner_cancel(struct runner *r, node_id node)
{
	struct live *l = live_running(r->live, node);

	if (l) {
		l->stop = LIVE_CANCELED;
		set_limit(r, l, 0);
		return true;
	}
	if (results_of(r->results, node))
		return false;
	if (!r->canceled)
		r->canceled = NEW_ARRAY(r->run->arena, bool, r->run->plan->n);
	r->canceled[node] = true;
	return true;
}

bool
runner_is_canceled(const struct runner *r, node_id node)
{
	return r->cancels_waiting || (r->canceled && r->canceled[node]);
}

/* ---- another attempt ---- */

static const struct report *
final_report(const struct runner *r)
{
	for (size_t i = 0; i < r->run->reports_n; i++)
		if (r->run->reports[i]->is_final)
			return r->run->reports[i];
	return NULL;
}

/* NULL: the test has ended, and can start again. */
static const char *
why_no_other(const struct runner *r, struct arena *a, node_id node)
{
	const struct result *result = results_of(r->results, node);
	node_id user = scheduler_started_user(r->run->scheduler, node);
	const struct report *final = final_report(r);

	if (!result)
		return "the test has not started in this run";
	if (result->test->properties->disabled)
		return "the test is disabled";
	if (user != MAP_NONE)
		return str_fmt_z(a, "%.*s, which depends on it, has started",
			STR_ARG(r->run->plan->nodes[user].test->name));
	if (r->run->maker && r->run->maker->node == node)
		return "the resources of the run are those that the test has made";
	if (r->run->partitions)
		return "the test has ended, and the run has partitions";
	if (final)
		return str_fmt_z(a,
			"the test has ended, and the file of %s keeps its result",
			final->type->name);
	return NULL;
}

static void
say_withdrawal(struct runner *r, const struct result *result)
{
	struct attempt attempt = {.node = result->node,
		.selected = result->selected,
		.test = result->test,
		.number = result->number,
		.run = result->run,
		.failures = result->failures};

	run_send(r->run, &(struct event){.kind = EVENT_WITHDRAW,
				 .attempt = &attempt,
				 .outcome = &result->outcome,
				 .verdict = &result->verdict,
				 .flaky = result->flaky,
				 .done = results_count(r->results).ended});
}

/* As if the test had not ended. */
static void
withdraw_result(struct runner *r, node_id node)
{
	struct result result = results_withdraw(r->results, node);

	if (r->canceled)
		r->canceled[node] = false;
	say_withdrawal(r, &result);
}

const char *
runner_retry(struct runner *r, struct arena *a, node_id node)
{
	struct live *l = live_running(r->live, node);
	const char *why;

	if (r->cancels_waiting || scheduler_is_stopped(r->run->scheduler))
		return "no test starts any more";
	if (l) {
		if (l->stop != LIVE_MOVED)
			l->stop = LIVE_RETRIED;
		set_limit(r, l, 0);
		return NULL;
	}
	why = why_no_other(r, a, node);
	if (why)
		return why;
	withdraw_result(r, node);
	scheduler_retry(r->run->scheduler, node);
	run_look_again(r->run);
	return NULL;
}

void
runner_cancel_waiting(struct runner *r)
{
	r->cancels_waiting = true;
	runner_pause(r, false);
}

/* NO_TIMEOUT stays. */
static uint64_t
moved_time(uint64_t time_ns, uint64_t by_ns, bool is_earlier)
{
	if (!is_earlier || time_ns == NO_TIMEOUT)
		return loop_later(time_ns, by_ns);
	return time_ns > by_ns ? time_ns - by_ns : 0;
}

bool
runner_move_limit(struct runner *r, node_id node, double seconds)
{
	struct live *l = live_running(r->live, node);
	uint64_t by_ns = seconds_to_ns(seconds < 0 ? -seconds : seconds);

	if (!l || l->stop != LIVE_GOES_ON || l->limit_ns == LOOP_FOREVER)
		return false;
	l->timeout_ns = moved_time(l->timeout_ns, by_ns, seconds < 0);
	set_limit(r, l, moved_time(l->limit_ns, by_ns, seconds < 0));
	return true;
}

/* ---- partitions ---- */

double
runner_seconds(const struct runner *r)
{
	return (double)(loop_now_ns() - r->began_ns) / 1e9;
}

static bool
is_drained(const struct runner *r)
{
	const struct partitions *p = r->run->partitions;

	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].is_stopping &&
			scheduler_part_running(r->run->scheduler, p->v.v[i].part))
			return false;
	return true;
}

static void
say_partitions(struct runner *r)
{
	const struct partitions *p = r->run->partitions;
	struct arena *scratch = arena_open();
	str_vec active = {0};

	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].state == PARTITION_ACTIVE)
			VEC_PUSH(scratch, &active, p->v.v[i].request.name);
	run_send(r->run, &(struct event){.kind = EVENT_PARTITIONS,
				 .names = str_vec_list(&active)});
	arena_close(scratch);
}

static void
partitions_have_changed(struct runner *r)
{
	scheduler_parts_changed(r->run->scheduler);
	run_look_again(r->run);
	r->run->control->parted(r->run->control);
}

/* When nothing runs any more in the partitions that stop, the others begin. */
void
runner_settle(struct runner *r)
{
	struct partitions *p = r->run->partitions;
	struct arena *scratch;
	unsigned char *life;

	if (!p || !p->is_changing || !is_drained(r))
		return;
	scratch = arena_open();
	life = NEW_ARRAY(scratch, unsigned char, r->run->plan->n);
	scheduler_lives(r->run->scheduler, life);
	partitions_commit(p, life, runner_seconds(r));
	arena_close(scratch);
	partitions_have_changed(r);
	say_partitions(r);
}

static bool
is_of_stopping(const struct runner *r, const struct live *l)
{
	const struct partitions *p = r->run->partitions;

	for (size_t i = 0; p && i < p->v.n; i++)
		if (p->v.v[i].is_stopping && p->v.v[i].part == l->preparation.part)
			return true;
	return false;
}

bool
runner_is_stopping(const struct runner *r, node_id node)
{
	const struct live *l = live_running(r->live, node);

	return l && is_of_stopping(r, l);
}

/* What runs in partitions that stop ends, which is no failure, and starts again. */
static void
put_tests_back(struct runner *r)
{
	struct arena *scratch = arena_open();
	str_vec names = {0};
	struct live *l = live_chosen(r->live);

	if (l && is_of_stopping(r, l))
		scheduler_again(r->run->scheduler, live_drop_chosen(r->live));
	for (size_t i = 0; (l = live_next(r->live, &i));) {
		if (!live_running(r->live, l->attempt.node) || !is_of_stopping(r, l) ||
			l->stop == LIVE_CANCELED || l->stop == LIVE_MOVED)
			continue;
		l->stop = LIVE_MOVED;
		set_limit(r, l, 0);
		VEC_PUSH(scratch, &names, l->attempt.test->name);
	}
	if (names.n)
		run_send(r->run, &(struct event){.kind = EVENT_PUT_BACK,
					 .names = str_vec_list(&names)});
	arena_close(scratch);
}

static bool
read_partitions(struct runner *r, const struct str_list *texts,
	struct partition_request *requests, struct diag *d)
{
	const struct partition_reader *reader = &r->run->partitions->reader;
	bool is_good = true;

	for (size_t i = 0; i < texts->n; i++)
		is_good = reader->read(reader->context, texts->v[i], &requests[i], d) &&
			  is_good;
	return is_good;
}

/* A fixture's lease outlives the tests that run. */
static bool
check_fixtures(struct runner *r, const struct partition_change *c, struct diag *d)
{
	const struct partitions *p = r->run->partitions;
	const struct leases *leases = runner_all_leases(r);
	bool is_good = true;

	for (size_t i = 0; leases && i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];
		struct str fixture = partitions_stops(p, c, one)
					     ? leases_fixture_in(leases, one->part)
					     : STR_NONE;

		if (fixture.p)
			is_good = diag_error(d, NO_PLACE,
				"partition %.*s cannot stop: a lease of it is kept for "
				"%.*s",
				STR_ARG(one->request.name), STR_ARG(fixture));
	}
	return is_good;
}

static bool
begin_change(struct runner *r, const struct runner_change *asked, struct diag *d)
{
	struct partition_request *requests =
		NEW_ARRAY(r->run->arena, struct partition_request, asked->start.n);
	struct partition_change c = {asked->stop, requests, asked->start.n};
	struct arena *scratch;
	unsigned char *life;
	bool is_good;

	if (!read_partitions(r, &asked->start, requests, d) || !check_fixtures(r, &c, d))
		return false;
	scratch = arena_open();
	life = NEW_ARRAY(scratch, unsigned char, r->run->plan->n);
	scheduler_lives(r->run->scheduler, life);
	is_good = partitions_change(r->run->partitions, &c, life, runner_seconds(r), d);
	arena_close(scratch);
	return is_good;
}

/* What is asked may be to do with a change that has been accepted before. */
static bool
check_change(const struct runner *r, bool is_new, struct diag *d)
{
	const struct partitions *p = r->run->partitions;

	if (p->fixed)
		return diag_error(
			d, NO_PLACE, "the partitions cannot change: %s", p->fixed);
	if (r->cancels_waiting || scheduler_is_stopped(r->run->scheduler))
		return diag_error(d, NO_PLACE, "no test starts any more");
	return is_new || p->is_changing ||
	       diag_error(d, NO_PLACE, "no partition is being stopped");
}

enum runner_changed
runner_change_partitions(struct runner *r, const struct runner_change *c, struct diag *d)
{
	struct partitions *p = r->run->partitions;
	bool is_new = c->stop.n || c->start.n;

	if (!check_change(r, is_new, d))
		return RUNNER_REFUSES;
	if (is_new && p->is_changing)
		return RUNNER_CHANGES_OTHERWISE;
	if (c->is_off) {
		partitions_call_off(p, runner_seconds(r));
		partitions_have_changed(r);
		return RUNNER_CHANGED;
	}
	if (!p->is_changing && !begin_change(r, c, d)) {
		r->run->control->parted(r->run->control);
		return RUNNER_REFUSES;
	}
	if (c->is_now)
		put_tests_back(r);
	runner_settle(r);
	r->run->control->parted(r->run->control);
	return RUNNER_CHANGED;
}

/* ---- leases and talks ---- */

void
runner_tell(struct runner *r, uint64_t talk, struct str text)
{
	r->engine->type->tell(r->engine, talk, text);
}

node_id
runner_owner(const struct runner *r, int pid)
{
	node_id node = r->engine->type->owner ? r->engine->type->owner(r->engine, pid)
					      : MAP_NONE;

	return node != MAP_NONE && live_running(r->live, node) ? node : MAP_NONE;
}

void
runner_report_leases(struct runner *r)
{
	if (scheduler_leases_changed(r->run->scheduler))
		r->run->control->leased(r->run->control);
}

static void
lose_leases(struct runner *r)
{
	struct leases *l = scheduler_all_leases(r->run->scheduler);

	if (l)
		leases_lose_pool(l, "what other runs hold is not known");
}

void
runner_lose_host(struct runner *r)
{
	if (r->is_alone)
		return;
	r->is_alone = true;
	lose_leases(r);
	runner_cancel_waiting(r);
}

struct leases *
runner_leases(struct runner *r, node_id node, const char **why)
{
	struct leases *l;

	INVARIANT(live_running(r->live, node));
	*why = r->run->no_resources;
	if (!scheduler_can_lease(r->run->scheduler))
		return NULL;
	l = scheduler_leases(r->run->scheduler, node, why);
	if (l && r->run->host)
		leases_close_pool(l);
	if (l && r->is_alone)
		lose_leases(r);
	return l;
}

struct leases *
runner_all_leases(struct runner *r)
{
	return scheduler_all_leases(r->run->scheduler);
}

void
runner_leases_changed(struct runner *r)
{
	run_look_again(r->run);
	runner_report_leases(r);
}
