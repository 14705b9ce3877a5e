/*
 * The agents of a run (agent.h), as cctr sees them: one of each node, started by its
 * launcher or pilot, and one of this machine, which takes the place of all nodes where
 * none gets an agent. A node whose agent is lost gets another one, a few times.
 *
 * What agents run is their owner's: an engine, which hears what matters for that. All
 * else, such as warnings and which nodes are there, goes to the listener of the engine.
 */
#ifndef CCTR_RUNNER_REMOTE_FLEET_H
#define CCTR_RUNNER_REMOTE_FLEET_H

#include "runner/remote/message.h"
#include "runner/remote/remote_options.h"
#include "runner/run/engine.h"

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
struct fleet *fleet_open(struct arena *a, const struct remote_options *o,
	const char *directory, struct engine *engine, const struct fleet_listener *owner,
	struct diag *d);
/* Starts agents. */
void fleet_start(struct fleet *f);
/* Every agent gets time to end; then its launcher is killed. Closes the loop, too. */
void fleet_close(struct fleet *f);

const struct agent_facts *fleet_facts(const struct fleet *f, agent_id on);
/* Whether the agent is there. */
bool fleet_is_up(const struct fleet *f, agent_id on);
/* Whether it is, and tests may start on it. */
bool fleet_is_ready(const struct fleet *f, agent_id on);
/* Whether more agents may become ready. */
bool fleet_is_coming(const struct fleet *f);
/* Where no agent ever came up, starts the one of this machine. false: no. */
bool fleet_convert(struct fleet *f);

void fleet_send(struct fleet *f, agent_id to, const struct message *m);
/* Sends the launch, with the task's number in messages. own: processors of the test. */
void fleet_launch(struct fleet *f, agent_id to, int task, const struct launch *l,
	struct processors own);
/* The tests of the agent go on, but it gets no more: they would all fail at once, and so
 * the node would always have room for the next one. */
void fleet_shun(struct fleet *f, agent_id on, const char *why);
/* Gives the agent up, if it is not lost already. */
void fleet_lose(struct fleet *f, agent_id on, const char *why);
/* Sends the signal to everything that runs. No agent starts any more. */
void fleet_interrupt(struct fleet *f, int signal);

/* After every turn of the loop, in this order. First, what is due by time: heartbeats,
 * with this number, and agents that are silent. */
void fleet_beat(struct fleet *f, uint64_t number);
/* Handles agents that were lost, and opens those that may come again. */
void fleet_settle(struct fleet *f);
/* Gives back the pilots that no test needs, and asks for those that tests need. */
void fleet_serve_pilots(struct fleet *f);
/* When the next turn is due at the latest. */
uint64_t fleet_next_ns(const struct fleet *f);

#endif
