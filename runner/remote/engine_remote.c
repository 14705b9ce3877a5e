/*
 * The engine of agents. See engine_remote.h. Which agents there are is known to fleet.h;
 * this is about the tests that they run.
 *
 * A test belongs to one agent until the agent reports its outcome. Only that report is a
 * result: when an agent is lost, its tests start again on another one, once; what they
 * had written does not count. A test that has several whole nodes is lost with each of
 * them; so its outcome waits for a sign of life of the others.
 *
 * Everything happens in wait(). Tests that wait for an agent are handled after the turn
 * of the loop.
 */
#include "runner/remote/engine_remote.h"

#include <errno.h>
#include <signal.h>

#include "runner/base/loop.h"
#include "runner/remote/fleet.h"
#include "runner/remote/load_queue.h"
#include "runner/remote/node_gpus.h"
#include "runner/remote/node_processors.h"
#include "runner/remote/remote_options.h"
#include "runner/run/attempt_output.h"

#define INTERRUPT_PATIENCE_NS 13000000000u /* more than the agent's own patience */

enum {
	MOST_LOSSES = 2, /* of one test */
	HANG_MOST = 1 << 23 /* bytes of a report, which is shorter: process_report.h */
};

struct task {
	struct attempt_output written; /* first: see end_searched */
	int number; /* in messages */
	const struct launch *launch;
	agent_id agent; /* AGENT_NONE: waits for one */
	struct processors processors; /* its own, of the agent; none: it has none */
	agent_id lost; /* the agent with which it was lost; AGENT_NONE: none */
	unsigned losses;
	const char *broken; /* another node of the test was lost: why; NULL: none was */
	uint64_t held_beat; /* it has ended, and waits for answers to that heartbeat; 0:
			       it is not held */
	struct outcome held;
	struct buf hang; /* what the agent says of it at its limit; in the arena of
			    written */
	agent_id judge; /* that waits for the verdict; AGENT_NONE: none does */
	struct post_run *post_run; /* or NULL */
	bool is_post_run; /* what runs is the post-run command */
	struct task *next, **previous; /* of the agent, or of the free ones */
};
/* What an agent runs. */
struct work {
	struct task *tasks;
	unsigned used; /* of its slots */
};
struct remote {
	struct engine base;
	struct arena *arena;
	const char *directory;
	struct fleet *fleet;
	agent_id own; /* this machine's, in place of all nodes */
	struct work *work; /* by agent */
	struct load_queue *by_load; /* agents that are ready, and others */
	VEC(struct task *) tasks; /* all that were ever made, by number */
	struct task *free;
	VEC(struct task *) waiting; /* for an agent, in order */
	struct attempt_queue searching;
	VEC(struct task *) by_node; /* of the plan: its running test; NULL: none */
	size_t held_n; /* tasks whose outcome is held */
	uint64_t beat; /* of heartbeats: how many outcomes were held so far */
	struct task *reporting; /* whose end is reported now; NULL: none */
	bool has_news; /* an agent has room, has become ready, or is lost */
	uint64_t patient_until_ns; /* after an interruption; NO_TIMEOUT: there was none */
};

static struct remote *
remote_of(struct engine *e)
{
	return (struct remote *)e;
}

static struct remote *
engine_of(const struct task *t)
{
	return remote_of(t->written.engine);
}

static const struct agent_facts *
facts_of(const struct task *t)
{
	return fleet_facts(engine_of(t)->fleet, t->agent);
}

static bool
is_interrupted(const struct remote *e)
{
	return e->patient_until_ns != NO_TIMEOUT;
}

/* ---- the load of agents ---------------------------------------------------------- */

/* The share of its slots that are in use. */
static uint64_t
load_of(const struct remote *e, agent_id on)
{
	return ((uint64_t)e->work[on].used << 32) / fleet_facts(e->fleet, on)->slots;
}

static void
change_load(struct remote *e, agent_id on)
{
	load_queue_set(e->by_load, on,
		fleet_is_ready(e->fleet, on) ? load_of(e, on) : LOAD_NONE);
}

/* The agent with the smallest load; of several, the first. AGENT_NONE: none is ready. */
static agent_id
least_loaded(struct remote *e)
{
	agent_id on;

	while ((on = load_queue_least(e->by_load)) != AGENT_NONE) {
		if (fleet_is_ready(e->fleet, on))
			return on;
		change_load(e, on);
	}
	return AGENT_NONE;
}

/* ---- tasks ----------------------------------------------------------------------- */

static struct task *
new_task(struct remote *e)
{
	struct task *t = NEW(e->arena, struct task);

	t->number = (int)e->tasks.n;
	t->judge = AGENT_NONE;
	attempt_output_open(&t->written, &e->base, e->directory);
	VEC_PUSH(e->arena, &e->tasks, t);
	return t;
}

static void
begin_attempt(struct task *t, node_id node)
{
	attempt_output_begin(&t->written, node, t->launch->wants_lines);
	t->hang = (struct buf){.arena = t->written.arena};
}

static struct task *
take_task(struct remote *e, node_id node, const struct launch *l)
{
	struct task *t = e->free ? e->free : new_task(e);

	e->free = t->next;
	t->launch = l;
	t->post_run = l->post_run;
	t->is_post_run = false;
	t->agent = AGENT_NONE;
	t->lost = AGENT_NONE;
	t->losses = 0;
	t->broken = NULL;
	t->held_beat = 0;
	begin_attempt(t, node);
	while (e->by_node.n <= node)
		VEC_PUSH(e->arena, &e->by_node, NULL);
	e->by_node.v[node] = t;
	return t;
}

static void
free_task(struct remote *e, struct task *t)
{
	if (e->by_node.v[t->written.node] == t)
		e->by_node.v[t->written.node] = NULL;
	t->judge = AGENT_NONE;
	t->next = e->free;
	e->free = t;
}

static unsigned
slots_of(const struct task *t)
{
	return t->launch->slots ? t->launch->slots : 1;
}

/* Gives the test processors of its own, near its GPUs. */
static void
pin_task(struct task *t)
{
	const struct agent_facts *on = facts_of(t);
	struct arena *scratch = arena_open();

	t->processors = node_processors_take(on->processors, t->written.arena,
		(size_t)t->launch->pinned,
		node_gpus_near(scratch, on->gpus, t->launch->gpus,
			affinity_all(on->processors)));
	arena_close(scratch);
}

static void
give_to_agent(struct task *t, agent_id on)
{
	struct remote *e = engine_of(t);
	struct work *w = &e->work[on];

	INVARIANT(t->agent == AGENT_NONE && fleet_is_ready(e->fleet, on));
	t->agent = on;
	t->next = w->tasks;
	t->previous = &w->tasks;
	if (t->next)
		t->next->previous = &t->next;
	w->tasks = t;
	w->used += slots_of(t);
	if (t->launch->pinned > 0)
		pin_task(t);
	change_load(e, on);
	fleet_launch(e->fleet, on, t->number, t->launch, t->processors);
}

static void
take_from_agent(struct task *t)
{
	struct remote *e = engine_of(t);
	agent_id on = t->agent;

	INVARIANT(on != AGENT_NONE);
	*t->previous = t->next;
	if (t->next)
		t->next->previous = t->previous;
	e->held_n -= t->held_beat > 0;
	t->held_beat = 0;
	e->work[on].used -= slots_of(t);
	affinity_return(facts_of(t)->processors, t->processors);
	t->processors = (struct processors){NULL, 0};
	change_load(e, on);
	e->has_news = true;
	t->agent = AGENT_NONE;
}

static void
send_signal(const struct task *t, int signal)
{
	fleet_send(engine_of(t)->fleet, t->agent,
		&(struct message){
			.kind = MESSAGE_SIGNAL, .task = t->number, .signal = signal});
}

/* ---- the end of a test ----------------------------------------------------------- */

static void
tell_end(struct task *t)
{
	struct remote *e = engine_of(t);
	/* ended() may start the node's next attempt, which takes another task. */
	node_id node = t->written.node;

	if (e->by_node.v[node] == t)
		e->by_node.v[node] = NULL;
	e->reporting = t;
	if (attempt_output_report(&t->written))
		free_task(e, t);
	else
		attempt_queue_add(&e->searching, &t->written);
	e->reporting = NULL;
}

/* What the agent does with the private directory of the test that it has reported. */
static void
send_verdict(const struct task *t, agent_id to, struct str test, bool failed)
{
	fleet_send(engine_of(t)->fleet, to,
		&(struct message){.kind = MESSAGE_VERDICT,
			.task = t->number,
			.text = test,
			.is_failed = failed});
}

static void
remote_judged(struct engine *base, node_id node, struct str test, bool failed)
{
	const struct remote *e = remote_of(base);
	const struct task *t = e->reporting;

	if (t && t->judge != AGENT_NONE && t->written.node == node &&
		fleet_is_up(e->fleet, t->judge))
		send_verdict(t, t->judge, test, failed);
}

/* The post-run command runs where the test ran. false: there is none, or none any more.
 */
static bool
begin_post_run(struct task *t)
{
	struct remote *e = engine_of(t);
	struct launch l = {.timeout_ns = NO_TIMEOUT};

	if (!t->post_run || is_interrupted(e) || !t->post_run->begin(t->post_run, &l))
		return false;
	t->is_post_run = true;
	fleet_launch(e->fleet, t->agent, t->number, &l, (struct processors){NULL, 0});
	return true;
}

static void
end_post_run(struct task *t, int error, int signal)
{
	t->post_run->end(t->post_run, error, signal);
	take_from_agent(t);
	tell_end(t);
}

static void
end_task(struct task *t, const struct outcome *o)
{
	attempt_output_end(&t->written, o);
	if (t->launch->keeps_failed_temporary)
		t->judge = t->agent;
	if (begin_post_run(t))
		return;
	take_from_agent(t);
	tell_end(t);
}

/* The test has no outcome, and gets none. */
static void
give_up_task(struct task *t, const char *why)
{
	struct outcome o = {.ending = END_NOT_STARTED,
		.refusal = REFUSED_NODE,
		.node = t->lost == AGENT_NONE
				? NULL
				: fleet_facts(engine_of(t)->fleet, t->lost)->node,
		.lost = str_dup(t->written.arena, str_of(why))};

	attempt_output_end(&t->written, &o);
	tell_end(t);
}

/* Only the caller knows where else the test may run. */
static void
give_task_back(struct task *t, const char *why)
{
	struct remote *e = engine_of(t);
	const struct engine_listener *l = &e->base.listener;
	node_id node = t->written.node;
	struct str lost = str_of(fleet_facts(e->fleet, t->lost)->node);

	if (is_interrupted(e)) {
		give_up_task(t, why);
		return;
	}
	attempt_output_drop(&t->written);
	free_task(e, t);
	l->lost(l->context, node, lost, str_of(why));
}

/* A test of a lost agent waits for another one, once. */
static void
run_again(struct task *t, const char *why)
{
	struct remote *e = engine_of(t);
	const struct engine_listener *l = &e->base.listener;
	const struct agent_facts *on = facts_of(t);

	t->lost = t->agent;
	take_from_agent(t);
	if (t->is_post_run) {
		t->post_run->end(t->post_run, EIO, 0);
		tell_end(t);
	} else if (on->is_at_limit || is_interrupted(e)) {
		give_up_task(t, why);
	} else if (t->launch->on_node || t->launch->is_given_back) {
		give_task_back(t, why);
	} else if (++t->losses >= MOST_LOSSES) {
		give_up_task(t, why);
	} else {
		attempt_output_drop(&t->written);
		if (l->again)
			l->again(l->context, t->written.node, str_of(on->node),
				str_of(why));
		begin_attempt(t, t->written.node);
		VEC_PUSH(e->arena, &e->waiting, t);
	}
}

/* ---- tests with several whole nodes ---------------------------------------------- */

/* This machine, if it takes the place of all nodes, is lost with cctr. */
static size_t
whole_nodes_of(const struct task *t)
{
	return t->agent == engine_of(t)->own ? 0 : t->launch->whole_nodes_n;
}

static agent_id
whole_node_at(const struct task *t, size_t i)
{
	INVARIANT(t->launch->whole_nodes[i] < engine_of(t)->own);
	return t->launch->whole_nodes[i];
}

static bool
has_whole_node(const struct task *t, agent_id on)
{
	for (size_t i = 0; i < whole_nodes_of(t); i++)
		if (whole_node_at(t, i) == on)
			return true;
	return false;
}

static void
hold_task(struct task *t, const struct outcome *o)
{
	struct remote *e = engine_of(t);
	const struct message m = {.kind = MESSAGE_HEARTBEAT, .beat = ++e->beat};

	INVARIANT(!t->held_beat);
	t->held = *o;
	t->held_beat = e->beat;
	e->held_n++;
	for (size_t i = 0; i < whole_nodes_of(t); i++) {
		agent_id on = whole_node_at(t, i);

		if (on != t->agent && fleet_is_ready(e->fleet, on))
			fleet_send(e->fleet, on, &m);
	}
}

/* What an agent has said before the test ended shows nothing: it may have come late.
 * Agents that are lost are handled before. */
static bool
all_have_answered(const struct task *t)
{
	const struct fleet *f = engine_of(t)->fleet;

	for (size_t i = 0; i < whole_nodes_of(t); i++) {
		agent_id on = whole_node_at(t, i);

		if (on != t->agent &&
			(!fleet_is_up(f, on) || fleet_facts(f, on)->beat < t->held_beat))
			return false;
	}
	return true;
}

static void
end_held(struct remote *e)
{
	for (size_t i = 0; i < e->tasks.n && e->held_n; i++) {
		struct task *t = e->tasks.v[i];
		struct outcome o = t->held;

		if (!t->held_beat || !all_have_answered(t))
			continue;
		t->held_beat = 0;
		e->held_n--;
		end_task(t, &o);
	}
}

/* What the agent has reported of the test does not count. Without a verdict the agent
 * would keep its directory, and take the verdict on the next test of that number for it.
 */
static void
withdraw_outcome(struct task *t, const char *why)
{
	if (t->launch->keeps_failed_temporary)
		send_verdict(t, t->agent, STR(""), false);
	take_from_agent(t);
	give_task_back(t, why);
}

/* A node of the test is lost, but not that of its agent. */
static void
break_task(struct task *t, agent_id lost, const char *why)
{
	t->lost = lost;
	if (t->held_beat) {
		withdraw_outcome(t, why);
		return;
	}
	t->broken = str_dup(engine_of(t)->arena, str_of(why)).p;
	send_signal(t, SIGKILL);
}

/* For the tests of other agents that have the lost node as a whole, and those that have
 * ended on it: its next agent knows nothing of them. */
static void
break_tasks(struct remote *e, agent_id lost, const char *why)
{
	for (size_t i = 0; i < e->tasks.n; i++) {
		struct task *t = e->tasks.v[i];

		if (t->judge == lost)
			t->judge = AGENT_NONE;
		if (t->agent != AGENT_NONE && t->agent != lost && !t->broken &&
			!t->is_post_run && has_whole_node(t, lost))
			break_task(t, lost, why);
	}
}

/* ---- what agents say of tests ---------------------------------------------------- */

static void
on_outcome(struct task *t, const struct message *m)
{
	struct outcome o = m->outcome;

	o.started_us = loop_wall_us() - m->age_us;
	o.node = facts_of(t)->node;
	o.host = facts_of(t)->host;
	if (t->hang.n)
		o.hang = buf_as_str(&t->hang);
	if (whole_nodes_of(t) > 1)
		hold_task(t, &o);
	else
		end_task(t, &o);
}

/* The temporary directory is the node's: where the node has no room for it, another one
 * may have. */
static bool
is_fault_of_node(const struct task *t, int error)
{
	return t->launch->temporary_mark &&
	       (error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO);
}

static void
run_elsewhere(struct task *t, int error)
{
	struct arena *scratch = arena_open();
	const char *why = str_z(scratch, loop_error_text(scratch, error));

	fleet_shun(engine_of(t)->fleet, t->agent, why);
	run_again(t, why);
	arena_close(scratch);
}

/* The launch is over. text: what the node lacks, or "". */
static void
tell_not_started(struct task *t, int error, struct str text)
{
	struct remote *e = engine_of(t);
	const struct engine_listener *l = &e->base.listener;
	const char *on = facts_of(t)->node;
	node_id node = t->written.node;
	struct arena *scratch = arena_open();

	take_from_agent(t);
	attempt_output_drop(&t->written);
	free_task(e, t);
	if (text.n)
		l->refused(l->context, node,
			str_fmt(scratch, "node %s: %.*s", on, STR_ARG(text)));
	else
		l->not_started(l->context, node, error);
	arena_close(scratch);
}

/* OUTCOME or NOT_STARTED. */
static void
on_end(struct task *t, const struct message *m)
{
	const struct outcome *o = &m->outcome;

	if (t->is_post_run)
		end_post_run(t, m->error, o->ending == END_SIGNALLED ? o->signal : 0);
	else if (t->broken)
		withdraw_outcome(t, t->broken);
	else if (m->kind == MESSAGE_OUTCOME)
		on_outcome(t, m);
	else if (is_fault_of_node(t, m->error))
		run_elsewhere(t, m->error);
	else
		tell_not_started(t, m->error, m->text);
}

/* false: it is longer than any. */
static bool
add_hang(struct task *t, struct str text)
{
	if (t->hang.n + text.n > HANG_MOST || !t->launch->reports_hang)
		return false;
	buf_str(&t->hang, text);
	return true;
}

/* A test that has just ended, so that t is NULL, says no more than that. */
static bool
on_talk(struct remote *e, agent_id on, const struct task *t, const struct message *m)
{
	const struct engine_listener *l = &e->base.listener;

	if (l->talk && (t || !m->text.n))
		l->talk(l->context, t ? t->written.node : MAP_NONE,
			(uint64_t)on << 32 | (uint32_t)m->talk, m->text);
	return m->talk > 0;
}

/* struct fleet_listener, message. */
static bool
on_agent_message(void *context, agent_id on, const struct message *m)
{
	struct remote *e = context;
	struct task *t =
		m->task >= 0 && (size_t)m->task < e->tasks.n ? e->tasks.v[m->task] : NULL;

	if (t && t->agent != on)
		t = NULL;
	if (m->kind == MESSAGE_TALK)
		return on_talk(e, on, t, m);
	if (!t || t->held_beat)
		return false;
	if (m->kind == MESSAGE_HANG)
		return add_hang(t, m->text);
	if (m->kind != MESSAGE_OUTPUT)
		on_end(t, m);
	else if (t->is_post_run)
		t->post_run->hear(t->post_run, m->text);
	else
		attempt_output_add(&t->written, m->text);
	return true;
}

/* ---- what else the fleet tells and asks ------------------------------------------ */

static void
on_agent_change(void *context, agent_id on)
{
	struct remote *e = context;

	e->has_news = true;
	change_load(e, on);
}

static void
on_agent_lost(void *context, agent_id on, const char *why)
{
	struct remote *e = context;

	while (e->work[on].tasks)
		run_again(e->work[on].tasks, why);
	break_tasks(e, on, why);
}

/* The agent keeps the directories of tests until the verdicts on them come. */
static bool
is_agent_used(void *context, agent_id on)
{
	const struct remote *e = context;
	bool is_used = e->work[on].tasks;

	for (size_t i = 0; i < e->tasks.n && !is_used; i++)
		is_used = e->tasks.v[i]->judge == on;
	return is_used;
}

/* ---- which agent ----------------------------------------------------------------- */

static bool
has_room(const struct remote *e, agent_id on, const struct task *t)
{
	return e->work[on].used + slots_of(t) <= fleet_facts(e->fleet, on)->slots;
}

/* A node of the test that was lost meanwhile: the one that it must run on, or another
 * whole one. AGENT_NONE: there is none. */
static agent_id
missing_node(const struct remote *e, const struct task *t)
{
	agent_id first = t->launch->on_node - 1;

	INVARIANT(first < e->own);
	if (!fleet_is_ready(e->fleet, first))
		return first;
	for (size_t i = 0; i < whole_nodes_of(t); i++)
		if (!fleet_is_ready(e->fleet, whole_node_at(t, i)))
			return whole_node_at(t, i);
	return AGENT_NONE;
}

/* As least_loaded, but not the agent with which the test was lost, if there is another
 * one. */
static agent_id
least_loaded_for(struct remote *e, const struct task *t)
{
	agent_id first = least_loaded(e), best = AGENT_NONE;

	if (first == AGENT_NONE || first != t->lost)
		return first;
	for (agent_id i = 0; i <= e->own; i++)
		if (i != first && fleet_is_ready(e->fleet, i) &&
			(best == AGENT_NONE || load_of(e, i) < load_of(e, best)))
			best = i;
	return best == AGENT_NONE ? first : best;
}

/* The node that the test must run on, or this machine in its place, where a test that
 * needs more processors than there are runs alone. AGENT_NONE: the test waits for room
 * here, or a node of the test was lost. */
static agent_id
choose_given(struct remote *e, const struct task *t)
{
	if (!fleet_is_ready(e->fleet, e->own))
		return missing_node(e, t) == AGENT_NONE ? t->launch->on_node - 1
							: AGENT_NONE;
	return has_room(e, e->own, t) || !e->work[e->own].used ? e->own : AGENT_NONE;
}

/* AGENT_NONE: the test waits for an agent that starts, or there is none. */
static agent_id
choose_agent(struct remote *e, const struct task *t)
{
	bool is_coming = fleet_is_coming(e->fleet);
	agent_id best;

	if (t->launch->on_node)
		return choose_given(e, t);
	best = least_loaded_for(e, t);
	if (best == AGENT_NONE ||
		(is_coming && (best == t->lost || !has_room(e, best, t))))
		return AGENT_NONE;
	return best;
}

/* Whether every agent that is ready is full, and others may become ready: no test can be
 * placed. */
static bool
is_full(struct remote *e)
{
	agent_id on = least_loaded(e);

	return fleet_is_coming(e->fleet) && on != AGENT_NONE &&
	       e->work[on].used >= fleet_facts(e->fleet, on)->slots;
}

/* Starts tests that wait, in their order. */
static void
place_waiting(struct remote *e)
{
	size_t left = 0, n = e->waiting.n, i;

	e->has_news = false;
	for (i = 0; i < n && (e->waiting.v[i]->launch->on_node || !is_full(e)); i++) {
		struct task *t = e->waiting.v[i];
		agent_id on = choose_agent(e, t);

		if (on != AGENT_NONE) {
			give_to_agent(t, on);
		} else if (t->launch->on_node && fleet_is_ready(e->fleet, e->own)) {
			e->waiting.v[left++] = t;
		} else if (t->launch->on_node) {
			t->lost = missing_node(e, t);
			give_task_back(t, "it is not there any more");
		} else if (fleet_is_coming(e->fleet) || fleet_convert(e->fleet)) {
			e->waiting.v[left++] = t;
		} else {
			give_up_task(t, "no node is left");
		}
	}
	if (i == left)
		return;
	memmove(e->waiting.v + left, e->waiting.v + i,
		(e->waiting.n - i) * sizeof *e->waiting.v);
	e->waiting.n -= i - left;
}

static bool
remote_start(struct engine *base, node_id node, const struct launch *l, int *error)
{
	struct remote *e = remote_of(base);
	struct task *t = take_task(e, node, l);
	agent_id on = e->waiting.n ? AGENT_NONE : choose_agent(e, t);

	*error = 0;
	if (on != AGENT_NONE) {
		give_to_agent(t, on);
	} else {
		VEC_PUSH(e->arena, &e->waiting, t);
		e->has_news = true;
	}
	return true;
}

/* ---- interruption ---------------------------------------------------------------- */

static void
forget_waiting(struct remote *e)
{
	const struct engine_listener *l = &e->base.listener;

	for (size_t i = 0; i < e->waiting.n; i++) {
		struct task *t = e->waiting.v[i];

		t->written.outcome = (struct outcome){.ending = END_NOT_STARTED};
		l->ended(l->context, t->written.node, &t->written.outcome);
		attempt_output_drop(&t->written);
		free_task(e, t);
	}
	e->waiting.n = 0;
}

static void
remote_interrupt(struct engine *base, int signal)
{
	struct remote *e = remote_of(base);

	e->patient_until_ns = loop_later(loop_now_ns(), INTERRUPT_PATIENCE_NS);
	forget_waiting(e);
	fleet_interrupt(e->fleet, signal);
}

/* Agents that have not ended their tests in time are given up: they end when their
 * connection does. */
static void
end_patience(struct remote *e)
{
	for (agent_id on = 0; on <= e->own; on++)
		if (e->work[on].tasks)
			fleet_lose(e->fleet, on, "it does not end its tests");
}

/* ---- the engine ------------------------------------------------------------------ */

static struct task *
task_of_node(struct remote *e, node_id node)
{
	struct task *t = node < e->by_node.n ? e->by_node.v[node] : NULL;

	return t && t->agent != AGENT_NONE && !t->is_post_run ? t : NULL;
}

static void
remote_set_limit(struct engine *base, node_id node, uint64_t timeout_ns, bool restarts)
{
	struct remote *e = remote_of(base);
	const struct task *t = task_of_node(e, node);

	if (t)
		fleet_send(e->fleet, t->agent,
			&(struct message){.kind = MESSAGE_LIMIT,
				.task = t->number,
				.timeout_ns = timeout_ns,
				.restarts = restarts});
}

static struct str
remote_tail(const struct engine *base, struct arena *a, node_id node, size_t n)
{
	const struct task *t = task_of_node(remote_of(drop_const(base)), node);

	return t ? attempt_output_tail(&t->written, a, n) : STR_NONE;
}

static void
remote_signal(struct engine *base, node_id node, int signal)
{
	const struct task *t = task_of_node(remote_of(base), node);

	if (t)
		send_signal(t, signal);
}

static void
remote_tell(struct engine *base, uint64_t talk, struct str text)
{
	struct fleet *f = remote_of(base)->fleet;
	agent_id on = (agent_id)(talk >> 32);

	if (fleet_is_up(f, on))
		fleet_send(f, on,
			&(struct message){.kind = MESSAGE_TALK,
				.talk = (int)(uint32_t)talk,
				.text = text});
}

static void
end_searched(struct attempt_output *o)
{
	tell_end((struct task *)o);
}

static void
remote_wait(struct engine *base, uint64_t until_ns)
{
	struct remote *e = remote_of(base);
	bool has_ends = e->searching.first && !base->holds_ends;

	if (fleet_next_ns(e->fleet) < until_ns)
		until_ns = fleet_next_ns(e->fleet);
	if (e->patient_until_ns < until_ns)
		until_ns = e->patient_until_ns;
	loop_turn(e->base.loop, has_ends || e->has_news ? 0 : until_ns);
	attempt_queue_serve(&e->searching, &e->base, end_searched);
	fleet_beat(e->fleet, e->beat);
	if (loop_now_ns() >= e->patient_until_ns)
		end_patience(e);
	fleet_settle(e->fleet);
	end_held(e);
	fleet_serve_pilots(e->fleet);
	if (e->has_news)
		place_waiting(e);
}

static void
remote_close(struct engine *base)
{
	struct remote *e = remote_of(base);

	fleet_close(e->fleet);
	for (size_t i = 0; i < e->tasks.n; i++)
		attempt_output_close(&e->tasks.v[i]->written);
}

struct engine *
engine_remote_open(const void *options, struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d)
{
	static const struct engine_type type = {
		.name = "remote",
		.start = remote_start,
		.set_limit = remote_set_limit,
		.tail = remote_tail,
		.tell = remote_tell,
		.judged = remote_judged,
		.signal = remote_signal,
		.interrupt = remote_interrupt,
		.wait = remote_wait,
		.close = remote_close,
	};
	struct remote *e = NEW(a, struct remote);
	const struct remote_options *o = options;
	const struct fleet_listener of_fleet = {
		e, on_agent_message, on_agent_change, on_agent_lost, is_agent_used};

	e->base = (struct engine){.type = &type, .listener = *listener};
	e->arena = a;
	e->directory = str_z(a, directory);
	e->patient_until_ns = NO_TIMEOUT;
	e->fleet = fleet_open(a, o, e->directory, &e->base, &of_fleet, d);
	if (!e->fleet)
		return NULL;
	e->own = (agent_id)o->nodes.n;
	e->work = NEW_ARRAY(a, struct work, o->nodes.n + 1);
	e->by_load = load_queue_new(a, o->nodes.n + 1);
	fleet_start(e->fleet);
	return &e->base;
}
