/*
 * The messages between cctr and its agents, as bytes: Help/dev/agent-protocol.rst.
 *
 * A message is a frame: its length (4 bytes), its kind (1 byte), its fields, a newline,
 * since srun passes text on by lines. Numbers are big-endian. One table says which fields
 * a kind has, for writing and for reading.
 */
#ifndef CCTR_RUNNER_REMOTE_MESSAGE_H
#define CCTR_RUNNER_REMOTE_MESSAGE_H

#include "runner/base/fields.h"
#include "runner/model/outcome.h"
#include "runner/process/launch.h"

enum {
	MESSAGE_PROTOCOL = 6,
	MESSAGE_HEAD = 5,
	MESSAGE_OUTPUT_MOST = 1 << 16,
	/* The least text of FATE, without a newline. It may follow a message that was cut
	 * off: it is longer than what is missing of any outcome, so that the two are
	 * never one. */
	MESSAGE_FATE_LEAST = 256
};

enum message_kind {
	/* to the agent */
	MESSAGE_GREETING = 1, /* greeting */
	MESSAGE_LAUNCH, /* task, launch, processors */
	MESSAGE_LIMIT, /* task, timeout_ns, restarts: engine.h, set_limit */
	MESSAGE_SIGNAL, /* task, signal */
	MESSAGE_INTERRUPT, /* signal */
	/* to cctr */
	MESSAGE_HELLO, /* hello */
	MESSAGE_OUTPUT, /* task, text */
	MESSAGE_OUTCOME, /* task, outcome, age_us */
	MESSAGE_NOT_STARTED, /* task, error; or text: what the node lacks */
	MESSAGE_LEFT, /* pid, text: a process that could not be ended */
	/* both ways */
	MESSAGE_HEARTBEAT, /* beat */
	MESSAGE_GOODBYE, /* text: the reason; from cctr: "" */
	/* to cctr */
	MESSAGE_WARNING, /* text */
	/* to cctr, by a pilot before its agent starts */
	MESSAGE_WAITS, /* text: the job, and what it waits for */
	MESSAGE_PLACE, /* text: the node, and the names of its GPUs */
	/* to cctr, by a pilot after its agent has ended */
	MESSAGE_FATE, /* text: how the job has ended, or ""; is_limit */
	/* to the agent, after an outcome, where launch.keeps_failed_temporary */
	MESSAGE_VERDICT, /* task, text: the name of the test, is_failed */
	/* to cctr, before an outcome, where launch.reports_hang */
	MESSAGE_HANG, /* task, text: a part of the report */
	/* both ways: nudge.h. It has no answer, which would delay what follows it */
	MESSAGE_NUDGE,
	/* both ways: task, talk, text: between a process of the test and the socket of
	 * the run, or from TALK_PMIX on its PMIx server; "": its end. To the agent, task
	 * is 0 */
	MESSAGE_TALK,
	MESSAGES
};

/* Where the protocol of the other side differs, only protocol and program are known. */
struct greeting {
	int protocol;
	const char *program; /* the version of cctr */
	uint64_t
		silence_ns; /* after that long without a message the other side is gone */
	/* how long an outcome by a signal from outside is held back */
	uint64_t doubt_ns;
	bool wants_topology; /* else the numbers of processors are enough */
	bool wants_gpus; /* else they are not looked for */
	const char *witness; /* a file that cctr wrote in the build tree */
	const char *const *environment; /* the base of those of launches: variables.h */
};
struct hello {
	int protocol;
	const char *program;
	const char *host;
	int processors; /* that the agent may use */
	int confined; /* the same, where others of the machine are not the agent's; else 0
		       */
	struct field_numbers places; /* node_processors.h */
	struct str_list gpus; /* node_gpus.h */
	uint64_t memory_bytes; /* that the agent may use; 0: not known */
	struct str witness; /* its content, as the agent sees it */
	int witness_error; /* an errno: the agent cannot read it */
};
struct message {
	enum message_kind kind;
	int task; /* the number that cctr gave to the attempt of a test */
	int signal, error, pid;
	int talk; /* of TALK: the number that the agent gave to it */
	uint64_t timeout_ns;
	uint64_t beat; /* of HEARTBEAT: a number; of an answer the same, else 0 */
	bool restarts; /* of LIMIT */
	bool is_limit; /* of FATE: at a limit, as another job would */
	bool is_failed; /* of VERDICT */
	int64_t age_us; /* of OUTCOME: how long ago the process was started */
	struct str text;
	struct field_numbers processors; /* the test's own, ascending; none: all */
	struct greeting greeting;
	struct hello hello;
	/* path, argv, environment, directory, timeout_ns, timeout_signal,
	 * timeout_grace_ns, temporary_mark, keeps_failed_temporary, reports_hang and
	 * pmix_ranks */
	struct launch launch;
	struct outcome outcome; /* without output and what was found in it */
};

/* Adds the message to the bytes. */
void message_write(struct buf *b, const struct message *m);

enum message_reading { MESSAGE_WHOLE, MESSAGE_INCOMPLETE, MESSAGE_BAD };
/* Takes the first message from the bytes; texts are in the arena, or in the bytes.
 * MESSAGE_INCOMPLETE: nothing is taken. MESSAGE_BAD: *why says what is wrong. */
enum message_reading message_read(
	struct arena *a, struct str *bytes, struct message *m, const char **why);

#endif
