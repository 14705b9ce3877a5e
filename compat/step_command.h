/* The command of a step: configure, build. Its output is one stream. */
#ifndef CCTR_COMPAT_STEP_COMMAND_H
#define CCTR_COMPAT_STEP_COMMAND_H

#include "runner/base.h"

/* How it ended, as ctest counts it. */
enum step_exception {
	EXCEPTION_NONE,
	EXCEPTION_FAULT,
	EXCEPTION_ILLEGAL,
	EXCEPTION_INTERRUPT,
	EXCEPTION_NUMERICAL,
	EXCEPTION_OTHER
};
struct step_command {
	struct str line; /* cut into words as CTestCustom's commands are */
	/* What came since the last call; all of it so far is in output. */
	void (*more)(void *context, struct str text, size_t total);
	void *context;
	/* Filled: */
	struct buf output; /* in the arena that is set before */
	int error; /* the errno with which it was not started; 0: it was */
	enum step_exception exception;
	int exit_code;
};
/* Waits for its end; the output may be held open by what it started. */
void step_command_run(struct arena *a, struct step_command *c);

#endif
