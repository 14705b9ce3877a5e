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
#include "runner/remote/remote_options.h"
#include "runner/remote/variables.h"
#include "runner/remote/witness.h"
#include "runner/resources/pool_sources.h"
#include "runner/run/attempt_output.h"

/* ---- agents ------------------------------------------------------------------------- */

/* The number of its node; that of this machine, in place of all nodes, is the next one.
 */
typedef uint32_t agent_id;
#define AGENT_NONE MAP_NONE

/* What is said of an agent. */
struct agent_facts {
	const char *node; /* its name */
	const char *host; /* what it calls itself; NULL: it has not said so */
	unsigned slots; /* how many processors it may use */
	struct affinity *processors; /* those of its node, and which tests have them */
	struct str_list gpus; /* of its node: node_gpus.h */
	uint64_t beat; /* the number of the last heartbeat that it has answered */
	bool is_at_limit; /* its job has ended at a limit, as another one would */
};
/* Called from a turn of the loop, and by the functions below; lost() by fleet_settle()
 * alone. */
struct fleet_listener {
	void *context;
	/* The agent says something of a test: OUTPUT, OUTCOME, NOT_STARTED or HANG; or of
	 * a process that talks: TALK. false: the message makes no sense. */
	bool (*message)(void *context, agent_id on, const struct message *m);
	/* Perhaps tests may start on the agent now, or not any more, or it may not come
	 * back. */
	void (*changed)(void *context, agent_id on);
	/* What ran on the agent is lost. */
	void (*lost)(void *context, agent_id on, const char *why);
	/* Whether the agent runs tests, or waits for the verdict on one. */
	bool (*is_used)(void *context, agent_id on);
};

struct fleet;
/* The options, the directory and the engine are borrowed. Opens the loop of the engine.
 * NULL after diag_error. */
static struct fleet *fleet_open(struct arena *a, const struct remote_options *o,
	const char *directory, struct engine *engine, const struct fleet_listener *owner,
	struct diag *d);
/* Starts agents. */
static void fleet_start(struct fleet *f);
/* Every agent gets time to end; then its launcher is killed. Closes the loop, too. */
static void fleet_close(struct fleet *f);

static const struct agent_facts *fleet_facts(const struct fleet *f, agent_id on);
/* Whether the agent is there. */
static bool fleet_is_up(const struct fleet *f, agent_id on);
/* Whether it is, and tests may start on it. */
static bool fleet_is_ready(const struct fleet *f, agent_id on);
/* Whether more agents may become ready. */
static bool fleet_is_coming(const struct fleet *f);
/* Where no agent ever came up, starts the one of this machine. false: no. */
static bool fleet_convert(struct fleet *f);

static void fleet_send(struct fleet *f, agent_id to, const struct message *m);
/* Sends the launch, with the task's number in messages. own: processors of the test. */
static void fleet_launch(struct fleet *f, agent_id to, int task, const struct launch *l,
	struct processors own);
/* The tests of the agent go on, but it gets no more: they would all fail at once, and so
 * the node would always have room for the next one. */
static void fleet_shun(struct fleet *f, agent_id on, const char *why);
/* Gives the agent up, if it is not lost already. */
static void fleet_lose(struct fleet *f, agent_id on, const char *why);
/* Sends the signal to everything that runs. No agent starts any more. */
static void fleet_interrupt(struct fleet *f, int signal);

/* After every turn of the loop, in this order. First, what is due by time: heartbeats,
 * with this number, and agents that are silent. */
static void fleet_beat(struct fleet *f, uint64_t number);
/* Handles agents that were lost, and opens those that may come again. */
static void fleet_settle(struct fleet *f);
/* Gives back the pilots that no test needs, and asks for those that tests need. */
static void fleet_serve_pilots(struct fleet *f);
/* When the next turn is due at the latest. */
static uint64_t fleet_next_ns(const struct fleet *f);

#define GOODBYE_PATIENCE_NS 5000000000u
#define EXAMINATION_NS 1000000000u /* of pilots */

enum {
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

struct agent {
	struct connection connection; /* first: see agent_of */
	struct fleet *fleet;
	struct agent_facts facts;
	enum agent_state state;
	const char *const *words; /* of its launcher */
	const struct remote_pilot *pilot; /* NULL: it is none */
	bool is_here; /* on this machine, started by no launcher */
	bool is_queued; /* a pilot that waits for its node */
	struct str_list gpus; /* of the pilot, until its launcher has ended */
	const char *farewell; /* why the agent has ended, as it said; NULL: nothing */
	uint64_t idle_since_ns; /* no test needs it; 0: some do */
	uint64_t opened_ns;
	unsigned failures;
	bool was_ready, is_lost; /* is_lost: to be handled after the turn */
	bool was_lost; /* its launcher may have left something here */
	uint64_t terminated_ns; /* when its launcher got SIGTERM; 0: not yet */
	bool is_shunned; /* it cannot start tests, and gets no more */
	const char *unsaid; /* why it did not start, without a warning yet; NULL: none */
};
/* Pilots that ask for the same. */
struct group {
	size_t queued;
	const struct agent *said_by; /* who says what it waits for; NULL: none so far */
};
struct fleet {
	struct arena *arena;
	const struct remote_options *options;
	struct engine *engine;
	struct fleet_listener owner;
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
	uint64_t sent_ns; /* when agents last got a heartbeat */
	bool has_changes; /* an agent is lost, or a launcher has ended */
	bool has_lost; /* some agent, at any time */
	bool had_place; /* a pilot got its node once */
	bool had_agent; /* an agent was ready once */
	bool is_interrupted;
};

static struct agent *
agent_of(struct connection *c)
{
	return (struct agent *)c;
}

static agent_id
id_of(const struct agent *g)
{
	return (agent_id)(g - g->fleet->agents);
}

static void
warn_of(const struct agent *g, const char *what, struct str why)
{
	const struct engine_listener *l = &g->fleet->engine->listener;
	struct arena *scratch = arena_open();

	if (l->warning)
		l->warning(l->context, str_fmt(scratch, "node %s: %s%.*s", g->facts.node,
					       what, STR_ARG(why)));
	arena_close(scratch);
}

static void
say_no_start(struct agent *g)
{
	if (g->unsaid)
		warn_of(g, "its agent did not start: ", str_of(g->unsaid));
	g->unsaid = NULL;
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
	g->fleet->coming_n -= may_become_ready(g);
	g->was_ready = g->was_ready || state == AGENT_READY;
	g->state = state;
	g->failures = failures;
	g->fleet->coming_n += may_become_ready(g);
}

static struct agent *
own_agent(const struct fleet *f)
{
	return &f->agents[f->agents_n - 1];
}

static void
tell_presence(const struct agent *g, enum pool_presence presence)
{
	const struct fleet *f = g->fleet;
	const struct engine_listener *l = &f->engine->listener;
	agent_id first = id_of(g), end = first + 1;

	if (g == own_agent(f)) {
		first = 0;
		end = f->options->have_places ? (uint32_t)f->options->nodes.n : 0;
	}
	for (; l->presence && first < end; first++)
		l->presence(l->context, first, presence);
}

/* ---- what agents say ------------------------------------------------------------- */

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
	const struct fleet *f = g->fleet;
	struct arena *a = g->connection.arena;

	if (h->protocol != MESSAGE_PROTOCOL ||
		strcmp(h->program, f->options->program) != 0)
		return refusal_of_program(a, h->program, f->options->program);
	if (h->witness_error || !str_eq(h->witness, f->witness.content))
		return str_fmt(a, "it does not see the build tree: %s: %.*s",
			f->witness.path,
			STR_ARG(h->witness_error ? loop_error_text(a, h->witness_error)
						 : STR("another file")))
			.p;
	return NULL;
}

static void
tell_change(const struct agent *g)
{
	const struct fleet_listener *owner = &g->fleet->owner;

	owner->changed(owner->context, id_of(g));
}

static void
note_loss(struct agent *g)
{
	g->is_lost = g->fleet->has_changes = true;
	tell_change(g);
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
note_first(struct fleet *f)
{
	if (f->had_agent)
		return;
	f->had_agent = true;
	for (size_t i = 0; i < f->agents_n; i++)
		say_no_start(&f->agents[i]);
}

/* What this machine has is known without its agent. */
static void
tell_found(const struct agent *g, const struct hello *h)
{
	const struct engine_listener *l = &g->fleet->engine->listener;

	if (l->found && !g->is_here)
		l->found(l->context, id_of(g), str_of(g->facts.node),
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
	g->facts.processors =
		node_processors_of(g->fleet->processors, h->host, h->places);
	if (!g->facts.processors)
		return false;
	change_state(g, AGENT_READY, g->failures);
	g->facts.slots = h->processors > 0 ? (unsigned)h->processors : 1;
	if (!g->facts.host || strcmp(g->facts.host, h->host) != 0)
		g->facts.host = str_dup(g->fleet->arena, str_of(h->host)).p;
	g->facts.gpus = str_list_dup(g->fleet->arena, h->gpus);
	tell_change(g);
	note_first(g->fleet);
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
	g->fleet->groups[g->pilot->group].queued--;
	g->fleet->has_queue = true;
}

/* One pilot of each group says what it waits for, until any agent is ready. */
static bool
on_waits(struct agent *g, struct str text)
{
	const struct engine_listener *l = &g->fleet->engine->listener;
	struct group *group;
	struct arena *scratch;

	if (!g->is_queued)
		return false;
	group = &g->fleet->groups[g->pilot->group];
	if (!group->said_by)
		group->said_by = g;
	if (g->fleet->had_agent || group->said_by != g || !l->notice)
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
	struct arena *a = g->fleet->arena;
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
	const struct fleet *f = g->fleet;

	for (size_t i = 0; i < f->options->nodes.n; i++) {
		const struct agent *other = &f->agents[i];

		if (other != g && other->connection.pid &&
			strcmp(other->facts.node, g->facts.node) == 0 &&
			str_list_has(other->gpus, gpu))
			return true;
	}
	return false;
}

static void
number_gpus(struct agent *g)
{
	struct arena *a = g->fleet->arena;
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
	struct fleet *f = g->fleet;
	const struct engine_listener *l = &f->engine->listener;
	struct str name = str_take(&text, ' ');

	if (!g->is_queued || !name.n || !read_gpus(g, text))
		return false;
	g->facts.node = str_dup(f->arena, name).p;
	if (f->options->counts_gpus)
		number_gpus(g);
	g->opened_ns = loop_now_ns();
	f->had_place = true;
	leave_queue(g);
	if (l->place)
		l->place(l->context, id_of(g), g->gpus);
	return true;
}

/* The batch system may know better why the agent has ended: the pilot asks it. */
static void
on_farewell(struct agent *g, struct str text)
{
	g->farewell = text.n ? str_dup(g->fleet->arena, text).p : "the agent ended";
	if (!g->pilot || g->state != AGENT_READY || g->fleet->is_interrupted) {
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
	g->facts.is_at_limit = m->is_limit;
	if (why)
		lose_agent(g, why);
	return true;
}

static bool
pass_on(const struct agent *g, const struct message *m)
{
	const struct fleet_listener *owner = &g->fleet->owner;

	return owner->message(owner->context, id_of(g), m);
}

static bool
on_test_message(struct agent *g, const struct message *m)
{
	if (g->state == AGENT_STARTS || g->state == AGENT_ENDED || !pass_on(g, m))
		return false;
	if (m->kind == MESSAGE_OUTCOME)
		change_state(g, g->state, 0);
	return true;
}

static bool
handle_message(struct agent *g, const struct message *m)
{
	const struct engine_listener *l = &g->fleet->engine->listener;

	switch (m->kind) {
	case MESSAGE_HELLO:
		return g->state == AGENT_STARTS && on_hello(g, &m->hello);
	case MESSAGE_OUTPUT:
	case MESSAGE_OUTCOME:
	case MESSAGE_NOT_STARTED:
	case MESSAGE_HANG:
		return on_test_message(g, m);
	case MESSAGE_LEFT:
		if (l->left)
			l->left(l->context, m->pid, m->text);
		return true;
	case MESSAGE_WARNING:
		warn_of(g, "", m->text);
		return true;
	case MESSAGE_WAITS:
		return on_waits(g, m->text);
	case MESSAGE_PLACE:
		return on_place(g, m->text);
	case MESSAGE_TALK:
		return pass_on(g, m);
	case MESSAGE_HEARTBEAT:
		g->facts.beat = m->beat > g->facts.beat ? m->beat : g->facts.beat;
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
	struct fleet *f = g->fleet;
	int error = connection_open(&g->connection, g->words);
	struct message greeting = {
		.kind = MESSAGE_GREETING,
		.greeting = {.protocol = MESSAGE_PROTOCOL,
			.program = f->options->program,
			.silence_ns = g->is_here ? NO_TIMEOUT : f->options->silence_ns,
			.doubt_ns = f->options->doubt_ns,
			.wants_topology = f->options->is_compact,
			.wants_gpus = f->options->have_gpus,
			.witness = f->witness.path,
			.environment = f->environment},
	};

	change_state(g, AGENT_STARTS, error ? MOST_FAILURES : g->failures);
	g->opened_ns = loop_now_ns();
	g->terminated_ns = 0;
	g->facts.is_at_limit = g->is_shunned = false;
	g->gpus = (struct str_list){0};
	g->farewell = NULL;
	if (g->pilot) {
		g->is_queued = true;
		f->groups[g->pilot->group].queued++;
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
	return g->state == AGENT_GONE && has_tries(g) && !g->fleet->is_interrupted;
}

static void
say_loss(struct agent *g, const char *why)
{
	struct fleet *f = g->fleet;

	if (g->was_ready && f->options->has_lost)
		*f->options->has_lost = true;
	if (g->was_ready)
		warn_of(g, "lost: ", str_of(why));
	else if (!may_become_ready(g))
		g->unsaid = str_dup(f->arena, str_of(why)).p;
	if (f->had_agent)
		say_no_start(g);
}

/* One warning for all nodes. */
static void
say_for_all(struct fleet *f, const char *what)
{
	const struct engine_listener *l = &f->engine->listener;
	const struct agent *g = f->agents;
	struct arena *scratch = arena_open();
	struct buf text = {.arena = scratch};

	buf_fmt(&text, "%s: %s: %s", what, g->facts.node, g->unsaid ? g->unsaid : "");
	if (f->options->nodes.n > 1)
		buf_fmt(&text, " (and %zu more)", f->options->nodes.n - 1);
	if (l->warning)
		l->warning(l->context, buf_as_str(&text));
	for (size_t i = 0; i < f->agents_n; i++)
		f->agents[i].unsaid = NULL;
	arena_close(scratch);
}

static bool
fleet_convert(struct fleet *f)
{
	if (own_agent(f)->opened_ns || f->is_interrupted || f->had_agent)
		return false;
	say_for_all(f, "no node has an agent, so this machine runs all tests");
	open_agent(own_agent(f));
	return true;
}

/* Where tests name their nodes, and no node will get an agent. A job that the batch
 * system refuses is no reason to run its tests here. false: no agent takes the nodes'
 * place. */
static bool
replace_nodes(struct fleet *f)
{
	if (!f->options->have_places || f->coming_n || f->had_agent ||
		own_agent(f)->opened_ns || f->is_interrupted)
		return false;
	if (f->had_place || !f->options->pilots)
		return fleet_convert(f);
	say_for_all(f, "the batch system gives no node");
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
	g->fleet->has_queue = true;
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
	struct fleet *f = g->fleet;
	const struct fleet_listener *owner = &f->owner;
	struct arena *scratch = arena_open();
	const char *why = str_z(scratch, str_of(g->connection.why));
	bool is_news = g->state != AGENT_LEAVES && !f->is_interrupted;

	g->is_lost = false;
	g->was_lost = f->has_lost = true;
	leave_queue(g);
	end_launcher(g);
	go_away(g);
	pass_on(g, &(struct message){
			   .kind = MESSAGE_TALK, .task = -1, .talk = (int)TALK_ALL});
	if (is_news)
		say_loss(g, why);
	if (!replace_nodes(f))
		tell_presence(g, may_become_ready(g) ? POOL_NODE_AWAY : POOL_NODE_GONE);
	owner->lost(owner->context, id_of(g), why);
	arena_close(scratch);
}

static void
fleet_settle(struct fleet *f)
{
	if (!f->has_changes)
		return;
	f->has_changes = false;
	for (size_t i = 0; i < f->agents_n; i++) {
		struct agent *g = &f->agents[i];

		if (g->is_lost)
			handle_lost(g);
		if (may_come_again(g) && !g->connection.pid)
			open_agent(g);
	}
}

/* ---- pilots ---------------------------------------------------------------------- */

static bool
are_needed(const struct fleet *f)
{
	const struct engine_listener *l = &f->engine->listener;

	return !l->needs || l->needs(l->context);
}

/* Asks for pilots while tests wait that have not begun. */
static void
ask_pilots(struct fleet *f)
{
	f->has_queue = false;
	if (f->is_interrupted || !are_needed(f))
		return;
	for (size_t i = 0; i < f->options->nodes.n; i++) {
		struct agent *g = &f->agents[i];

		if (g->state == AGENT_LATER && !g->connection.pid &&
			f->groups[g->pilot->group].queued < f->options->queued_most)
			open_agent(g);
	}
}

static bool
is_idle(const struct agent *g)
{
	const struct fleet_listener *owner = &g->fleet->owner;

	return g->pilot && !g->is_lost &&
	       (g->state == AGENT_STARTS ||
		       (g->state == AGENT_READY &&
			       !owner->is_used(owner->context, id_of(g))));
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
examine_pilots(struct fleet *f)
{
	uint64_t now_ns = loop_now_ns();
	bool needed = are_needed(f);

	f->looked_ns = now_ns;
	f->has_queue = f->has_queue || needed;
	for (size_t i = 0; i < f->options->nodes.n; i++) {
		struct agent *g = &f->agents[i];

		if (g->is_shunned && is_idle(g))
			give_back(g);
		else if (needed || !is_idle(g))
			g->idle_since_ns = 0;
		else if (!g->idle_since_ns)
			g->idle_since_ns = now_ns;
		else if (now_ns >= loop_later(g->idle_since_ns, f->options->idle_ns))
			give_back(g);
	}
}

/* When pilots are examined next. */
static uint64_t
examination_ns(const struct fleet *f)
{
	uint64_t pause_ns = f->options->idle_ns < EXAMINATION_NS ? f->options->idle_ns
								 : EXAMINATION_NS;

	return f->options->pilots ? loop_later(f->looked_ns, pause_ns) : NO_TIMEOUT;
}

static void
fleet_serve_pilots(struct fleet *f)
{
	if (!f->options->pilots)
		return;
	if (loop_now_ns() >= examination_ns(f))
		examine_pilots(f);
	if (f->has_queue)
		ask_pilots(f);
}

/* ---- heartbeats ------------------------------------------------------------------ */

/* An agent of this machine is a child, whose end closes the connection at once: if it is
 * silent, it has no processor time. */
static void
check_silence(struct agent *g, uint64_t now_ns)
{
	const struct remote_options *o = g->fleet->options;

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
next_beat_ns(const struct fleet *f)
{
	const struct remote_options *o = f->options;
	uint64_t limit_ns =
		o->silence_ns < o->patience_ns ? o->silence_ns : o->patience_ns;

	return loop_later(f->sent_ns, limit_ns / SILENCE_BEATS);
}

static void
fleet_beat(struct fleet *f, uint64_t number)
{
	const struct message m = {.kind = MESSAGE_HEARTBEAT, .beat = number};
	uint64_t now_ns = loop_now_ns();

	if (now_ns >= next_beat_ns(f)) {
		f->sent_ns = now_ns;
		for (size_t i = 0; i < f->agents_n; i++) {
			struct agent *g = &f->agents[i];

			check_silence(g, now_ns);
			check_launcher(g, now_ns);
			if (g->state == AGENT_READY && !g->is_here)
				connection_put(&g->connection, &m);
		}
	}
	connections_nudge(&f->host);
}

static uint64_t
fleet_next_ns(const struct fleet *f)
{
	uint64_t next_ns = next_beat_ns(f);

	if (examination_ns(f) < next_ns)
		next_ns = examination_ns(f);
	if (connections_nudge_ns(&f->host) < next_ns)
		next_ns = connections_nudge_ns(&f->host);
	return next_ns;
}

/* ---- what the owner asks and wants ----------------------------------------------- */

static const struct agent_facts *
fleet_facts(const struct fleet *f, agent_id on)
{
	return &f->agents[on].facts;
}

static bool
fleet_is_up(const struct fleet *f, agent_id on)
{
	return f->agents[on].state == AGENT_READY && !f->agents[on].is_lost;
}

static bool
fleet_is_ready(const struct fleet *f, agent_id on)
{
	return fleet_is_up(f, on) && !f->agents[on].is_shunned;
}

static bool
fleet_is_coming(const struct fleet *f)
{
	return f->coming_n > 0;
}

static void
fleet_send(struct fleet *f, agent_id to, const struct message *m)
{
	connection_put(&f->agents[to].connection, m);
}

static void
fleet_launch(struct fleet *f, agent_id on, int task, const struct launch *l,
	struct processors own)
{
	struct message m = {.kind = MESSAGE_LAUNCH,
		.task = task,
		.launch = *l,
		.processors = {own.v, own.n}};
	struct arena *scratch = arena_open();

	if (l->environment)
		m.launch.environment =
			variables_shorten(scratch, f->environment, l->environment);
	if (!l->directory)
		m.launch.directory = f->host.here;
	else if (*l->directory != '/')
		m.launch.directory =
			str_fmt(scratch, "%s/%s", f->host.here, l->directory).p;
	fleet_send(f, on, &m);
	arena_close(scratch);
}

static void
fleet_shun(struct fleet *f, agent_id on, const char *why)
{
	struct agent *g = &f->agents[on];

	if (g->is_shunned)
		return;
	g->is_shunned = true;
	warn_of(g, "it gets no more tests: ", str_of(why));
	tell_presence(g, POOL_NODE_GONE);
}

static void
fleet_lose(struct fleet *f, agent_id on, const char *why)
{
	if (!f->agents[on].is_lost)
		lose_agent(&f->agents[on], why);
}

static void
fleet_interrupt(struct fleet *f, int signal)
{
	struct message m = {.kind = MESSAGE_INTERRUPT, .signal = loop_passed_on(signal)};

	f->is_interrupted = true;
	for (size_t i = 0; i < f->agents_n; i++) {
		struct agent *g = &f->agents[i];

		if (g->state == AGENT_READY)
			connection_put(&g->connection, &m);
		else if (g->state == AGENT_STARTS || g->state == AGENT_ENDED)
			lose_agent(g, "interrupted");
	}
}

/* ---- close ----------------------------------------------------------------------- */

/* Launchers that have ended; only agents say what that means. */
static void
on_children(void *context)
{
	struct fleet *f = context;
	struct process_end end;

	while (process_reap(&end))
		for (size_t i = 0; i < f->agents_n; i++)
			if (f->agents[i].connection.pid == end.pid) {
				f->agents[i].connection.pid = 0;
				f->has_changes = true;
				tell_change(&f->agents[i]);
			}
}

static void
on_signal(void *context, int signal, bool by_terminal)
{
	const struct fleet *f = context;

	(void)by_terminal;
	f->engine->listener.interrupted(f->engine->listener.context, signal);
}

static bool
has_launchers(const struct fleet *f)
{
	for (size_t i = 0; i < f->agents_n; i++)
		if (f->agents[i].connection.pid)
			return true;
	return false;
}

static void
kill_launchers(struct fleet *f, int signal)
{
	for (size_t i = 0; i < f->agents_n; i++)
		connection_kill(&f->agents[i].connection, signal);
}

static void
say_goodbye(struct fleet *f)
{
	const struct message m = {.kind = MESSAGE_GOODBYE};

	for (size_t i = 0; i < f->agents_n; i++) {
		struct agent *g = &f->agents[i];

		if (g->state == AGENT_READY && !f->is_interrupted) {
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
is_left(const struct fleet *f, uint64_t brand)
{
	for (size_t i = 0; brand && i < f->agents_n; i++) {
		const struct agent *g = &f->agents[i];

		if (g->was_lost && !g->pilot && g->connection.brand == brand)
			return true;
	}
	return false;
}

/* Where a node has crashed, a program that its launcher gave a session of its own may
 * wait for it for minutes. */
static void
kill_rest(const struct fleet *f)
{
	struct proc_folder p;
	int pid;

	if (!f->has_lost || !proc_folder_open(&p))
		return;
	while ((pid = proc_folder_next(&p)))
		if (is_left(f, brand_of_process(&p, pid)))
			kill(pid, SIGKILL);
	proc_folder_close(&p);
}

/* Waits until all launchers have ended, but not for ever. */
static void
await_launchers(struct fleet *f)
{
	uint64_t until_ns = loop_later(loop_now_ns(), GOODBYE_PATIENCE_NS);

	while (has_launchers(f) && loop_now_ns() < until_ns)
		loop_turn(f->engine->loop, until_ns);
}

static void
fleet_close(struct fleet *f)
{
	say_goodbye(f);
	await_launchers(f);
	kill_launchers(f, SIGTERM);
	await_launchers(f);
	kill_launchers(f, SIGKILL);
	kill_rest(f);
	await_launchers(f);
	for (size_t i = 0; i < f->agents_n; i++)
		connection_free(&f->agents[i].connection);
	witness_remove(&f->witness);
	arena_close(f->host.scratch);
	loop_close(f->engine->loop);
}

/* ---- open ------------------------------------------------------------------------ */

static void
init_agent(struct fleet *f, struct agent *g, struct str_list launcher, const char *node)
{
	g->fleet = f;
	g->state = AGENT_GONE;
	g->words = launcher_fill(f->arena, launcher, f->options->agent, node);
	g->facts.node = node;
	connection_init(&g->connection, &f->host);
}

/* The agent of this machine. */
static void
init_own_agent(struct fleet *f, struct agent *g, const char *node)
{
	struct str alone = STR("{agent}");

	init_agent(f, g, (struct str_list){&alone, 1}, node);
	g->is_here = true;
}

static void
init_pilot(struct fleet *f, struct agent *g, const struct remote_pilot *pilot,
	const char *node)
{
	const char **words = NEW_ARRAY(f->arena, const char *, pilot->words.n + 1);

	init_agent(f, g, (struct str_list){0}, node);
	for (size_t i = 0; i < pilot->words.n; i++)
		words[i] = str_z(f->arena, pilot->words.v[i]);
	g->words = words;
	g->pilot = pilot;
	change_state(g, AGENT_LATER, 0);
}

static void
init_agents(struct fleet *f)
{
	const struct remote_options *o = f->options;
	struct str host = host_name(f->arena, STR("localhost"));

	f->agents_n = o->nodes.n + 1;
	f->agents = NEW_ARRAY(f->arena, struct agent, f->agents_n);
	f->groups = NEW_ARRAY(f->arena, struct group, o->groups_n);
	for (size_t i = 0; i < o->nodes.n; i++) {
		const char *node = str_z(f->arena, o->nodes.v[i]);

		if (o->has_local && !i)
			init_own_agent(f, &f->agents[i], node);
		else if (o->pilots)
			init_pilot(f, &f->agents[i], &o->pilots[i], node);
		else
			init_agent(f, &f->agents[i], o->launcher, node);
	}
	init_own_agent(f, own_agent(f), host.p);
}

static struct fleet *
fleet_open(struct arena *a, const struct remote_options *o, const char *directory,
	struct engine *engine, const struct fleet_listener *owner, struct diag *d)
{
	struct fleet *f = NEW(a, struct fleet);
	struct connection_host *host = &f->host;
	struct loop_listener of_loop = {
		.context = f, .children = on_children, .signal = on_signal};

	f->arena = a;
	f->options = o;
	f->engine = engine;
	f->owner = *owner;
	f->processors = node_processors_new(a, o->is_compact);
	/* cctr may change its own later. */
	f->environment = environment_copy(a, environment_own());
	if (!connections_raise_limit(host, o->nodes.n, d) ||
		!witness_make(a, str_of(directory), &f->witness, d))
		return NULL;
	guardian_begin();
	engine->loop = loop_open(a, &of_loop, d);
	if (!engine->loop) {
		witness_remove(&f->witness);
		return NULL;
	}
	host->loop = engine->loop;
	host->here = str_z(a, o->here);
	host->directory = directory;
	host->program = o->agent.n ? str_z(a, o->agent.v[0]) : NULL;
	host->listener = (struct connection_listener){f, on_message, on_lost};
	host->arena = a;
	host->scratch = arena_open();
	host->out.arena = a;
	init_agents(f);
	return f;
}

static void
fleet_start(struct fleet *f)
{
	f->sent_ns = loop_now_ns();
	for (size_t i = 0; i < f->options->nodes.n; i++)
		if (!f->agents[i].pilot)
			open_agent(&f->agents[i]);
	f->looked_ns = loop_now_ns();
	f->has_queue = true;
	fleet_serve_pilots(f);
}

/* ---- tests -------------------------------------------------------------------------- */

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

/* A test that has just ended says no more than that. t: NULL: it has. */
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

	for (size_t i = 0; i < e->tasks.n; i++)
		if (e->tasks.v[i]->agent == on || e->tasks.v[i]->judge == on)
			return true;
	return false;
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
