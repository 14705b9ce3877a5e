/*
 * The connection to one agent: the launcher that starts it, whose standard input and
 * output carry the messages.
 */
#ifndef CCTR_RUNNER_REMOTE_CONNECTION_H
#define CCTR_RUNNER_REMOTE_CONNECTION_H

#include <sys/resource.h>

#include "runner/base/loop.h"
#include "runner/base/outlet.h"
#include "runner/remote/message.h"
#include "runner/remote/nudge.h"
#include "runner/remote/silence.h"

struct connection;

struct connection_listener {
	void *context;
	void (*message)(void *context, struct connection *c, const struct message *m);
	/* The connection is at its end, or the bytes are no messages: c->why. Nothing
	 * follows; the connection is not opened again in this call. */
	void (*lost)(void *context, struct connection *c);
};
/* What is the same for all connections of a run. */
struct connection_host {
	struct loop *loop;
	/* cctr's own program. As a launcher it is the one that runs, whatever file is
	 * there now; NULL: no launcher is. */
	const char *program;
	const char *here; /* where launchers start; NULL: where we are */
	const char *directory; /* for messages that wait for room */
	struct connection_listener listener;
	/* the limit of open files for launchers, before it was raised for cctr */
	struct rlimit descriptors;
	bool has_raised;
	struct arena *arena; /* of cut */
	VEC(struct connection *) cut; /* some of them wait for the rest of a message */
	struct arena *scratch;
	struct buf out; /* one message */
	char block[1 << 16];
};
struct connection {
	struct connection_host *host;
	int pid; /* of the launcher; 0: reaped, or never started */
	uint64_t brand; /* of all its launchers, and what they start here; 0: none */
	int fd, errors; /* errors: its standard error; -1: closed */
	struct loop_reader *reader, *errors_reader;
	struct outlet outlet;
	struct arena *arena; /* of in, and of texts */
	struct arena_mark mark;
	struct buf in;
	struct nudge nudge;
	bool is_cut; /* in host->cut */
	struct silence silence; /* of the agent */
	char said[200]; /* the end of what the launcher wrote to standard error */
	const char *why; /* it was lost; NULL: it is open */
};

/* Connections need descriptors, more than the usual limit where there are many nodes.
 * Launchers, and so tests, keep the limit as it was. false: there may not be so many. */
bool connections_raise_limit(struct connection_host *host, size_t nodes, struct diag *d);
/* Sends the nudges that are due. */
void connections_nudge(struct connection_host *host);
/* When the next one is due; NO_TIMEOUT: none is. */
uint64_t connections_nudge_ns(const struct connection_host *host);
void connection_init(struct connection *c, struct connection_host *host);
/* Starts the launcher, with NULL-ended words; 0, or the errno. The connection may have
 * been open before: its launcher is reaped then. */
int connection_open(struct connection *c, const char *const *words);
bool connection_is_open(const struct connection *c);
/* Sends the message, now or later. */
void connection_put(struct connection *c, const struct message *m);
/* Closes our side: the agent then ends what it runs, and the launcher ends. The listener
 * is not called. */
void connection_close(struct connection *c);
/* The launcher is not waited for any longer. */
void connection_kill(struct connection *c, int signal);
/* Frees what belongs to the connection, which is closed. */
void connection_free(struct connection *c);

#endif
