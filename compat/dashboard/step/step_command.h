/* The command of a step: configure, build. See step.h. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_STEP_COMMAND_H
#define CCTR_COMPAT_DASHBOARD_STEP_STEP_COMMAND_H

#include "compat/dashboard/step/step.h"
#include "runner/process/command.h"

/* How it ended, as ctest counts it. */
enum step_exception {
	EXCEPTION_NONE,
	EXCEPTION_FAULT,
	EXCEPTION_ILLEGAL,
	EXCEPTION_INTERRUPT,
	EXCEPTION_NUMERICAL,
	EXCEPTION_OTHER,
	EXCEPTION_OTHER_NOW /* since 3.29 another one stands before it */
};
enum { STEP_CHUNK = 1024, STEP_CHUNK_MOST = 65536 };

/* One at least; cut from a line as CTestCustom's commands are. */
struct step_command {
	struct str_list words;
	enum launch_streams streams;
	/* What came, with an end of line for each NUL: STEP_CHUNK bytes at most, since
	 * 3.29 STEP_CHUNK_MOST. */
	void (*chunk)(void *context, bool is_error, struct str text);
	/* Behind the chunks of what was there at once; may be NULL. */
	void (*pause)(void *context);
	void *context;
	bool tells_signals; /* by their numbers, where the dialect does (3.29) */
	/* Filled: */
	bool was_started, was_interrupted; /* was_started: and its output was read */
	bool was_refused; /* error is no rights, but not to the program */
	int error; /* the errno with which it was not; 0: it was */
	int exception; /* or the signal; 0: none */
	int exit_code;
	size_t chunk_most;
};
/* Says what it runs, waits for its end and for those who hold its output. An interrupt
 * goes to it, and into the dashboard. */
void step_command_run(struct dashboard *d, struct step_command *c);
/* "Command exited with the value", "There was an exception". */
void step_command_say_end(struct dashboard *d, const struct step_command *c);
/* Nothing is known of the command, though nothing is wrong with the command itself: no
 * descriptor, process or memory was free, or its output could not be read. The step then
 * fails. */
bool step_command_is_lost(const struct step_command *c);
/* For RETURN_VALUE: what it returned, or its exception. */
int step_command_value(const struct step_command *c);

#endif
