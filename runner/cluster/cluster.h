/*
 * Batch systems: who gives nodes to a run.
 *
 * A batch system says the words of its commands and reads what they print; it starts
 * nothing and waits for nothing. So the caller decides how long a command may take, and
 * nothing holds up the tests. What a command prints decides, never its exit code alone.
 */
#ifndef CCTR_RUNNER_CLUSTER_CLUSTER_H
#define CCTR_RUNNER_CLUSTER_CLUSTER_H

#include "runner/base/diag.h"
#include "runner/cluster/cluster_settings.h"

/* What a job has on one of its nodes. */
struct cluster_node {
	struct str name;
	uint64_t processors;
	uint64_t memory_bytes; /* 0: the batch system does not count it */
	struct str_list gpus; /* the numbers that the batch system calls them by */
	uint64_t tmp_bytes; /* 0: it is not asked for */
};

/* Nodes that a batch system has given. */
struct cluster_job {
	const struct batch_system *system;
	const struct cluster_settings *settings; /* given to read_job; NULL: none */
	struct str id;
	struct cluster_node *nodes;
	size_t nodes_n;
	/* Starts an agent on a node: see struct remote_options. */
	struct str_list launcher;
};

/* What cctr asks for. An amount of 0 is not asked for. */
struct cluster_request {
	const struct cluster_settings *settings;
	struct str name; /* of the job */
	/* So many parts, each on one node, which may have several of them; of each: */
	uint64_t nodes;
	uint64_t processors, memory_bytes, tmp_bytes, gpus;
	uint64_t whole_nodes; /* at least so many nodes, each as a whole */
	uint64_t seconds; /* the longest time */
	uint64_t nice; /* jobs with less go first */
	struct str_list options; /* words of the user for the asking command */
};

enum job_state {
	JOB_WAITS,
	JOB_RUNS,
	JOB_NEVER_FITS, /* it waits for what will never be */
	JOB_LOST, /* it has ended, and another one may be asked for */
	JOB_FAILED, /* it has ended, and another one would end like it */
	JOB_EXCEEDED, /* the same, after it ran: at a limit of time or memory */
	JOB_UNKNOWN /* the batch system does not know it (any more) */
};
struct job_report {
	enum job_state state;
	struct str reason; /* in the batch system's words */
};

/* Where a function returns false, *why is a phrase: why not. */
struct batch_system {
	const char *name; /* for --engine */
	const char *title; /* for messages */
	/* It counts the GPUs of a job, and does not say which they are. */
	bool counts_gpus;
	/* How to get a job whose processors are on one node, if that is not certain: a
	 * phrase. NULL: it is. */
	const char *one_node;

	/* The job that cctr runs in, by our environment; STR_NONE: in none. */
	struct str (*inside)(const char *const *environment);
	/* The command that prints what the job has. No words: the environment says all,
	 * and read_job gets no text. */
	struct str_list (*show_job)(
		struct arena *a, struct str id, const char *const *environment);
	/* Fills the job of that id. */
	bool (*read_job)(struct arena *a, struct str id, const char *const *environment,
		struct str text, struct cluster_job *job, const char **why);

	/* A command that succeeds only if the batch system is there. */
	struct str_list (*probe)(struct arena *a);
	/* The command that asks for a job, and returns at once. */
	struct str_list (*ask)(struct arena *a, const struct cluster_request *r);
	/* Where that command does not say why it was refused, the command that does.
	 * NULL: it says so itself. */
	struct str_list (*ask_why)(struct arena *a, const struct cluster_request *r);
	/* The reason in what such a command writes to standard error. NULL: it is the
	 * last line. */
	struct str (*read_refusal)(struct arena *a, struct str text);
	/* What it prints: the id of the job. */
	bool (*read_answer)(
		struct arena *a, struct str text, struct str *id, const char **why);
	/* The command that prints the states of the jobs; there is one at least. */
	struct str_list (*show_states)(struct arena *a, struct str_list ids);
	/* Gives reports[i] to ids.v[i]. false: the text is no answer, and the jobs are as
	 * they were. */
	bool (*read_states)(struct arena *a, struct str text, struct str_list ids,
		struct job_report *reports, const char **why);
	/* The command that prints why a job that waits does so, and what it prints;
	 * STR_NONE: it does not say. NULL: the state has the reason. */
	struct str_list (*show_reason)(struct arena *a, struct str id);
	struct str (*read_reason)(struct arena *a, struct str text);
	/* The command that prints what became of a job, of that name, which is in no list
	 * of states any more. It may know of the job only after a while. NULL: show_job.
	 */
	struct str_list (*show_end)(struct arena *a, struct str id, struct str name);
	/* What became of a job that ran, by what that command prints; JOB_WAITS: it will
	 * say so soon. */
	struct job_report (*read_end)(struct arena *a, struct str id, struct str text);
	uint64_t end_ns; /* how long it may take until it says so */
	/* How long it may take such a job for one that runs. */
	uint64_t doubt_ns;
	/* The variables, "NAME=VALUE", that a launcher of the batch system needs in a
	 * test which has these nodes of the job; the file has their names, one a line.
	 * NULL: none. */
	struct str_list (*nested)(struct arena *a, const struct cluster_job *job,
		struct str_list nodes, struct str file);
	/* The command that gives back all jobs of that name, in whatever state they are.
	 */
	struct str_list (*give_back_named)(struct arena *a, struct str name);
	/* Whether that command has failed since there are no such jobs, by what it has
	 * printed. NULL: then it succeeds. */
	bool (*knows_none)(struct str text);
};

/* How the commands of a batch system are run. */
struct cluster_access {
	const struct batch_system *system;
	const struct cluster_settings *settings;
	uint64_t patience_ns; /* for an answer */
};

/* ---- for batch systems ----------------------------------------------------------- */

/* The value of the variable; STR_NONE: it is not set, or empty. */
struct str cluster_variable(const char *const *environment, const char *name);
/* CLUSTER_WORDS(a, "squeue", "-h") is a list of words. */
struct str_list cluster_words(struct arena *a, const char *const *words, size_t n);
#define CLUSTER_WORDS(a, ...)                                                            \
	cluster_words((a), (const char *const[]){__VA_ARGS__},                           \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

#endif
