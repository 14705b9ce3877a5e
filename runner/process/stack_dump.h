/*
 * The stacks of all threads of some processes, by a debugger that the machine has:
 * eu-stack, gdb or gstack. The debugger is asked for one process after the other, each
 * for a limited time, while the loop goes on.
 */
#ifndef CCTR_RUNNER_PROCESS_STACK_DUMP_H
#define CCTR_RUNNER_PROCESS_STACK_DUMP_H

#include "runner/base/loop.h"
#include "runner/process/process.h"

/* At most so much of each. */
enum {
	STACK_BYTES_MOST = 1 << 18, /* of a process */
	STACK_SECONDS_MOST = 5, /* for a process */
	STACK_ALL_SECONDS_MOST = 15, /* for the processes of one dump */
};

struct stack_dump_options {
	struct loop *loop;
	struct process_starter *starter;
	struct process_scope *scope; /* where processes of the debugger are found */
	void (*done)(void *context); /* all processes have been looked at */
	void *context;
};
struct stack_dump;

/* For one dump after the other. */
struct stack_dump *stack_dump_new(struct arena *a, const struct stack_dump_options *o);
/* Adds a section for each process to out, which must live until the dump is done or
 * stopped; pids are copied. false: the machine has no debugger, or no process could be
 * looked at; done is not called. */
bool stack_dump_begin(struct stack_dump *d, const int *pids, size_t n, struct buf *out);
/* true: the child that was reaped is the dump's debugger. */
bool stack_dump_reaped(struct stack_dump *d, const struct process_end *end);
/* Kills the debugger if it runs; done is not called then. */
void stack_dump_stop(struct stack_dump *d);

#endif
