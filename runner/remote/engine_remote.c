/*
 * The engine of agents. See engine_remote.h.
 *
 * A test belongs to one agent until the agent reports its outcome. Only that report is a
 * result: when an agent is lost, its tests start again on another one, once; what they
 * had written does not count. The launcher's exit code decides nothing. A test that has
 * several whole nodes is lost with each of them; so its outcome waits for a sign of life
 * of the others.
 *
 * Everything happens in wait(). Agents that were lost, and tests that wait for an agent,
 * are handled after the turn of the loop.
 */
#include "runner/remote/engine_remote.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/environment.h"
#include "runner/base/host_name.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"
#include "runner/process/proc_folder.h"
#include "runner/process/process.h"
#include "runner/remote/connection.h"
#include "runner/remote/load_queue.h"
#include "runner/remote/node_gpus.h"
#include "runner/remote/node_list.h"
#include "runner/remote/node_processors.h"
#include "runner/remote/variables.h"
#include "runner/remote/witness.h"
#include "runner/resources/pool_sources.h"
#include "runner/run/attempt_output.h"

#define INTERRUPT_PATIENCE_NS 13000000000u /* more than the agent's own patience */
#define GOODBYE_PATIENCE_NS 5000000000u
#define EXAMINATION_NS 1000000000u /* of pilots */

enum {
	MOST_LOSSES = 2, /* of one test */
	HANG_MOST = 1 << 23, /* bytes of a report, which is shorter: process_report.h */
	MOST_FAILURES = 3, /* of a node, one after the other, without a test's outcome */
	MOST_FIRST_FAILURES = 2 /* of a node whose agent was never ready */
};

/* AGENT_ENDED: its pilot has yet to say why. AGENT_LATER: a pilot that is not asked for
 * now. */
enum agent_state {
	AGENT_STARTS,
	AGENT_READY,
	AGENT_ENDED,
	AGENT_LEAVES,
	AGENT_GONE,
	AGENT_LATER
};

struct task;
struct agent {
	struct connection connection; /* first: see agent_of */
	struct remote *engine;
	const char *node; /* its name */
	enum agent_state state;
	const char *const *words; /* of its launcher */
	const struct remote_pilot *pilot; /* NULL: it is none */
	bool is_here; /* on this machine, started by no launcher */
	bool is_queued; /* a pilot that waits for its node */
	struct str_list gpus; /* of the pilot, until its launcher has ended */
	bool is_at_limit; /* its job has ended at a limit, as another one would */
	const char *farewell; /* why the agent has ended, as it said; NULL: nothing */
	uint64_t idle_since_ns; /* no test needs it; 0: some do */
	uint64_t opened_ns;
	uint64_t beat; /* the number of the last heartbeat that it has answered */
	const char *host; /* what it calls itself; NULL: it has not said so */
	struct affinity *processors; /* those of its node, and which tests have them */
	struct str_list gpus_there; /* of its node: node_gpus.h */
	unsigned slots; /* how many processors it may use */
	unsigned used; /* by the tests that it runs */
	unsigned failures;
	bool was_ready, is_lost; /* is_lost: to be handled after the turn */
	bool was_lost; /* its launcher may have left something here */
	uint64_t terminated_ns; /* when its launcher got SIGTERM; 0: not yet */
	bool is_shunned; /* it cannot start tests, and gets no more */
	const char *unsaid; /* why it did not start, without a warning yet; NULL: none */
	struct task *tasks; /* that it runs */
};
struct task {
	struct attempt_output written; /* first: see task_of_output */
	int number; /* in messages */
	const struct launch *launch;
	struct agent *agent; /* NULL: waits for one */
	struct processors processors; /* its own, of the agent; none: it has none */
	const struct agent *lost; /* the agent with which it was lost; NULL: none */
	unsigned losses;
	const char *broken; /* another node of the test was lost: why; NULL: none was */
	uint64_t held_beat; /* it has ended, and waits for answers to that heartbeat; 0:
			       it is not held */
	struct outcome held;
	struct buf hang; /* what the agent says of it at its limit; in the arena of
			    written */
	struct agent *judge; /* that waits for the verdict; NULL: none does */
	struct post_run *post_run; /* or NULL */
	bool is_post_run; /* what runs is the post-run command */
	struct task *next, **previous; /* of the agent, or of the free ones */
};
/* Pilots that ask for the same. */
struct group {
	size_t queued;
	const struct agent *said_by; /* who says what it waits for; NULL: none so far */
};
struct remote {
	struct engine base;
	struct arena *arena;
	const struct remote_options *options;
	const char *directory, *here;
	const char *const *environment; /* cctr's own, which agents have */
	struct connection_host host;
	struct witness witness;
	struct node_processors *processors;
	struct agent *agents; /* the last one is this machine's, in place of all nodes */
	size_t agents_n;
	size_t coming_n; /* agents that may become ready */
	struct group *groups; /* of pilots */
	bool has_queue; /* a queue of pilots has room, or tests need more of them */
	uint64_t looked_ns; /* when pilots were last examined */
	struct load_queue *by_load; /* agents that are ready, and others */
	VEC(struct task *) tasks; /* all that were ever made, by number */
	struct task *free;
	VEC(struct task *) waiting; /* for an agent, in order */
	struct attempt_queue searching;
	VEC(struct task *) by_node; /* of the plan: its running test; NULL: none */
	size_t held_n; /* tasks whose outcome is held */
	struct task *reporting; /* whose end is reported now; NULL: none */
	uint64_t sent_ns; /* when agents last got a heartbeat */
	uint64_t beat; /* its number: how many outcomes were held so far */
	bool has_news; /* an agent has room, has become ready, or is lost */
	bool has_changes; /* an agent is lost, or a launcher has ended */
	bool has_lost; /* some agent, at any time */
	bool had_place; /* a pilot got its node once */
	bool had_agent; /* an agent was ready once */
	int interrupted_by;
	uint64_t patient_until_ns; /* after an interruption */
};

static void change_load(struct agent *g);
static bool on_test_message(struct agent *g, const struct message *m);
static void on_talk(struct agent *g, const struct message *m);
static uint64_t talk_of(const struct agent *g, uint32_t talk);
static void run_again(struct remote *e, struct task *t, const char *why);
static void break_tasks(struct agent *lost, const char *why);
static bool owes_verdict(const struct agent *g);
static void give_task_back(struct remote *e, struct task *t, const char *why);

static struct agent *
agent_of(struct connection *c)
{
	return (struct agent *)c;
}

static void
warn_of(const struct agent *g, const char *what, struct str why)
{
	const struct engine_listener *l = &g->engine->base.listener;
	struct arena *scratch = arena_open();

	if (l->warning)
		l->warning(l->context,
			str_fmt(scratch, "node %s: %s%.*s", g->node, what, STR_ARG(why)));
	arena_close(scratch);
}

static void
say_no_start(struct agent *g)
{
	if (g->unsaid)
		warn_of(g, "its agent did not start: ", str_of(g->unsaid));
	g->unsaid = NULL;
}

static bool
is_ready(const struct agent *g)
{
	return g->state == AGENT_READY && !g->is_lost && !g->is_shunned;
}

/* Whether a launcher that has ended may do better the next time. A pilot has tried that
 * itself. */
static bool
has_tries(const struct agent *g)
{
	if (g->was_ready)
		return g->failures < MOST_FAILURES;
	return g->opened_ns && !g->pilot && g->failures < MOST_FIRST_FAILURES;
}

static bool
may_become_ready(const struct agent *g)
{
	return g->state == AGENT_STARTS || g->state == AGENT_LATER ||
	       g->state == AGENT_ENDED || (g->state == AGENT_GONE && has_tries(g));
}

static void
change_state(struct agent *g, enum agent_state state, unsigned failures)
{
	g->engine->coming_n -= may_become_ready(g);
	g->was_ready = g->was_ready || state == AGENT_READY;
	g->state = state;
	g->failures = failures;
	g->engine->coming_n += may_become_ready(g);
}

/* The agent of this machine, which takes the place of all nodes. */
static struct agent *
own_agent(const struct remote *e)
{
	return &e->agents[e->agents_n - 1];
}

/* No other agent came up: the one of this machine does all. */
static bool
is_local(const struct remote *e)
{
	return own_agent(e)->opened_ns;
}

static void
tell_presence(const struct agent *g, enum pool_presence presence)
{
	const struct remote *e = g->engine;
	const struct engine_listener *l = &e->base.listener;
	uint32_t first = (uint32_t)(g - e->agents), end = first + 1;

	if (g == own_agent(e)) {
		first = 0;
		end = e->options->have_places ? (uint32_t)e->options->nodes.n : 0;
	}
	for (; l->presence && first < end; first++)
		l->presence(l->context, first, presence);
}

/* ---- what agents say ------------------------------------------------------------- */

static bool
is_same_tree(const struct remote *e, const struct hello *h)
{
	return !h->witness_error && str_eq(h->witness, e->witness.content);
}

/* Programs are "VERSION (build ID)". */
static const char *
refusal_of_program(struct arena *a, const char *its, const char *ours)
{
	size_t version = strcspn(ours, " ");

	if (strcspn(its, " ") == version && strncmp(its, ours, version) == 0)
		return str_fmt(a,
			"its cctr is another build than the one that runs here: %s, not "
			"%s",
			its, ours)
			.p;
	return str_fmt(a, "its cctr has version %s, not %s", its, ours).p;
}

/* NULL: the agent is one of ours. */
static const char *
refusal_of(const struct agent *g, const struct hello *h)
{
	const struct remote *e = g->engine;
	struct arena *a = g->connection.arena;

	if (h->protocol != MESSAGE_PROTOCOL ||
		strcmp(h->program, e->options->program) != 0)
		return refusal_of_program(a, h->program, e->options->program);
	if (!is_same_tree(e, h))
		return str_fmt(a, "it does not see the build tree: %s: %.*s",
			e->witness.path,
			STR_ARG(h->witness_error ? loop_error_text(a, h->witness_error)
						 : STR("another file")))
			.p;
	return NULL;
}

static void
note_loss(struct agent *g)
{
	g->is_lost = true;
	g->engine->has_changes = g->engine->has_news = true;
}

/* The connection is closed, and handled after the turn. */
static void
lose_agent(struct agent *g, const char *why)
{
	g->connection.why = why;
	note_loss(g);
	connection_close(&g->connection);
}

/* As long as no agent has started, no warning names those that did not: if none starts,
 * one warning is for all. With the first that starts, each of the others gets its own. */
static void
note_first(struct remote *e)
{
	if (e->had_agent)
		return;
	e->had_agent = true;
	for (size_t i = 0; i < e->agents_n; i++)
		say_no_start(&e->agents[i]);
}

/* What this machine has is known without its agent. */
static void
tell_found(const struct agent *g, const struct hello *h)
{
	const struct engine_listener *l = &g->engine->base.listener;

	if (l->found && !g->is_here)
		l->found(l->context, (uint32_t)(g - g->engine->agents), str_of(g->node),
			&(struct node_limits){
				.processors = h->confined > 0 ? (uint64_t)h->confined : 0,
				.gpus = h->gpus.n,
				.memory_mib = h->memory_bytes >> 20,
			});
}

/* An agent that cctr cannot use is lost. false: the message makes no sense. */
static bool
on_hello(struct agent *g, const struct hello *h)
{
	const char *why = refusal_of(g, h);

	if (why) {
		change_state(g, g->state, MOST_FAILURES);
		lose_agent(g, why);
		return true;
	}
	g->processors = node_processors_of(g->engine->processors, h->host, h->places);
	if (!g->processors)
		return false;
	change_state(g, AGENT_READY, g->failures);
	g->slots = h->processors > 0 ? (unsigned)h->processors : 1;
	if (!g->host || strcmp(g->host, h->host) != 0)
		g->host = str_dup(g->engine->arena, str_of(h->host)).p;
	g->gpus_there = str_list_dup(g->engine->arena, h->gpus);
	change_load(g);
	g->engine->has_news = true;
	note_first(g->engine);
	tell_found(g, h);
	tell_presence(g, POOL_NODE_HERE);
	return true;
}

static void
leave_queue(struct agent *g)
{
	if (!g->is_queued)
		return;
	g->is_queued = false;
	g->engine->groups[g->pilot->group].queued--;
	g->engine->has_queue = true;
}

/* One pilot of each group says what it waits for, until any agent is ready. */
static bool
on_waits(struct agent *g, struct str text)
{
	const struct engine_listener *l = &g->engine->base.listener;
	struct group *group;
	struct arena *scratch;

	if (!g->is_queued)
		return false;
	group = &g->engine->groups[g->pilot->group];
	if (!group->said_by)
		group->said_by = g;
	if (g->engine->had_agent || group->said_by != g || !l->notice)
		return true;
	scratch = arena_open();
	l->notice(l->context, str_fmt(scratch, "Waiting for %.*s", STR_ARG(text)));
	arena_close(scratch);
	return true;
}

/* false: they are no names of GPUs. */
static bool
read_gpus(struct agent *g, struct str text)
{
	struct arena *a = g->engine->arena;
	str_vec gpus = {0};

	while (text.n) {
		struct str gpu = str_take(&text, ' ');

		if (!pool_is_id(gpu))
			return false;
		VEC_PUSH(a, &gpus, str_dup(a, gpu));
	}
	g->gpus = str_vec_list(&gpus);
	return true;
}

/* Whether another pilot on the node has the GPU; perhaps a test uses it that was lost, as
 * long as the job is not given back. */
static bool
is_gpu_taken(const struct agent *g, struct str gpu)
{
	const struct remote *e = g->engine;

	for (size_t i = 0; i < e->options->nodes.n; i++) {
		const struct agent *other = &e->agents[i];

		if (other != g && other->connection.pid &&
			strcmp(other->node, g->node) == 0 &&
			str_list_has(other->gpus, gpu))
			return true;
	}
	return false;
}

static void
number_gpus(struct agent *g)
{
	struct arena *a = g->engine->arena;
	size_t n = g->gpus.n;
	str_vec gpus = {0};

	for (size_t number = 0; gpus.n < n; number++) {
		struct str gpu = str_fmt(a, "%zu", number);

		if (!is_gpu_taken(g, gpu))
			VEC_PUSH(a, &gpus, gpu);
	}
	g->gpus = str_vec_list(&gpus);
}

/* The node is there, and its agent starts. */
static bool
on_place(struct agent *g, struct str text)
{
	struct remote *e = g->engine;
	const struct engine_listener *l = &e->base.listener;
	struct str name = str_take(&text, ' ');

	if (!g->is_queued || !name.n || !read_gpus(g, text))
		return false;
	g->node = str_dup(e->arena, name).p;
	if (e->options->counts_gpus)
		number_gpus(g);
	g->opened_ns = loop_now_ns();
	e->had_place = true;
	leave_queue(g);
	if (l->place)
		l->place(l->context, (uint32_t)(g - e->agents), g->gpus);
	return true;
}

/* The batch system may know better why the agent has ended: the pilot asks it. */
static void
on_farewell(struct agent *g, struct str text)
{
	g->farewell = text.n ? str_dup(g->engine->arena, text).p : "the agent ended";
	if (!g->pilot || g->state != AGENT_READY || g->engine->interrupted_by) {
		lose_agent(g, g->farewell);
		return;
	}
	change_state(g, AGENT_ENDED, g->failures);
	tell_presence(g, POOL_NODE_AWAY);
}

/* An empty text: the batch system does not know, and the end of the connection decides.
 */
static bool
on_fate(struct agent *g, const struct message *m)
{
	struct str text = str_trim(m->text);
	const char *why = text.n ? str_dup(g->connection.arena, text).p : g->farewell;

	if (!g->pilot || g->is_queued)
		return false;
	g->is_at_limit = m->is_limit;
	if (why)
		lose_agent(g, why);
	return true;
}

static void
on_left(const struct agent *g, const struct message *m)
{
	const struct engine_listener *l = &g->engine->base.listener;

	if (l->left)
		l->left(l->context, m->pid, m->text);
}

static bool
handle_message(struct agent *g, const struct message *m)
{
	switch (m->kind) {
	case MESSAGE_HELLO:
		return g->state == AGENT_STARTS && on_hello(g, &m->hello);
	case MESSAGE_OUTPUT:
	case MESSAGE_OUTCOME:
	case MESSAGE_NOT_STARTED:
	case MESSAGE_HANG:
		return on_test_message(g, m);
	case MESSAGE_LEFT:
		on_left(g, m);
		return true;
	case MESSAGE_WARNING:
		warn_of(g, "", m->text);
		return true;
	case MESSAGE_WAITS:
		return on_waits(g, m->text);
	case MESSAGE_PLACE:
		return on_place(g, m->text);
	case MESSAGE_TALK:
		on_talk(g, m);
		return m->talk > 0;
	case MESSAGE_HEARTBEAT:
		g->beat = m->beat > g->beat ? m->beat : g->beat;
		return true;
	case MESSAGE_NUDGE:
		return true;
	case MESSAGE_GOODBYE:
		on_farewell(g, m->text);
		return true;
	case MESSAGE_FATE:
		return on_fate(g, m);
	case MESSAGE_GREETING:
	case MESSAGE_LAUNCH:
	case MESSAGE_LIMIT:
	case MESSAGE_SIGNAL:
	case MESSAGE_INTERRUPT:
	case MESSAGE_VERDICT:
	case MESSAGES:
		break;
	}
	return false;
}

static void
on_message(void *context, struct connection *c, const struct message *m)
{
	(void)context;
	if (!handle_message(agent_of(c), m))
		lose_agent(agent_of(c), "its agent sent a message that makes no sense");
}

static void
on_lost(void *context, struct connection *c)
{
	struct agent *g = agent_of(c);

	(void)context;
	if (g->farewell)
		c->why = g->farewell;
	note_loss(g);
}

/* ---- agents that start and are lost ---------------------------------------------- */

static void
open_agent(struct agent *g)
{
	struct remote *e = g->engine;
	int error = connection_open(&g->connection, g->words);
	struct message greeting = {
		.kind = MESSAGE_GREETING,
		.greeting = {.protocol = MESSAGE_PROTOCOL,
			.program = e->options->program,
			.silence_ns = g->is_here ? NO_TIMEOUT : e->options->silence_ns,
			.doubt_ns = e->options->doubt_ns,
			.wants_topology = e->options->is_compact,
			.wants_gpus = e->options->have_gpus,
			.witness = e->witness.path,
			.environment = e->environment},
	};

	change_state(g, AGENT_STARTS, error ? MOST_FAILURES : g->failures);
	g->opened_ns = loop_now_ns();
	g->terminated_ns = 0;
	g->is_at_limit = g->is_shunned = false;
	g->gpus = (struct str_list){0};
	g->farewell = NULL;
	if (g->pilot) {
		g->is_queued = true;
		e->groups[g->pilot->group].queued++;
	}
	if (error) {
		lose_agent(
			g, str_fmt(g->connection.arena, "%s: %.*s", g->words[0],
				   STR_ARG(loop_error_text(g->connection.arena, error)))
				   .p);
		return;
	}
	connection_put(&g->connection, &greeting);
}

/* Whether the node gets another agent, now or when its launcher has ended. */
static bool
may_come_again(const struct agent *g)
{
	return g->state == AGENT_GONE && has_tries(g) && !g->engine->interrupted_by;
}

static void
say_loss(struct agent *g, const char *why)
{
	struct remote *e = g->engine;

	if (g->was_ready && e->options->has_lost)
		*e->options->has_lost = true;
	if (g->was_ready)
		warn_of(g, "lost: ", str_of(why));
	else if (!may_become_ready(g))
		g->unsaid = str_dup(e->arena, str_of(why)).p;
	if (e->had_agent)
		say_no_start(g);
}

/* One warning for all nodes. */
static void
say_for_all(struct remote *e, const char *what)
{
	const struct engine_listener *l = &e->base.listener;
	const struct agent *g = e->agents;
	struct arena *scratch = arena_open();
	struct buf text = {.arena = scratch};

	buf_fmt(&text, "%s: %s: %s", what, g->node, g->unsaid ? g->unsaid : "");
	if (e->options->nodes.n > 1)
		buf_fmt(&text, " (and %zu more)", e->options->nodes.n - 1);
	if (l->warning)
		l->warning(l->context, buf_as_str(&text));
	for (size_t i = 0; i < e->agents_n; i++)
		e->agents[i].unsaid = NULL;
	arena_close(scratch);
}

/* No agent came up: this machine does all. */
static bool
convert_to_local(struct remote *e)
{
	struct agent *g = own_agent(e);

	if (is_local(e) || e->interrupted_by || e->had_agent)
		return false;
	say_for_all(e, "no node has an agent, so this machine runs all tests");
	open_agent(g);
	return true;
}

/* Where tests name their nodes, and no node will get an agent. A job that the batch
 * system refuses is no reason to run its tests here. false: no agent takes the nodes'
 * place. */
static bool
replace_nodes(struct remote *e)
{
	if (!e->options->have_places || e->coming_n || e->had_agent || is_local(e) ||
		e->interrupted_by)
		return false;
	if (e->had_place || !e->options->pilots)
		return convert_to_local(e);
	say_for_all(e, "the batch system gives no node");
	return false;
}

/* A pilot that was given back can be asked for again, unless it would get no tests. */
static void
go_away(struct agent *g)
{
	bool is_given_back = g->state == AGENT_LEAVES;
	unsigned failures = g->is_shunned ? MOST_FAILURES : 0;

	change_state(g, AGENT_GONE, is_given_back ? failures : g->failures + 1);
	if (!g->pilot || !(may_come_again(g) || (is_given_back && !failures)))
		return;
	change_state(g, AGENT_LATER, g->failures);
	g->engine->has_queue = true;
}

static void
end_talks(const struct agent *g)
{
	const struct engine_listener *l = &g->engine->base.listener;

	if (l->talk)
		l->talk(l->context, MAP_NONE, talk_of(g, TALK_ALL), STR(""));
}

/* A pilot ends when its connection does; a signal could keep it from giving its job back.
 */
static void
end_launcher(struct agent *g)
{
	if (g->pilot)
		return;
	connection_kill(&g->connection, SIGTERM);
	g->terminated_ns = loop_now_ns();
}

/* Where SIGTERM does not end the launcher, since it ignores it or is stopped, the node
 * would never get another agent. */
static void
check_launcher(struct agent *g, uint64_t now_ns)
{
	if (g->terminated_ns &&
		now_ns >= loop_later(g->terminated_ns, GOODBYE_PATIENCE_NS))
		connection_kill(&g->connection, SIGKILL);
}

/* The node can have another agent when the launcher of this one has ended. */
static void
handle_lost(struct agent *g)
{
	struct remote *e = g->engine;
	struct arena *scratch = arena_open();
	const char *why = str_z(scratch, str_of(g->connection.why));
	bool is_news = g->state != AGENT_LEAVES && !e->interrupted_by;

	g->is_lost = false;
	g->was_lost = e->has_lost = true;
	leave_queue(g);
	end_launcher(g);
	go_away(g);
	end_talks(g);
	if (is_news)
		say_loss(g, why);
	if (!replace_nodes(e))
		tell_presence(g, may_become_ready(g) ? POOL_NODE_AWAY : POOL_NODE_GONE);
	while (g->tasks)
		run_again(e, g->tasks, why);
	break_tasks(g, why);
	arena_close(scratch);
}

static bool
may_open_again(const struct agent *g)
{
	return may_come_again(g) && !g->connection.pid;
}

static void
handle_agents(struct remote *e)
{
	e->has_changes = false;
	for (size_t i = 0; i < e->agents_n; i++) {
		struct agent *g = &e->agents[i];

		if (g->is_lost)
			handle_lost(g);
		if (may_open_again(g))
			open_agent(g);
	}
}

/* ---- pilots ---------------------------------------------------------------------- */

static bool
are_needed(const struct remote *e)
{
	const struct engine_listener *l = &e->base.listener;

	return !l->needs || l->needs(l->context);
}

/* Asks for pilots while tests wait that have not begun. */
static void
ask_pilots(struct remote *e)
{
	e->has_queue = false;
	if (e->interrupted_by || !are_needed(e))
		return;
	for (size_t i = 0; i < e->options->nodes.n; i++) {
		struct agent *g = &e->agents[i];

		if (g->state == AGENT_LATER && !g->connection.pid &&
			e->groups[g->pilot->group].queued < e->options->queued_most)
			open_agent(g);
	}
}

static bool
is_idle(const struct agent *g)
{
	return g->pilot && !g->is_lost && !g->tasks &&
	       (g->state == AGENT_STARTS ||
		       (g->state == AGENT_READY && !owes_verdict(g)));
}

static void
give_back(struct agent *g)
{
	const struct message goodbye = {.kind = MESSAGE_GOODBYE};
	bool was_ready = g->state == AGENT_READY;

	g->idle_since_ns = 0;
	change_state(g, AGENT_LEAVES, 0);
	if (!g->is_shunned)
		tell_presence(g, POOL_NODE_AWAY);
	if (was_ready)
		connection_put(&g->connection, &goodbye);
	else
		lose_agent(g, "no test needs it");
}

/* Gives back the pilots that no test has needed for a while or may use any more, and asks
 * for others where tests need them. */
static void
examine_pilots(struct remote *e)
{
	uint64_t now_ns = loop_now_ns();
	bool needed = are_needed(e);

	e->looked_ns = now_ns;
	e->has_queue = e->has_queue || needed;
	for (size_t i = 0; i < e->options->nodes.n; i++) {
		struct agent *g = &e->agents[i];

		if (g->is_shunned && is_idle(g))
			give_back(g);
		else if (needed || !is_idle(g))
			g->idle_since_ns = 0;
		else if (!g->idle_since_ns)
			g->idle_since_ns = now_ns;
		else if (now_ns >= loop_later(g->idle_since_ns, e->options->idle_ns))
			give_back(g);
	}
}

/* When pilots are examined next. */
static uint64_t
examination_ns(const struct remote *e)
{
	uint64_t pause_ns = e->options->idle_ns < EXAMINATION_NS ? e->options->idle_ns
								 : EXAMINATION_NS;

	return e->options->pilots ? loop_later(e->looked_ns, pause_ns) : NO_TIMEOUT;
}

static void
serve_pilots(struct remote *e)
{
	if (!e->options->pilots)
		return;
	if (loop_now_ns() >= examination_ns(e))
		examine_pilots(e);
	if (e->has_queue)
		ask_pilots(e);
}

/* ---- heartbeats ------------------------------------------------------------------ */

/* An agent of this machine is a child, whose end closes the connection at once: if it is
 * silent, it has no processor time. */
static void
check_silence(struct agent *g, uint64_t now_ns)
{
	const struct remote_options *o = g->engine->options;

	if (!connection_is_open(&g->connection) || g->is_queued || g->is_here)
		return;
	if (g->state == AGENT_STARTS &&
		now_ns >= loop_later(g->opened_ns, o->patience_ns)) {
		change_state(g, g->state, MOST_FAILURES);
		lose_agent(g, "it does not answer");
	} else if (g->state != AGENT_STARTS &&
		   silence_exceeds(&g->connection.silence, now_ns, o->silence_ns))
		lose_agent(g, "it is silent");
}

static uint64_t
beat_ns(const struct remote *e)
{
	uint64_t silence_ns = e->options->silence_ns / SILENCE_BEATS;
	uint64_t patience_ns = e->options->patience_ns / SILENCE_BEATS;

	return silence_ns < patience_ns ? silence_ns : patience_ns;
}

static void
send_heartbeats(struct remote *e)
{
	const struct message m = {.kind = MESSAGE_HEARTBEAT, .beat = e->beat};
	uint64_t now_ns = loop_now_ns();

	if (now_ns < loop_later(e->sent_ns, beat_ns(e)))
		return;
	e->sent_ns = now_ns;
	for (size_t i = 0; i < e->agents_n; i++) {
		struct agent *g = &e->agents[i];

		check_silence(g, now_ns);
		check_launcher(g, now_ns);
		if (g->state == AGENT_READY && !g->is_here)
			connection_put(&g->connection, &m);
	}
}

/* ---- for the owner of the fleet -------------------------------------------------- */

/* Its tests go on, but it gets no more: they would all fail at once, and so the node
 * would always have room for the next one. */
static void
shun_agent(struct agent *g, const char *why)
{
	if (g->is_shunned)
		return;
	g->is_shunned = true;
	warn_of(g, "it gets no more tests: ", str_of(why));
	tell_presence(g, POOL_NODE_GONE);
}

static void
send_launch(struct agent *g, const struct task *t, const struct launch *l)
{
	struct message m = {.kind = MESSAGE_LAUNCH, .task = t->number, .launch = *l};
	const char *here = g->engine->here;
	struct arena *scratch = arena_open();

	if (!t->is_post_run)
		m.processors = (struct field_numbers){t->processors.v, t->processors.n};
	if (l->environment)
		m.launch.environment = variables_shorten(
			scratch, g->engine->environment, l->environment);
	if (!l->directory)
		m.launch.directory = here;
	else if (*l->directory != '/')
		m.launch.directory = str_fmt(scratch, "%s/%s", here, l->directory).p;
	connection_put(&g->connection, &m);
	arena_close(scratch);
}

/* ---- interruption ---------------------------------------------------------------- */

/* ---- close ----------------------------------------------------------------------- */

/* Launchers that have ended; only agents say what that means. */
static void
on_children(void *context)
{
	struct remote *e = context;
	struct process_end end;

	while (process_reap(&end))
		for (size_t i = 0; i < e->agents_n; i++)
			if (e->agents[i].connection.pid == end.pid) {
				e->agents[i].connection.pid = 0;
				e->has_changes = e->has_news = true;
			}
}

static void
on_signal(void *context, int signal, bool by_terminal)
{
	struct remote *e = context;

	(void)by_terminal;
	e->base.listener.interrupted(e->base.listener.context, signal);
}

static bool
has_launchers(const struct remote *e)
{
	for (size_t i = 0; i < e->agents_n; i++)
		if (e->agents[i].connection.pid)
			return true;
	return false;
}

static void
kill_launchers(struct remote *e, int signal)
{
	for (size_t i = 0; i < e->agents_n; i++)
		connection_kill(&e->agents[i].connection, signal);
}

static void
say_goodbye(struct remote *e)
{
	const struct message m = {.kind = MESSAGE_GOODBYE};

	for (size_t i = 0; i < e->agents_n; i++) {
		struct agent *g = &e->agents[i];

		if (g->state == AGENT_READY && !e->interrupted_by) {
			connection_put(&g->connection, &m);
		} else {
			connection_close(&g->connection);
			if (g->state != AGENT_READY && !g->pilot)
				connection_kill(&g->connection, SIGTERM);
		}
		change_state(g, AGENT_LEAVES, g->failures);
	}
}

/* Whether launchers of a lost node have left programs with that brand. A pilot gives its
 * job back before it ends. */
static bool
is_left(const struct remote *e, uint64_t brand)
{
	for (size_t i = 0; brand && i < e->agents_n; i++) {
		const struct agent *g = &e->agents[i];

		if (g->was_lost && !g->pilot && g->connection.brand == brand)
			return true;
	}
	return false;
}

/* Where a node has crashed, a program that its launcher gave a session of its own may
 * wait for it for minutes. */
static void
kill_rest(const struct remote *e)
{
	struct proc_folder f;
	int pid;

	if (!e->has_lost || !proc_folder_open(&f))
		return;
	while ((pid = proc_folder_next(&f)))
		if (is_left(e, brand_of_process(&f, pid)))
			kill(pid, SIGKILL);
	proc_folder_close(&f);
}

/* Waits until all launchers have ended, but not for ever. */
static void
await_launchers(struct remote *e)
{
	uint64_t until_ns = loop_later(loop_now_ns(), GOODBYE_PATIENCE_NS);

	while (has_launchers(e) && loop_now_ns() < until_ns)
		loop_turn(e->base.loop, until_ns);
}

/* ---- open ------------------------------------------------------------------------ */

static void
init_agent(struct remote *e, struct agent *g, struct str_list launcher, const char *node)
{
	g->engine = e;
	g->state = AGENT_GONE;
	g->words = launcher_fill(e->arena, launcher, e->options->agent, node);
	g->node = node;
	connection_init(&g->connection, &e->host);
}

/* The agent of this machine. */
static void
init_own_agent(struct remote *e, struct agent *g, const char *node)
{
	struct str alone = STR("{agent}");

	init_agent(e, g, (struct str_list){&alone, 1}, node);
	g->is_here = true;
}

static void
init_pilot(struct remote *e, struct agent *g, const struct remote_pilot *pilot,
	const char *node)
{
	const char **words = NEW_ARRAY(e->arena, const char *, pilot->words.n + 1);

	init_agent(e, g, (struct str_list){0}, node);
	for (size_t i = 0; i < pilot->words.n; i++)
		words[i] = str_z(e->arena, pilot->words.v[i]);
	g->words = words;
	g->pilot = pilot;
	change_state(g, AGENT_LATER, 0);
}

static void
init_agents(struct remote *e)
{
	const struct remote_options *o = e->options;
	struct str host = host_name(e->arena, STR("localhost"));

	e->agents_n = o->nodes.n + 1;
	e->agents = NEW_ARRAY(e->arena, struct agent, e->agents_n);
	e->by_load = load_queue_new(e->arena, e->agents_n);
	e->groups = NEW_ARRAY(e->arena, struct group, o->groups_n);
	for (size_t i = 0; i < o->nodes.n; i++) {
		const char *node = str_z(e->arena, o->nodes.v[i]);

		if (o->has_local && !i)
			init_own_agent(e, &e->agents[i], node);
		else if (o->pilots)
			init_pilot(e, &e->agents[i], &o->pilots[i], node);
		else
			init_agent(e, &e->agents[i], o->launcher, node);
	}
	init_own_agent(e, own_agent(e), host.p);
}

static struct remote *
remote_of(struct engine *e)
{
	return (struct remote *)e;
}

static struct task *
task_of_output(struct attempt_output *o)
{
	return (struct task *)o;
}

/* The share of its slots that are in use. */
static uint64_t
load_of(const struct agent *g)
{
	return ((uint64_t)g->used << 32) / g->slots;
}

static void
change_load(struct agent *g)
{
	struct remote *e = g->engine;

	load_queue_set(e->by_load, (uint32_t)(g - e->agents),
		is_ready(g) ? load_of(g) : LOAD_NONE);
}

/* The agent with the smallest load; of several, the first. NULL: none is ready. */
static struct agent *
least_loaded(struct remote *e)
{
	uint32_t i;

	while ((i = load_queue_least(e->by_load)) != MAP_NONE) {
		struct agent *g = &e->agents[i];

		if (is_ready(g))
			return g;
		change_load(g);
	}
	return NULL;
}

/* ---- tasks ----------------------------------------------------------------------- */

static struct task *
new_task(struct remote *e)
{
	struct task *t = NEW(e->arena, struct task);

	t->number = (int)e->tasks.n;
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
	t->agent = NULL;
	t->lost = NULL;
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
	t->judge = NULL;
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
	const struct agent *g = t->agent;
	struct arena *scratch = arena_open();

	INVARIANT(g->processors);
	t->processors = node_processors_take(g->processors, t->written.arena,
		(size_t)t->launch->pinned,
		node_gpus_near(scratch, g->gpus_there, t->launch->gpus,
			affinity_all(g->processors)));
	arena_close(scratch);
}

static void
give_to_agent(struct agent *g, struct task *t)
{
	INVARIANT(!t->agent && g->slots);
	t->agent = g;
	t->next = g->tasks;
	t->previous = &g->tasks;
	if (t->next)
		t->next->previous = &t->next;
	g->tasks = t;
	g->used += slots_of(t);
	if (t->launch->pinned > 0)
		pin_task(t);
	change_load(g);
}

static void
take_from_agent(struct task *t)
{
	struct agent *g = t->agent;

	INVARIANT(g);
	*t->previous = t->next;
	if (t->next)
		t->next->previous = t->previous;
	g->engine->held_n -= t->held_beat > 0;
	t->held_beat = 0;
	g->used -= slots_of(t);
	affinity_return(g->processors, t->processors);
	t->processors = (struct processors){NULL, 0};
	change_load(g);
	g->engine->has_news = true;
	t->agent = NULL;
}

/* ---- the end of a test ----------------------------------------------------------- */

static void
tell_end(struct remote *e, struct task *t)
{
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
send_verdict(struct agent *g, const struct task *t, struct str test, bool failed)
{
	connection_put(&g->connection, &(struct message){.kind = MESSAGE_VERDICT,
					       .task = t->number,
					       .text = test,
					       .is_failed = failed});
}

static void
remote_judged(struct engine *base, node_id node, struct str test, bool failed)
{
	const struct remote *e = remote_of(base);
	struct agent *g = e->reporting ? e->reporting->judge : NULL;

	if (g && e->reporting->written.node == node && g->state == AGENT_READY)
		send_verdict(g, e->reporting, test, failed);
}

/* The post-run command runs where the test ran. false: there is none, or none any more.
 */
static bool
begin_post_run(struct task *t)
{
	struct agent *g = t->agent;
	struct launch l = {.timeout_ns = NO_TIMEOUT};

	if (!t->post_run || g->engine->interrupted_by ||
		!t->post_run->begin(t->post_run, &l))
		return false;
	t->is_post_run = true;
	send_launch(g, t, &l);
	return true;
}

static void
end_post_run(struct task *t, int error, int signal)
{
	struct remote *e = t->agent->engine;

	t->post_run->end(t->post_run, error, signal);
	take_from_agent(t);
	tell_end(e, t);
}

static void
end_task(struct task *t, const struct outcome *o)
{
	struct remote *e = t->agent->engine;

	attempt_output_end(&t->written, o);
	if (t->launch->keeps_failed_temporary)
		t->judge = t->agent;
	if (begin_post_run(t))
		return;
	take_from_agent(t);
	tell_end(e, t);
}

/* ---- tests with several whole nodes ---------------------------------------------- */

/* This machine, if it takes the place of all nodes, is lost with cctr. */
static size_t
whole_nodes_of(const struct task *t)
{
	const struct agent *g = t->agent;

	return g && g == own_agent(g->engine) ? 0 : t->launch->whole_nodes_n;
}

static struct agent *
whole_node_at(struct remote *e, const struct task *t, size_t i)
{
	INVARIANT(t->launch->whole_nodes[i] < e->options->nodes.n);
	return &e->agents[t->launch->whole_nodes[i]];
}

static bool
has_whole_node(struct remote *e, const struct task *t, const struct agent *g)
{
	for (size_t i = 0; i < whole_nodes_of(t); i++)
		if (whole_node_at(e, t, i) == g)
			return true;
	return false;
}

static void
hold_task(struct task *t, const struct outcome *o)
{
	struct remote *e = t->agent->engine;
	const struct message m = {.kind = MESSAGE_HEARTBEAT, .beat = ++e->beat};

	INVARIANT(!t->held_beat);
	t->held = *o;
	t->held_beat = e->beat;
	e->held_n++;
	for (size_t i = 0; i < whole_nodes_of(t); i++) {
		struct agent *g = whole_node_at(e, t, i);

		if (g != t->agent && is_ready(g))
			connection_put(&g->connection, &m);
	}
}

/* What an agent has said before the test ended shows nothing: it may have come late.
 * Agents that are lost are handled before. */
static bool
all_have_answered(struct remote *e, const struct task *t)
{
	for (size_t i = 0; i < whole_nodes_of(t); i++) {
		const struct agent *g = whole_node_at(e, t, i);

		if (g != t->agent &&
			(g->state != AGENT_READY || g->is_lost || g->beat < t->held_beat))
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

		if (!t->held_beat || !all_have_answered(e, t))
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
	struct agent *g = t->agent;

	if (t->launch->keeps_failed_temporary)
		send_verdict(g, t, STR(""), false);
	take_from_agent(t);
	give_task_back(g->engine, t, why);
}

/* A node of the test is lost, but not that of its agent. */
static void
break_task(struct task *t, struct agent *lost, const char *why)
{
	struct remote *e = t->agent->engine;

	t->lost = lost;
	if (t->held_beat) {
		withdraw_outcome(t, why);
		return;
	}
	t->broken = str_dup(e->arena, str_of(why)).p;
	connection_put(&t->agent->connection,
		&(struct message){
			.kind = MESSAGE_SIGNAL, .task = t->number, .signal = SIGKILL});
}

/* For the tests of other agents that have the lost node as a whole, and those that have
 * ended on it: its next agent knows nothing of them. */
static void
break_tasks(struct agent *lost, const char *why)
{
	struct remote *e = lost->engine;

	for (size_t i = 0; i < e->tasks.n; i++) {
		struct task *t = e->tasks.v[i];

		if (t->judge == lost)
			t->judge = NULL;
		if (t->agent && t->agent != lost && !t->broken && !t->is_post_run &&
			has_whole_node(e, t, lost))
			break_task(t, lost, why);
	}
}

/* ---- outcomes -------------------------------------------------------------------- */

static void
on_outcome(struct agent *g, struct task *t, const struct message *m)
{
	struct outcome o = m->outcome;

	change_state(g, g->state, 0);
	if (t->is_post_run) {
		end_post_run(t, 0, o.ending == END_SIGNALLED ? o.signal : 0);
		return;
	}
	if (t->broken) {
		withdraw_outcome(t, t->broken);
		return;
	}
	o.started_us = loop_wall_us() - m->age_us;
	o.node = g->node;
	o.host = g->host;
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
	struct remote *e = t->agent->engine;
	struct arena *scratch = arena_open();
	const char *why = str_z(scratch, loop_error_text(scratch, error));

	shun_agent(t->agent, why);
	run_again(e, t, why);
	arena_close(scratch);
}

/* The launch is over. text: what the node lacks, or "". */
static void
tell_not_started(struct remote *e, struct task *t, int error, struct str text)
{
	const struct engine_listener *l = &e->base.listener;
	const char *on = t->agent->node;
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

static void
on_not_started(struct task *t, int error, struct str text)
{
	struct remote *e = t->agent->engine;

	if (t->is_post_run) {
		end_post_run(t, error, 0);
		return;
	}
	if (t->broken) {
		withdraw_outcome(t, t->broken);
		return;
	}
	if (is_fault_of_node(t, error)) {
		run_elsewhere(t, error);
		return;
	}
	tell_not_started(e, t, error, text);
}

/* The test has no outcome, and gets none. */
static void
give_up_task(struct remote *e, struct task *t, const char *why)
{
	struct outcome o = {.ending = END_NOT_STARTED,
		.refusal = REFUSED_NODE,
		.node = t->lost ? t->lost->node : NULL,
		.lost = str_dup(t->written.arena, str_of(why))};

	attempt_output_end(&t->written, &o);
	tell_end(e, t);
}

/* Only the caller knows where else the test may run. */
static void
give_task_back(struct remote *e, struct task *t, const char *why)
{
	const struct engine_listener *l = &e->base.listener;
	node_id node = t->written.node;
	struct str lost = str_of(t->lost->node);

	if (e->interrupted_by) {
		give_up_task(e, t, why);
		return;
	}
	attempt_output_drop(&t->written);
	free_task(e, t);
	l->lost(l->context, node, lost, str_of(why));
}

/* A test of a lost agent waits for another one, once. */
static void
run_again(struct remote *e, struct task *t, const char *why)
{
	const struct engine_listener *l = &e->base.listener;
	struct agent *g = t->agent;
	struct str node = str_of(g->node);

	take_from_agent(t);
	if (t->is_post_run) {
		t->post_run->end(t->post_run, EIO, 0);
		tell_end(e, t);
		return;
	}
	t->lost = g;
	if (g->is_at_limit) {
		give_up_task(e, t, why);
		return;
	}
	if (t->launch->on_node || t->launch->is_given_back) {
		give_task_back(e, t, why);
		return;
	}
	if (e->interrupted_by || ++t->losses >= MOST_LOSSES) {
		give_up_task(e, t, why);
		return;
	}
	attempt_output_drop(&t->written);
	if (l->again)
		l->again(l->context, t->written.node, node, str_of(why));
	begin_attempt(t, t->written.node);
	VEC_PUSH(e->arena, &e->waiting, t);
}

/* ---- what agents say ------------------------------------------------------------- */

/* The task of the message, if the agent runs it; else NULL. */
static struct task *
task_of(const struct agent *g, const struct message *m)
{
	const struct remote *e = g->engine;
	struct task *t =
		m->task >= 0 && (size_t)m->task < e->tasks.n ? e->tasks.v[m->task] : NULL;

	return t && t->agent == g ? t : NULL;
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

/* false: the message makes no sense. */
static bool
on_test_message(struct agent *g, const struct message *m)
{
	struct task *t = task_of(g, m);

	if (!t || t->held_beat || g->state == AGENT_STARTS || g->state == AGENT_ENDED)
		return false;
	if (m->kind == MESSAGE_OUTCOME)
		on_outcome(g, t, m);
	else if (m->kind == MESSAGE_NOT_STARTED)
		on_not_started(t, m->error, m->text);
	else if (m->kind == MESSAGE_HANG)
		return add_hang(t, m->text);
	else if (t->is_post_run)
		t->post_run->hear(t->post_run, m->text);
	else
		attempt_output_add(&t->written, m->text);
	return true;
}

static uint64_t
talk_of(const struct agent *g, uint32_t talk)
{
	return (uint64_t)(g - g->engine->agents) << 32 | talk;
}

/* A test that has just ended says no more than that. */
static void
on_talk(struct agent *g, const struct message *m)
{
	const struct engine_listener *l = &g->engine->base.listener;
	const struct task *t = task_of(g, m);

	if (l->talk && (t || !m->text.n))
		l->talk(l->context, t ? t->written.node : MAP_NONE,
			talk_of(g, (uint32_t)m->talk), m->text);
}

/* ---- agents that are lost -------------------------------------------------------- */

/* Its agent keeps the directories of tests until the verdicts on them come. */
static bool
owes_verdict(const struct agent *g)
{
	const struct remote *e = g->engine;

	for (size_t i = 0; i < e->tasks.n; i++)
		if (e->tasks.v[i]->judge == g)
			return true;
	return false;
}

/* ---- which agent ----------------------------------------------------------------- */

static bool
has_room(const struct agent *g, const struct task *t)
{
	return g->used + slots_of(t) <= g->slots;
}

/* A node of the test that was lost meanwhile: the one that it must run on, or another
 * whole one. NULL: there is none. */
static struct agent *
missing_node(struct remote *e, const struct task *t)
{
	struct agent *first = &e->agents[t->launch->on_node - 1];

	INVARIANT(t->launch->on_node <= e->options->nodes.n);
	if (!is_ready(first))
		return first;
	for (size_t i = 0; i < whole_nodes_of(t); i++)
		if (!is_ready(whole_node_at(e, t, i)))
			return whole_node_at(e, t, i);
	return NULL;
}

/* The agent of the node that the test must run on; NULL: a node of it was lost. */
static struct agent *
agent_at(struct remote *e, const struct task *t)
{
	return missing_node(e, t) ? NULL : &e->agents[t->launch->on_node - 1];
}

/* As least_loaded, but not the agent with which the test was lost, if there is another
 * one. */
static struct agent *
least_loaded_for(struct remote *e, const struct task *t)
{
	struct agent *first = least_loaded(e), *best = NULL;

	if (!first || first != t->lost)
		return first;
	for (size_t i = 0; i < e->agents_n; i++) {
		struct agent *g = &e->agents[i];

		if (g != first && is_ready(g) && (!best || load_of(g) < load_of(best)))
			best = g;
	}
	return best ? best : first;
}

/* A test that needs more processors than this machine has runs alone. */
static struct agent *
own_agent_for(struct remote *e, const struct task *t)
{
	struct agent *g = own_agent(e);

	return is_ready(g) && (has_room(g, t) || !g->used) ? g : NULL;
}

/* NULL: the test waits for an agent that starts, or there is none. */
static struct agent *
choose_agent(struct remote *e, const struct task *t)
{
	struct agent *best;

	if (t->launch->on_node)
		return is_local(e) ? own_agent_for(e, t) : agent_at(e, t);
	best = least_loaded_for(e, t);
	if (best == t->lost && e->coming_n)
		return NULL;
	return best && (has_room(best, t) || !e->coming_n) ? best : NULL;
}

/* Whether every agent that is ready is full, and others may become ready: no test can be
 * placed. */
static bool
is_full(struct remote *e)
{
	const struct agent *g = least_loaded(e);

	return e->coming_n && g && g->used >= g->slots;
}

/* Starts tests that wait, in their order. */
static void
place_waiting(struct remote *e)
{
	size_t left = 0, n = e->waiting.n, i;

	e->has_news = false;
	for (i = 0; i < n && (e->waiting.v[i]->launch->on_node || !is_full(e)); i++) {
		struct task *t = e->waiting.v[i];
		struct agent *g = choose_agent(e, t);

		if (g) {
			give_to_agent(g, t);
			send_launch(g, t, t->launch);
		} else if (t->launch->on_node && is_local(e) && is_ready(own_agent(e))) {
			e->waiting.v[left++] = t;
		} else if (t->launch->on_node) {
			t->lost = missing_node(e, t);
			give_task_back(e, t, "it is not there any more");
		} else if (e->coming_n || convert_to_local(e)) {
			e->waiting.v[left++] = t;
		} else {
			give_up_task(e, t, "no node is left");
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
	struct agent *g = e->waiting.n ? NULL : choose_agent(e, t);

	*error = 0;
	if (g) {
		give_to_agent(g, t);
		send_launch(g, t, l);
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
	struct message m = {.kind = MESSAGE_INTERRUPT, .signal = loop_passed_on(signal)};

	e->patient_until_ns = loop_later(loop_now_ns(), INTERRUPT_PATIENCE_NS);
	e->interrupted_by = signal;
	forget_waiting(e);
	for (size_t i = 0; i < e->agents_n; i++) {
		struct agent *g = &e->agents[i];

		if (g->state == AGENT_READY)
			connection_put(&g->connection, &m);
		else if (g->state == AGENT_STARTS || g->state == AGENT_ENDED)
			lose_agent(g, "interrupted");
	}
}

/* Agents that have not ended their tests in time are given up: they end when their
 * connection does. */
static void
end_patience(struct remote *e)
{
	for (size_t i = 0; i < e->agents_n; i++)
		if (e->agents[i].tasks && !e->agents[i].is_lost)
			lose_agent(&e->agents[i], "it does not end its tests");
}

/* ---- the engine ------------------------------------------------------------------ */

static struct task *
task_of_node(struct remote *e, node_id node)
{
	struct task *t = node < e->by_node.n ? e->by_node.v[node] : NULL;

	return t && t->agent && !t->is_post_run ? t : NULL;
}

static void
remote_set_limit(struct engine *base, node_id node, uint64_t timeout_ns, bool restarts)
{
	struct task *t = task_of_node(remote_of(base), node);

	if (t)
		connection_put(
			&t->agent->connection, &(struct message){.kind = MESSAGE_LIMIT,
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
	struct task *t = task_of_node(remote_of(base), node);

	if (t)
		connection_put(
			&t->agent->connection, &(struct message){.kind = MESSAGE_SIGNAL,
						       .task = t->number,
						       .signal = signal});
}

static void
remote_tell(struct engine *base, uint64_t talk, struct str text)
{
	struct agent *g = &remote_of(base)->agents[talk >> 32];

	if (g->state == AGENT_READY && !g->is_lost)
		connection_put(&g->connection, &(struct message){.kind = MESSAGE_TALK,
						       .talk = (int)(uint32_t)talk,
						       .text = text});
}

static void
end_searched(struct attempt_output *o)
{
	tell_end((struct remote *)o->engine, task_of_output(o));
}

static void
remote_wait(struct engine *base, uint64_t until_ns)
{
	struct remote *e = remote_of(base);
	uint64_t beat_at_ns = loop_later(e->sent_ns, beat_ns(e));
	bool has_ends = e->searching.first && !base->holds_ends;

	if (beat_at_ns < until_ns)
		until_ns = beat_at_ns;
	if (examination_ns(e) < until_ns)
		until_ns = examination_ns(e);
	if (connections_nudge_ns(&e->host) < until_ns)
		until_ns = connections_nudge_ns(&e->host);
	if (e->interrupted_by && e->patient_until_ns < until_ns)
		until_ns = e->patient_until_ns;
	loop_turn(e->base.loop, has_ends || e->has_news ? 0 : until_ns);
	attempt_queue_serve(&e->searching, &e->base, end_searched);
	send_heartbeats(e);
	connections_nudge(&e->host);
	if (e->interrupted_by && loop_now_ns() >= e->patient_until_ns)
		end_patience(e);
	if (e->has_changes)
		handle_agents(e);
	end_held(e);
	serve_pilots(e);
	if (e->has_news)
		place_waiting(e);
}

/* Every agent gets time to end; then its launcher is killed. */
static void
remote_close(struct engine *base)
{
	struct remote *e = remote_of(base);

	say_goodbye(e);
	await_launchers(e);
	kill_launchers(e, SIGTERM);
	await_launchers(e);
	kill_launchers(e, SIGKILL);
	kill_rest(e);
	await_launchers(e);
	for (size_t i = 0; i < e->agents_n; i++)
		connection_free(&e->agents[i].connection);
	for (size_t i = 0; i < e->tasks.n; i++)
		attempt_output_close(&e->tasks.v[i]->written);
	witness_remove(&e->witness);
	arena_close(e->host.scratch);
	loop_close(e->base.loop);
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
	struct loop_listener of_loop = {
		.context = e, .children = on_children, .signal = on_signal};

	e->base = (struct engine){.type = &type, .listener = *listener};
	e->arena = a;
	e->options = options;
	e->directory = str_z(a, directory);
	e->processors = node_processors_new(a, e->options->is_compact);
	e->here = str_z(a, e->options->here);
	/* cctr may change its own later. */
	e->environment = environment_copy(a, environment_own());
	if (!connections_raise_limit(&e->host, e->options->nodes.n, d) ||
		!witness_make(a, directory, &e->witness, d))
		return NULL;
	guardian_begin();
	e->base.loop = loop_open(a, &of_loop, d);
	if (!e->base.loop) {
		witness_remove(&e->witness);
		return NULL;
	}
	e->host.loop = e->base.loop;
	e->host.here = e->here;
	e->host.directory = e->directory;
	e->host.program = e->options->agent.n ? str_z(a, e->options->agent.v[0]) : NULL;
	e->host.listener = (struct connection_listener){e, on_message, on_lost};
	e->host.arena = e->arena;
	e->host.scratch = arena_open();
	e->host.out.arena = e->arena;
	e->sent_ns = loop_now_ns();
	init_agents(e);
	for (size_t i = 0; i < e->options->nodes.n; i++)
		if (!e->agents[i].pilot)
			open_agent(&e->agents[i]);
	e->looked_ns = loop_now_ns();
	e->has_queue = true;
	serve_pilots(e);
	return &e->base;
}
