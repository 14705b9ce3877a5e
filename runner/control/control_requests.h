/*
 * What is asked of a run: one line of JSON each. Help/manual/cctr-control.7.rst.
 */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_REQUESTS_H
#define CCTR_RUNNER_CONTROL_CONTROL_REQUESTS_H

#include "runner/lease/lease.h"

enum { CONTROL_VERSION = 1, CONTROL_LINE_MOST = 1 << 16, CONTROL_TAIL_MOST = 1 << 16 };

enum control_verb {
	CONTROL_HELLO,
	CONTROL_PS,
	CONTROL_WHY, /* test */
	CONTROL_TAIL, /* test, bytes */
	CONTROL_CANCEL, /* test */
	CONTROL_RETRY, /* test */
	CONTROL_LIMIT, /* test, seconds */
	CONTROL_PAUSE,
	CONTROL_RESUME,
	CONTROL_STOP,
	CONTROL_PARTITIONS,
	CONTROL_WAIT, /* test, partition and state, or the whole run */
	CONTROL_RECONFIG, /* stop, start, now, cancel */
	/* Of tests alone; in the order of enum lease_verb. */
	CONTROL_ALLOC_NEW,
	CONTROL_ALLOC_EXTEND,
	CONTROL_ALLOC_RELEASE,
	CONTROL_ALLOC_LEND,
	CONTROL_ALLOC_REACQUIRE,
	CONTROL_ALLOC_CANCEL,
	CONTROL_ALLOC_QUERY,
	CONTROL_ALLOC_WAIT,
	CONTROL_VERBS
};

struct control_request {
	enum control_verb verb;
	struct str test; /* its name or number; STR_NONE: none */
	double seconds; /* later or, where negative, earlier */
	size_t bytes; /* at most */
	/* Of leases: */
	struct str token, id, resources, wish, fixture; /* STR_NONE: none */
	bool is_immediate; /* of CONTROL_RECONFIG: "now" */
	bool awaits; /* the answer comes when the request is no longer pending */
	bool blocks; /* as awaits, and the client does nothing else meanwhile */
	/* Of partitions: */
	struct str partition, state; /* STR_NONE: none */
	str_vec stop, start;
	bool calls_off;
};

static inline bool
control_is_alloc(enum control_verb v)
{
	return v >= CONTROL_ALLOC_NEW && v <= CONTROL_ALLOC_WAIT;
}

/* Whether requests of the verb name a test: never, always, or if they like. */
enum control_wants { WANTS_NO_TEST, WANTS_TEST, MAY_HAVE_TEST };
enum control_wants control_verb_wants(enum control_verb v);
/* CONTROL_VERBS: there is none of that name. */
enum control_verb control_verb_named(struct str name);

/* false: *why is a sentence. */
bool control_read(
	struct arena *a, struct str line, struct control_request *q, const char **why);
/* As control_read reads it, with a newline. */
void control_write(struct buf *b, const struct control_request *q);

#endif
