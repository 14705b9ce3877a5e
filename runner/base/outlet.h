/*
 * A descriptor for output that may have a reader: a pipe, a terminal, a socket. A reader
 * that does not read must not stop the caller. Therefore text is written only where there
 * is room for it; the rest waits in a queue, in order.
 *
 * O_NONBLOCK belongs to the open file description, which other programs share. A pipe or
 * a terminal is therefore opened once more by its name in /proc; a socket takes a flag
 * with each call; where neither is possible, poll tells whether there is room for
 * PIPE_BUF bytes. A regular file always has room, and is written at once.
 */
#ifndef CCTR_RUNNER_BASE_OUTLET_H
#define CCTR_RUNNER_BASE_OUTLET_H

#include "runner/base/text_queue.h"

enum outlet_kind {
	OUTLET_OWN, /* a description of our own, non-blocking */
	OUTLET_SOCKET,
	OUTLET_SHARED, /* a description shared with others, perhaps blocking */
	OUTLET_PLAIN /* it has no reader: a file, /dev/null */
};

struct outlet {
	enum outlet_kind kind;
	int fd;
	bool is_terminal;
	bool is_pending; /* the queue holds text */
	bool is_left; /* the reader went away: text is dropped */
	bool had_broken_pipe; /* the reader went away, which raises SIGPIPE */
	int error; /* the first error that lost text; 0: none */
	struct text_queue queue;
};

/* fd is borrowed and is not closed. */
struct outlet outlet_open(int fd, const char *directory);
void outlet_close(struct outlet *o);
/* Writes all of the text, now or in later calls of outlet_push. */
void outlet_put(struct outlet *o, struct str text);
/* Writes as much of the queue as there is room for. */
void outlet_push(struct outlet *o);

#endif
