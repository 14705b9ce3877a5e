/*
 * The agents of a run. See fleet.h.
 *
 * A launcher's exit code decides nothing: the end of its connection does. What may lead
 * to another agent or another test happens after the turn of the loop, in
 * fleet_settle() and fleet_serve_pilots().
 */
#include "runner/remote/fleet.h"

#include <signal.h>

#include "runner/base/environment.h"
#include "runner/base/host_name.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"
#include "runner/process/proc_folder.h"
#include "runner/process/process.h"
#include "runner/remote/connection.h"
#include "runner/remote/node_list.h"
#include "runner/remote/node_processors.h"
#include "runner/remote/variables.h"
#include "runner/remote/witness.h"
#include "runner/resources/pool_sources.h"

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
	/* Brands of launchers that may have left programs here, since their node was
	 * lost. A pilot gives its job back before it ends. */
	VEC(uint64_t) left;
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

bool
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
	if (!g->pilot)
		VEC_PUSH(f->arena, &f->left, g->connection.brand);
	leave_queue(g);
	end_launcher(g);
	go_away(g);
	/* The end of all talks there. */
	pass_on(g, &(struct message){
			   .kind = MESSAGE_TALK, .task = -1, .talk = (int)TALK_ALL});
	if (is_news)
		say_loss(g, why);
	if (!replace_nodes(f))
		tell_presence(g, may_become_ready(g) ? POOL_NODE_AWAY : POOL_NODE_GONE);
	owner->lost(owner->context, id_of(g), why);
	arena_close(scratch);
}

void
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

void
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

void
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

uint64_t
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

const struct agent_facts *
fleet_facts(const struct fleet *f, agent_id on)
{
	return &f->agents[on].facts;
}

bool
fleet_is_up(const struct fleet *f, agent_id on)
{
	return f->agents[on].state == AGENT_READY && !f->agents[on].is_lost;
}

bool
fleet_is_ready(const struct fleet *f, agent_id on)
{
	return fleet_is_up(f, on) && !f->agents[on].is_shunned;
}

bool
fleet_is_coming(const struct fleet *f)
{
	return f->coming_n > 0;
}

void
fleet_send(struct fleet *f, agent_id to, const struct message *m)
{
	connection_put(&f->agents[to].connection, m);
}

void
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

void
fleet_shun(struct fleet *f, agent_id on, const char *why)
{
	struct agent *g = &f->agents[on];

	if (g->is_shunned)
		return;
	g->is_shunned = true;
	warn_of(g, "it gets no more tests: ", str_of(why));
	tell_presence(g, POOL_NODE_GONE);
}

void
fleet_lose(struct fleet *f, agent_id on, const char *why)
{
	if (!f->agents[on].is_lost)
		lose_agent(&f->agents[on], why);
}

void
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

/* ---- what the loop says ---------------------------------------------------------- */

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

/* ---- close ----------------------------------------------------------------------- */

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

static bool
is_left(const struct fleet *f, uint64_t brand)
{
	for (size_t i = 0; brand && i < f->left.n; i++)
		if (f->left.v[i] == brand)
			return true;
	return false;
}

/* Where a node has crashed, a program that its launcher gave a session of its own may
 * wait for it for minutes. */
static void
kill_rest(const struct fleet *f)
{
	struct proc_folder p;
	int pid;

	if (!f->left.n || !proc_folder_open(&p))
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

void
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
init_agent(struct agent *g, struct fleet *f, const char *node, bool is_here)
{
	const struct remote_options *o = f->options;
	struct str alone = STR("{agent}");

	g->fleet = f;
	g->facts.node = node;
	g->is_here = is_here;
	g->pilot = o->pilots && !is_here ? &o->pilots[id_of(g)] : NULL;
	g->words = g->pilot
			   ? str_list_words(f->arena, g->pilot->words)
			   : launcher_fill(f->arena,
				     is_here ? (struct str_list){&alone, 1} : o->launcher,
				     o->agent, node);
	g->state = AGENT_GONE;
	if (g->pilot)
		change_state(g, AGENT_LATER, 0);
	connection_init(&g->connection, &f->host);
}

static void
init_agents(struct fleet *f)
{
	const struct remote_options *o = f->options;

	f->agents_n = o->nodes.n + 1;
	f->agents = NEW_ARRAY(f->arena, struct agent, f->agents_n);
	f->groups = NEW_ARRAY(f->arena, struct group, o->groups_n);
	for (size_t i = 0; i < o->nodes.n; i++)
		init_agent(&f->agents[i], f, str_z(f->arena, o->nodes.v[i]),
			o->has_local && !i);
	init_agent(own_agent(f), f, host_name(f->arena, STR("localhost")).p, true);
}

struct fleet *
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

void
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
