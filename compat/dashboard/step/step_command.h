/* The command of a step: configure, build. See step.h. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_STEP_COMMAND_H
#define CCTR_COMPAT_DASHBOARD_STEP_STEP_COMMAND_H

#include "compat/dashboard/step/step.h"
#include "runner/process/command.h"

/* How the command ended, in ctest's terms. */
enum step_exception {
	EXCEPTION_NONE,
	EXCEPTION_FAULT,
	EXCEPTION_ILLEGAL,
	EXCEPTION_INTERRUPT,
	EXCEPTION_NUMERICAL,
	EXCEPTION_OTHER,
	EXCEPTION_OTHER_NOW /* since 3.29 the number is one higher */
};
enum { STEP_CHUNK = 1024, STEP_CHUNK_MOST = 65536 };

/* At least one word; split from a line like CTestCustom's commands. */
struct step_command {
	struct str_list words;
	const char *const *environment; /* NULL: ours */
	enum launch_streams streams;
	/* Gets the output, with a newline for each NUL: at most STEP_CHUNK bytes, since
	 * 3.29 STEP_CHUNK_MOST. */
	void (*chunk)(void *context, bool is_error, struct str text);
	/* Called after all chunks that came at once; may be NULL. */
	void (*pause)(void *context);
	void *context;
	bool tells_signals; /* reports signals by number, in dialects that do (3.29) */
	/* Filled: */
	bool was_started; /* and its output was read */
	int interrupted; /* the signal that interrupted it, or 0 */
	bool was_refused; /* a permission is missing, but not for the program */
	int error; /* errno of a failed start; 0: it was started */
	int exception; /* or the signal; 0: none */
	int exit_code;
	size_t chunk_most;
};
/* Prints the command, runs it, and waits for its end and for all processes that hold its
 * output. An interrupt is passed on to it. */
void step_command_run(const struct step_input *in, struct step_command *c);
/* Prints "Command exited with the value" or "There was an exception". */
void step_command_say_end(const struct step_input *in, const struct step_command *c);
/* true: the result is unknown, without a fault of the command: no descriptor, process or
 * memory was free, or its output could not be read. The step then fails. */
bool step_command_is_lost(const struct step_command *c);
/* For a command whose failure ends nothing: prints that its result is lost and notes the
 * loss, if it is unknown as in step_command_is_lost, or a signal ended the command. Of
 * the words the first two are shown. */
void step_note_lost_result(const struct step_input *in, const struct str_list *words,
	const struct command_end *end);
/* For RETURN_VALUE: the exit code, or the exception. */
int step_command_value(const struct step_command *c);

#endif
