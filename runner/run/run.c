/*
 * The run. See run.h.
 *
 * Between two starts the engine gets its turn at least every SLICE_NS, so that no timeout
 * is late because many tests have to be started. As in ctest, all tests that can start
 * are started before the end of one of them is reported, however long the starts take.
 */
#include "runner/run/run.h"

#include <time.h>

#include "runner/base/loop.h"
#include "runner/process/process.h"
#include "runner/resources/pool_request.h"
#include "runner/run/live.h"
#include "runner/run/results.h"
#include "runner/run/run_output.h"
#include "runner/run/run_record.h"
#include "runner/run/slow_watch.h"

#define SLICE_NS 2000000u
/* So many tests can run at a time before ends are also reported between starts. */
#define MOST_HELD 1000u

struct run_loop {
	struct run *run;
	struct engine *engine;
	struct live_set *live;
	struct results *results;
	struct runner *runner;
	struct diag *diag;
	struct proc_folder processes;
	struct run_record record;
	struct slow_watch slow;
	bool lacks_token; /* the test that waits */
	struct loop_reader *tokens; /* of the job server, while a test waits */
	int interrupted_by;
	bool wants_lines;
	/* No node has come yet of those that are awaited; and how many will not. */
	bool awaits_first;
	size_t gone_n;
	/* Of the throttle: */
	bool is_over;
	size_t usable;
};

static void
send_event(const struct run_loop *r, const struct event *e)
{
	run_send(r->run, e);
}

/* ---- the job server -------------------------------------------------------------- */

static bool
may_start(struct run_loop *r)
{
	return !r->run->job_server || job_server_take(r->run->job_server);
}

static void
return_token(struct run_loop *r)
{
	if (r->run->job_server)
		job_server_return(r->run->job_server);
}

static void
watch_tokens(struct run_loop *r)
{
	bool wants = live_chosen(r->live) && r->lacks_token;

	if (wants && !r->tokens) {
		r->tokens = loop_watch(r->engine->loop,
			job_server_descriptor(r->run->job_server), NULL, NULL);
	} else if (!wants && r->tokens) {
		loop_unwatch(r->tokens);
		r->tokens = NULL;
	}
}

/* Nothing starts any more, not even the test that waits for a token. */
static void
stop_starts(struct run_loop *r)
{
	scheduler_stop(r->run->scheduler);
	if (live_chosen(r->live))
		scheduler_ended(r->run->scheduler, live_drop_chosen(r->live));
}

/* ---- the end of an attempt ------------------------------------------------------- */

static bool
runs_again(const struct run_loop *r, const struct live *l, const struct outcome *o,
	enum verdict_kind k)
{
	if (o->ending == END_NOT_STARTED || r->interrupted_by)
		return false;
	if (l->stop >= LIVE_RETRIED)
		return true;
	if (l->attempt.runs_left <= 1 || k == VERDICT_SKIPPED || l->stop == LIVE_CANCELED)
		return false;
	switch (r->run->repeat.mode) {
	case REPEAT_UNTIL_FAIL:
		return k == VERDICT_PASSED;
	case REPEAT_UNTIL_PASS:
		return k != VERDICT_PASSED;
	case REPEAT_AFTER_TIMEOUT:
		return k == VERDICT_TIMEOUT;
	case REPEAT_NEVER:
		break;
	}
	return false;
}

static enum flakiness
flakiness_of(const struct run_loop *r, const struct live *l, const struct verdict *v)
{
	if (v->kind != VERDICT_PASSED || !l->attempt.failures)
		return FLAKY_NOT;
	return r->run->flaky_fails ? FLAKY_FAILS : FLAKY_PASSES;
}

static void
record_result(struct run_loop *r, const struct live *l, const struct outcome *o,
	const struct verdict *v)
{
	results_add(r->results, &(struct result){
					.node = l->attempt.node,
					.selected = l->attempt.selected,
					.test = l->attempt.test,
					.number = l->attempt.number,
					.outcome = *o,
					.verdict = *v,
					.flaky = flakiness_of(r, l, v),
					.run = l->attempt.run,
					.failures = l->attempt.failures,
				});
	if (r->run->stop_on_failure && !l->attempt.test->properties->disabled &&
		results_count(r->results).failed &&
		(o->ending != END_NOT_STARTED || r->run->stop_on_refusal))
		stop_starts(r);
}

/* Whether the time for starts is over. */
static bool
is_too_late(const struct run_loop *r)
{
	struct start_throttle *t = r->run->throttle;

	return r->is_over || (t && t->is_over(t));
}

static void
close_throttle(struct run_loop *r)
{
	if (r->is_over)
		return;
	r->is_over = true;
	stop_starts(r);
	send_event(r, &(struct event){.kind = EVENT_IDLE});
	r->run->throttle->closes(r->run->throttle);
}

/* Once for each attempt: one that has waited in vain for its start has none. */
static void
end_temporary(struct run_loop *r, struct live *l, bool failed)
{
	const struct engine_type *type = r->engine->type;
	struct str test = l->attempt.test->name;

	if (l->launch.temporary)
		private_tmp_ended(r->run->private_tmp, l->launch.temporary, test, failed);
	else if (l->launch.keeps_failed_temporary && type->judged)
		type->judged(r->engine, l->attempt.node, test, failed);
	l->launch.temporary = NULL;
}

/* The pool maker where the node is the test that makes the pool; else NULL. */
static struct pool_maker *
maker_at(const struct run_loop *r, node_id node)
{
	return r->run->maker && r->run->maker->node == node ? r->run->maker : NULL;
}

/* true: there will be another attempt. */
static bool
end_attempt(struct run_loop *r, struct live *l, struct outcome *o)
{
	struct pool_maker *maker = maker_at(r, l->attempt.node);
	bool ends_run = l->launch.limit_is_the_runs && o->ending == END_TIMED_OUT;
	bool is_late = is_too_late(r) || ends_run, again;
	struct verdict v;

	o->made_nothing = maker && !maker->look(maker);
	o->is_canceled = l->stop != LIVE_GOES_ON;
	o->lacks_setup =
		l->preparation.failed_setups.n || l->preparation.skipped_setups.n;
	o->details = l->output.details;
	o->labels = str_vec_list(&l->output.labels);
	o->search = l->output.verdict;
	v = verdict_judge(l->attempt.test, o);
	again = !is_late && runs_again(r, l, o, v.kind);
	if (r->run->partitions)
		partitions_used(r->run->partitions, l->preparation.part,
			l->attempt.test->properties, (double)o->duration_ns / 1e9,
			!again);
	send_event(r, &(struct event){
			      .kind = EVENT_END,
			      .attempt = &l->attempt,
			      .launch = &l->launch,
			      .refusal = &l->refusal,
			      .outcome = o,
			      .verdict = &v,
			      .is_last = !again,
			      .flaky = again ? FLAKY_NOT : flakiness_of(r, l, &v),
			      .done = results_count(r->results).ended + 1,
		      });
	if (maker) {
		send_event(r, &(struct event){.kind = EVENT_IDLE});
		maker->say(maker);
	}
	end_temporary(r, l, !verdict_is_pass(v.kind));
	if (is_late)
		close_throttle(r);
	if (!again)
		record_result(r, l, o, &v);
	else if (!verdict_is_pass(v.kind) && !o->is_canceled)
		l->attempt.failures++;
	return again;
}

static void
end_test(struct run_loop *r, struct live *l)
{
	node_id node = l->attempt.node;

	if (maker_at(r, node))
		scheduler_pool_is_known(r->run->scheduler, r->run->maker->is_made);
	run_look_again(r->run);
	return_token(r);
	live_return(r->live, l);
	scheduler_ended(r->run->scheduler, node);
	if (r->run->control)
		r->run->control->ended(r->run->control, node);
	runner_settle(r->runner);
}

/* ---- the start of an attempt ----------------------------------------------------- */

static bool
refuse_start(struct run_loop *r, struct live *l, int error)
{
	const struct preparer *p = r->run->preparer;

	p->not_started(p, l->attempt_arena, &l->launch, error, &l->refusal);
	l->refusal.kind = REFUSED_START;
	l->refusal.after_launch = true;
	return false;
}

/* The attempt begins now. */
static void
begin_times(struct live *l)
{
	l->began_ns = l->started_ns = loop_now_ns();
	l->limit_ns = loop_later(l->started_ns, l->launch.timeout_ns);
}

/* false: it did not start; l->refusal gives the reason. */
static bool
start_process(struct run_loop *r, struct live *l)
{
	const struct preparer *p = r->run->preparer;
	bool ready;
	int error;

	l->preparation.failed_setups = results_setups(
		r->results, l->attempt_arena, l->attempt.selected, SETUP_FAILED);
	l->preparation.skipped_setups = results_setups(
		r->results, l->attempt_arena, l->attempt.selected, SETUP_SKIPPED);
	ready = p->prepare(p, l->attempt_arena, &l->preparation, &l->launch, &l->refusal);
	if (!l->losses && (ready || l->refusal.after_launch))
		send_event(r, &(struct event){
				      .kind = EVENT_LAUNCH,
				      .attempt = &l->attempt,
				      .launch = &l->launch,
				      .refusal = &l->refusal,
			      });
	if (!ready)
		return false;
	l->launch.on_node = l->on_node;
	l->launch.processors = l->preparation.processors;
	l->launch.pinned = (int)l->preparation.pinned;
	if (l->launch.pinned && l->on_node)
		l->launch.gpus =
			pool_ids_held(l->attempt_arena, scheduler_pool(r->run->scheduler),
				l->preparation.grant, STR(POOL_GPUS));
	l->launch.reports_hang = r->run->hang_report;
	l->launch.is_given_back =
		r->run->control && scheduler_can_lease(r->run->scheduler);
	l->launch.slots = (unsigned)l->attempt.test->properties->processors;
	l->launch.wants_lines = r->wants_lines || run_output_waits(&l->output);
	l->timeout_ns = l->launch.timeout_ns;
	begin_times(l);
	if (!r->engine->type->start(r->engine, l->attempt.node, &l->launch, &error))
		return refuse_start(r, l, error);
	scheduler_runs(r->run->scheduler);
	slow_watch_add(&r->slow, l->attempt.node, l->began_ns, l->began_ns);
	return true;
}

static bool
is_prepared(const struct run_loop *r, const struct live *l)
{
	const struct preparer *p = r->run->preparer;

	return !p->is_ready || p->is_ready(p, &l->preparation);
}

/* An attempt that did not start is the last one of its test. */
static void
end_refused(struct run_loop *r, struct live *l)
{
	struct outcome o = {.ending = END_NOT_STARTED, .refusal = l->refusal.kind};

	if (o.refusal == REFUSED_ENVIRONMENT || o.refusal == REFUSED_START)
		o.started_us = loop_wall_us();
	INVARIANT(!end_attempt(r, l, &o));
	end_test(r, l);
}

/* The test did not run, or did not end: its node was lost. */
static void
refuse_lost(struct live *l, const struct outcome *o)
{
	struct str text =
		str_fmt(l->attempt_arena, "Test not run: node %s was lost: %.*s\n",
			o->node ? o->node : "", STR_ARG(o->lost));

	if (!o->node)
		text = str_fmt(
			l->attempt_arena, "Test not run: %.*s\n", STR_ARG(o->lost));
	l->refusal = (struct refusal){
		.kind = REFUSED_NODE, .after_launch = true, .err = text, .log = text};
}

static struct outcome
outcome_lost(const struct live *l)
{
	struct outcome o = {.ending = END_NOT_STARTED,
		.refusal = REFUSED_NODE,
		.lost = l->attempt.run ? STR("no test starts any more")
				       : STR("no node is left that has what it needs")};

	if (l->losses) {
		o.node = l->lost.p;
		o.lost = l->why;
	}
	return o;
}

static void
end_lost(struct run_loop *r, struct live *l)
{
	struct outcome o = outcome_lost(l);

	refuse_lost(l, &o);
	l->refusal.after_launch = l->losses > 0;
	INVARIANT(!end_attempt(r, l, &o));
	end_test(r, l);
}

static void
end_canceled(struct run_loop *r, struct live *l)
{
	struct str text = STR("Test not run: it was canceled\n");

	l->refusal = (struct refusal){.kind = REFUSED_CANCELED,
		.after_launch = l->losses > 0,
		.err = text,
		.log = text};
	end_refused(r, l);
}

static void
begin_attempt(struct run_loop *r, struct live *l)
{
	live_count_attempt(l);
	l->launch = (struct launch){.timeout_ns = NO_TIMEOUT};
	l->refusal = (struct refusal){.kind = REFUSED_NOT};
	run_output_begin(&l->output);
	arena_rewind(l->attempt_arena, l->attempt_mark);
	if (!l->losses)
		send_event(
			r, &(struct event){.kind = EVENT_START, .attempt = &l->attempt});
}

static void
start_attempt(struct run_loop *r, struct live *l)
{
	begin_attempt(r, l);
	if (runner_is_canceled(r->runner, l->attempt.node))
		end_canceled(r, l);
	else if (l->lacks_node)
		end_lost(r, l);
	else if (!start_process(r, l))
		end_refused(r, l);
}

/* ---- what the engine says -------------------------------------------------------- */

static uint64_t
time_left(uint64_t end_ns)
{
	uint64_t now_ns = loop_now_ns();

	return end_ns > now_ns ? end_ns - now_ns : 0;
}

/* At most what is left of the run, where that limits the test. */
static uint64_t
limit_by_run(struct live *l, uint64_t limit_ns)
{
	uint64_t left_ns;

	if (!l->launch.run_end_ns || limit_ns == NO_TIMEOUT)
		return limit_ns;
	left_ns = time_left(l->launch.run_end_ns);
	l->launch.limit_is_the_runs = left_ns < limit_ns;
	return left_ns < limit_ns ? left_ns : limit_ns;
}

/* TIMEOUT_AFTER_MATCH: the limit counts from now; a negative one is no limit. */
static void
restart_limit(struct run_loop *r, struct live *l)
{
	double seconds = l->attempt.test->properties->timeout_after_match.seconds *
			 (l->launch.limit_factor > 0 ? l->launch.limit_factor : 1);
	uint64_t limit_ns = seconds >= 0 ? seconds_to_ns(seconds) : NO_TIMEOUT;

	send_event(r, &(struct event){
			      .kind = EVENT_TIMEOUT,
			      .attempt = &l->attempt,
			      .seconds = seconds,
		      });
	limit_ns = limit_by_run(l, limit_ns);
	l->started_ns = loop_now_ns();
	l->limit_ns = loop_later(l->started_ns, limit_ns);
	r->engine->type->set_limit(r->engine, l->attempt.node, limit_ns, true);
}

static bool
on_line(void *context, node_id node, const struct long_text *line)
{
	struct run_loop *r = context;
	struct live *l = live_at(r->live, node);
	struct event e = {.kind = EVENT_OUTPUT,
		.attempt = &l->attempt,
		.text = line->s,
		.is_mapped = line->is_mapped};
	struct line_tag tag = run_output_tag(&l->output, line);

	if (r->wants_lines)
		send_event(r, &e);
	if (tag.kind == TAG_NONE) {
		/* That of a test that is to end is over. */
		if (run_output_matches(&l->output, line) && l->stop == LIVE_GOES_ON)
			restart_limit(r, l);
		return true;
	}
	e.kind = tag.kind == TAG_DETAILS ? EVENT_DETAILS : EVENT_LABEL;
	e.text = tag.text;
	e.is_mapped = false;
	if (r->wants_lines && tag.is_news)
		send_event(r, &e);
	return false;
}

static void
on_part(void *context, node_id node, struct str bytes)
{
	struct run_loop *r = context;

	run_output_part(&live_at(r->live, node)->output, bytes);
}

static bool
on_search(void *context, node_id node, const struct outcome *o)
{
	struct run_loop *r = context;

	return r->interrupted_by || run_output_search(&live_at(r->live, node)->output, o);
}

/* The test gives all back, and waits until it has it again. */
static void
wait_again(struct run_loop *r, struct live *l)
{
	return_token(r);
	live_unpin(r->live, l);
	l->waits_again = true;
	run_look_again(r->run);
	scheduler_again(r->run->scheduler, l->attempt.node);
	runner_settle(r->runner);
}

/* Leases end with their attempt. What the test released it gets again first, and what the
 * preparer needs. */
static void
start_next_attempt(struct run_loop *r, struct live *l, bool is_moved)
{
	if (scheduler_end_leases(r->run->scheduler, l->attempt.node) && !is_moved &&
		is_prepared(r, l)) {
		start_attempt(r, l);
		return;
	}
	live_count_attempt(l);
	wait_again(r, l);
}

static void
on_ended(void *context, node_id node, const struct outcome *outcome)
{
	struct run_loop *r = context;
	struct live *l = live_at(r->live, node);
	struct outcome o = *outcome;
	enum live_stop stop = l->stop;

	if (o.refusal == REFUSED_NODE)
		refuse_lost(l, &o);
	if (r->interrupted_by) {
		return_token(r);
		end_temporary(r, l, false);
		live_return(r->live, l);
	} else if (end_attempt(r, l, &o)) {
		l->losses = 0;
		l->attempt.runs_left += stop >= LIVE_RETRIED;
		l->stop = LIVE_GOES_ON;
		start_next_attempt(r, l, stop == LIVE_MOVED);
	} else {
		end_test(r, l);
	}
}

static void
on_not_started(void *context, node_id node, int error)
{
	struct run_loop *r = context;
	struct live *l = live_at(r->live, node);

	refuse_start(r, l, error);
	end_refused(r, l);
}

static void
on_refused(void *context, node_id node, struct str why)
{
	struct run_loop *r = context;
	const struct preparer *p = r->run->preparer;
	struct live *l = live_at(r->live, node);

	refuse_start(r, l, 0);
	p->no_pmix(p, l->attempt_arena, l->attempt.test, why, &l->refusal);
	l->refusal.after_launch = true;
	end_refused(r, l);
}

/* What the attempt has written does not count. */
static void
drop_output(struct run_loop *r, struct live *l, struct str lost, struct str why)
{
	run_output_begin(&l->output);
	send_event(r, &(struct event){.kind = EVENT_AGAIN,
			      .attempt = &l->attempt,
			      .node = lost,
			      .text = why});
}

/* The engine starts the test again: its limit is that of a whole attempt. */
static void
on_again(void *context, node_id node, struct str lost, struct str why)
{
	struct run_loop *r = context;
	struct live *l = live_at(r->live, node);

	drop_output(r, l, lost, why);
	l->launch.timeout_ns =
		l->stop == LIVE_GOES_ON ? limit_by_run(l, l->timeout_ns) : 0;
	begin_times(l);
	slow_watch_add(&r->slow, node, l->began_ns, l->began_ns);
}

/* The test waits for another place, once, unless it is to end. */
static void
on_lost(void *context, node_id node, struct str lost, struct str why)
{
	struct run_loop *r = context;
	struct live *l = live_at(r->live, node);

	l->lost = str_dup(l->test_arena, lost);
	l->why = str_dup(l->test_arena, why);
	if (l->losses++ || r->interrupted_by || r->is_over || l->stop == LIVE_CANCELED) {
		struct outcome o = outcome_lost(l);

		on_ended(r, node, &o);
		return;
	}
	drop_output(r, l, lost, why);
	end_temporary(r, l, false);
	l->stop = LIVE_GOES_ON;
	wait_again(r, l);
}

static void
on_presence(void *context, uint32_t on, enum pool_presence presence)
{
	struct run_loop *r = context;

	if (!r->run->awaited_nodes)
		return;
	run_look_again(r->run);
	r->gone_n += presence == POOL_NODE_GONE;
	if (presence == POOL_NODE_HERE || r->gone_n == r->run->awaited_nodes)
		r->awaits_first = false;
	scheduler_set_presence(r->run->scheduler, on, presence);
}

static void
on_place(void *context, uint32_t on, struct str_list gpus)
{
	struct run_loop *r = context;

	if (r->run->awaited_nodes)
		scheduler_name_instances(r->run->scheduler, on, STR(POOL_GPUS),
			str_list_dup(r->run->arena, gpus));
}

/* Tests get no more of the node than is there. */
static void
on_found(void *context, uint32_t on, struct str name, const struct node_limits *l)
{
	struct run_loop *r = context;
	struct arena *scratch;

	if (!r->run->awaited_nodes || !scheduler_limit_node(r->run->scheduler, on, l))
		return;
	scratch = arena_open();
	send_event(r, &(struct event){.kind = EVENT_WARNING,
			      .text = str_fmt(scratch,
				      "node %.*s: its agent finds %.*s; no more are used",
				      STR_ARG(name),
				      STR_ARG(node_limits_text(scratch,
					      scheduler_pool(r->run->scheduler), on)))});
	arena_close(scratch);
}

static void
on_talk(void *context, node_id node, uint64_t talk, struct str text)
{
	const struct run_loop *r = context;

	if (r->run->control)
		r->run->control->talk(r->run->control, node, talk, text);
}

static bool
has_unstarted(void *context)
{
	const struct run_loop *r = context;

	return !r->interrupted_by && !r->is_over &&
	       scheduler_pending(r->run->scheduler) > 0;
}

static void
on_notice(void *context, struct str text)
{
	send_event(context, &(struct event){.kind = EVENT_NOTICE, .text = text});
}

static void
on_warning(void *context, struct str text)
{
	send_event(context, &(struct event){.kind = EVENT_WARNING, .text = text});
}

static void
on_left(void *context, int pid, struct str name)
{
	struct run_loop *r = context;

	diag_warning(r->diag, NO_PLACE, "%.*s",
		STR_ARG(process_refused_text(r->run->arena, pid, name)));
}

static void
on_leaked(void *context, node_id node, int pid, struct str name)
{
	struct run_loop *r = context;
	const struct node *n = &r->run->plan->nodes[node];
	struct attempt a = {.node = node,
		.selected = &r->run->selection->v[node],
		.test = n->test,
		.number = n->number};

	send_event(
		r, &(struct event){
			   .kind = EVENT_LEAK, .attempt = &a, .pid = pid, .text = name});
}

static void
on_interrupted(void *context, int signal)
{
	struct run_loop *r = context;

	if (!r->interrupted_by)
		send_event(r, &(struct event){.kind = EVENT_INTERRUPT, .signal = signal});
	r->interrupted_by = signal;
	stop_starts(r);
	r->engine->type->interrupt(r->engine, signal);
}

/* ---- the loop -------------------------------------------------------------------- */

/* Asks once per look, since one look may start several tests. */
static void
ask_throttle(struct run_loop *r)
{
	struct start_throttle *t = r->run->throttle;

	if (!t || !t->looks)
		return;
	t->looks = false;
	if (scheduler_pending(r->run->scheduler) && is_too_late(r))
		close_throttle(r);
	r->usable = t->usable_slots(t, r->run->scheduler);
}

/* ---- other runs on this machine ---- */

static void
on_host_news(void *context)
{
	struct run_loop *r = context;

	run_look_again(r->run);
}

static void
on_host_text(void *context, struct str text)
{
	on_warning(context, text);
}

static enum host_look
enter_host(struct run_loop *r)
{
	enum host_look look = host_share_enter(r->run->host, r->run->scheduler, r->diag);

	if (look == HOST_LOST)
		runner_lose_host(r->runner);
	if (look == HOST_LOOKS)
		scheduler_open_leases(r->run->scheduler);
	return look;
}

static void
leave_host(struct run_loop *r, const struct action *done)
{
	if (!host_share_leave(r->run->host, r->run->scheduler, done, r->diag))
		runner_lose_host(r->runner);
	scheduler_close_leases(r->run->scheduler);
}

/* Nothing starts; what has ended is given back. */
static struct action
tell_host(struct run_loop *r)
{
	if (r->run->host && enter_host(r) == HOST_LOOKS)
		leave_host(r, NULL);
	return (struct action){.kind = ACT_WAIT};
}

static struct action
next_action(struct run_loop *r)
{
	struct run *run = r->run;
	enum host_look look = HOST_LOST;
	struct action a;

	ask_throttle(r);
	if (run->plan->expected)
		scheduler_time(run->scheduler, (double)loop_now_ns() / 1e9);
	if (run->host)
		look = enter_host(r);
	if (look == HOST_LATER)
		return (struct action){.kind = ACT_WAIT};
	a = scheduler_next(run->scheduler, r->usable);
	if (look == HOST_LOOKS)
		leave_host(r, &a);
	return a;
}

/* Also takes out attempts that have ended. */
static void
report_slow(struct run_loop *r)
{
	uint64_t after_ns = r->slow.after_ns, now_ns = after_ns ? loop_now_ns() : 0;
	struct slow_entry e;

	while (slow_watch_next(&r->slow, now_ns, &e)) {
		const struct live *l = live_running(r->live, e.node);

		if (!l || l->began_ns != e.began_ns || r->interrupted_by)
			continue;
		send_event(r, &(struct event){
				      .kind = EVENT_SLOW,
				      .attempt = &l->attempt,
				      .seconds = (double)((now_ns - e.began_ns) /
							  after_ns * after_ns) /
						 1e9,
			      });
		slow_watch_add(&r->slow, e.node, e.began_ns, now_ns);
	}
}

/* Returns when the next slice began. */
static uint64_t
let_engine_work(struct run_loop *r, uint64_t until_ns)
{
	struct private_tmp *tmp = r->run->private_tmp;
	bool is_busy;

	if (r->run->host && host_share_again(r->run->host) < until_ns)
		until_ns = host_share_again(r->run->host);
	watch_tokens(r);
	send_event(r, &(struct event){.kind = EVENT_IDLE, .is_settled = until_ns != 0});
	is_busy = tmp && private_tmp_work(tmp, SLICE_NS);
	runner_report_leases(r->runner);
	if (slow_watch_due(&r->slow) < until_ns)
		until_ns = slow_watch_due(&r->slow);
	r->engine->type->wait(r->engine, is_busy ? 0 : until_ns);
	report_slow(r);
	return loop_now_ns();
}

/* Waits until something has ended, or until the load is checked again. Returns when the
 * next slice began. */
static uint64_t
wait_for_news(struct run_loop *r, uint64_t now_ns)
{
	struct start_throttle *t = r->run->throttle;
	uint64_t pause_ns, until_ns;

	if (!t || live_chosen(r->live))
		return let_engine_work(r, NO_TIMEOUT);
	send_event(r, &(struct event){.kind = EVENT_IDLE});
	pause_ns = t->pause_ns(t, r->run->scheduler);
	until_ns = pause_ns == NO_TIMEOUT ? NO_TIMEOUT : now_ns + pause_ns;
	do
		now_ns = let_engine_work(r, until_ns);
	while (!t->looks && !r->interrupted_by && now_ns < until_ns && !r->run->host);
	t->looks = true;
	return now_ns;
}

/* The test that the scheduler has chosen has its resources; it starts when it is prepared
 * and there is a token for it. Until then nothing else is chosen. false: it waits. */
static bool
start_chosen(struct run_loop *r)
{
	struct live *l = live_chosen(r->live);

	if (is_too_late(r)) {
		close_throttle(r);
		return true;
	}
	r->lacks_token = false;
	if (runner_count(r->runner).is_paused || !is_prepared(r, l))
		return false;
	r->lacks_token = !may_start(r);
	if (r->lacks_token)
		return false;
	live_choose(r->live, NULL);
	start_attempt(r, l);
	return true;
}

/* Whether the next test may not start yet. */
static bool
is_held(const struct run_loop *r)
{
	return r->awaits_first || (runner_count(r->runner).is_paused &&
					  scheduler_pending(r->run->scheduler) > 0);
}

/* The engine's events come first, then at most one slice of starts. */
static void
run_tests(struct run_loop *r)
{
	uint64_t began_ns = loop_now_ns();

	while (!r->interrupted_by) {
		uint64_t now = loop_now_ns();
		struct action a;

		if (now - began_ns >= SLICE_NS) {
			r->engine->holds_ends = live_most(r->live) < MOST_HELD;
			began_ns = let_engine_work(r, 0);
			r->engine->holds_ends = false;
			continue;
		}
		a = live_chosen(r->live) || is_held(r) ? tell_host(r) : next_action(r);
		if (a.kind == ACT_DONE)
			return;
		if (a.kind == ACT_START)
			live_choose(r->live, live_take(r->live, &a));
		if (!live_chosen(r->live) || !start_chosen(r))
			began_ns = wait_for_news(r, now);
	}
}

/* Ends tests that wait for another node when nothing starts any more. */
static void
end_waiting(struct run_loop *r)
{
	struct live *l;

	for (size_t i = 0; (l = live_next(r->live, &i));) {
		struct outcome o = outcome_lost(l);

		if (!l->waits_again)
			continue;
		refuse_lost(l, &o);
		if (!r->interrupted_by)
			INVARIANT(!end_attempt(r, l, &o));
		live_return(r->live, l);
	}
}

/* Tests whose results were withdrawn, and for whose next attempts it was too late: what
 * they had is no result any more. */
static void
end_withdrawn(struct run_loop *r)
{
	node_id n = r->interrupted_by ? 0 : r->run->plan->n;

	for (node_id node = 0; node < n; node++) {
		struct action start = {.kind = ACT_START, .node = node};
		struct outcome o;
		struct live *l;

		if (!results_earlier(r->results, node) || results_of(r->results, node) ||
			live_at(r->live, node))
			continue;
		l = live_take(r->live, &start);
		begin_attempt(r, l);
		o = outcome_lost(l);
		refuse_lost(l, &o);
		l->refusal.after_launch = false;
		INVARIANT(!end_attempt(r, l, &o));
		live_return(r->live, l);
	}
}

/* Waits until nothing runs any more: after an interruption everything is killed soon. */
static void
wait_for_rest(struct run_loop *r)
{
	struct live *l;

	for (size_t i = 0; (l = live_next(r->live, &i));)
		while (live_at(r->live, l->attempt.node))
			let_engine_work(r, NO_TIMEOUT);
	send_event(r, &(struct event){.kind = EVENT_IDLE});
}

/* Tests start in their order, also those that need no node to fail. */
static void
await_nodes(struct run_loop *r)
{
	r->awaits_first = r->run->awaited_nodes && scheduler_pending(r->run->scheduler);
	for (uint32_t i = 0; i < r->run->awaited_nodes; i++)
		scheduler_set_presence(r->run->scheduler, i, POOL_NODE_AWAY);
}

static struct run_loop *
open_run(struct run *run, struct tally *t)
{
	struct run_loop *r = NEW(run->arena, struct run_loop);

	r->run = run;
	*t = (struct tally){.started_s = time(NULL)};
	r->results = results_new(run->arena, run->plan, t, run->finished_n);
	r->live = live_open(run, r->results);
	run_look_again(run);
	r->usable = SIZE_MAX;
	r->slow =
		(struct slow_watch){.arena = run->arena, .after_ns = run->slow_after_ns};
	for (size_t i = 0; i < run->reports_n; i++)
		r->wants_lines = r->wants_lines || run->reports[i]->wants_lines;
	return r;
}

static void
close_run(struct run_loop *r)
{
	r->engine->type->close(r->engine);
	run_record_close(&r->record);
	proc_folder_close(&r->processes);
	if (r->run->job_server)
		job_server_close(r->run->job_server);
	live_close(r->live);
}

bool
run_all(struct run *run, struct tally *t, int *interrupted, struct diag *d)
{
	struct run_loop *r = open_run(run, t);
	struct engine_listener listener = {.context = r,
		.line_tag = run->tags->head,
		.line = on_line,
		.part = on_part,
		.search = on_search,
		.ended = on_ended,
		.not_started = on_not_started,
		.refused = on_refused,
		.again = on_again,
		.lost = on_lost,
		.presence = on_presence,
		.place = on_place,
		.found = on_found,
		.talk = on_talk,
		.needs = has_unstarted,
		.warning = on_warning,
		.notice = on_notice,
		.left = on_left,
		.leaked = run->leak_report ? on_leaked : NULL,
		.interrupted = on_interrupted};
	uint64_t began_ns = loop_now_ns();

	INVARIANT(run->scheduler && run->preparer);
	r->diag = d;
	r->engine = run->engine.open(
		run->engine.options, run->arena, run->scratch_directory, &listener, d);
	if (!r->engine)
		return false;
	r->runner = runner_new(run, began_ns, r->engine, r->live, r->results);
	(void)proc_folder_open(&r->processes);
	r->record = run_record_open(run->arena, run->scratch_directory, &r->processes, d);
	send_event(r, &(struct event){
			      .kind = EVENT_BEGIN, .tally = t, .loop = r->engine->loop});
	await_nodes(r);
	if (run->host)
		host_share_begin(run->host, r->engine->loop,
			&(struct host_listener){r, on_host_news, on_host_text});
	if (run->control)
		run->control->begin(run->control, r->runner, r->engine->loop);
	run_tests(r);
	end_waiting(r);
	end_withdrawn(r);
	if (r->interrupted_by)
		wait_for_rest(r);
	if (run->partitions)
		partitions_end(run->partitions, runner_seconds(r->runner));
	if (run->control)
		run->control->end(run->control);
	if (run->host)
		host_share_close(run->host);
	close_run(r);
	t->ended_s = time(NULL);
	t->duration_ns = loop_now_ns() - began_ns;
	*interrupted = r->interrupted_by;
	if (!r->interrupted_by)
		send_event(r, &(struct event){.kind = EVENT_FINISH,
				      .tally = t,
				      .partitions = run->partitions});
	return true;
}
