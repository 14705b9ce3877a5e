/*
 * What the steps of --build-and-test share: where their texts go, how much time is left,
 * and how each runs a program.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_STEPS_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_STEPS_H

#include "compat/console/console.h"
#include "compat/launch/executable.h"
#include "runner/process/command.h"

struct build_session {
	struct arena *arena;
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	struct str source, binary; /* full paths */
	struct str configuration;
	struct executable_finder *finder;
	uint64_t began_ns;
	/* Until 4.0 all is said in the end, and a limit that is over is all that is said.
	 */
	struct buf said;
	int interrupted; /* the signal that ended a program, 0 for none */
};

void build_say(struct build_session *s, struct str text);
void build_fmt(struct build_session *s, const char *fmt, ...) CCTR_PRINTF(2, 3);
/* Whatever was not said yet. */
void build_flush(struct build_session *s);
/* Where a program was looked for in vain: at once, like all that is said of tests. */
void build_say_search(
	struct build_session *s, struct str word, const struct executable_search *search);
/* errno says why a directory was not entered; before: what stands for it before 4.0.
 * Always false. */
bool build_not_entered(struct build_session *s, struct str directory, struct str before);
/* Nanoseconds until the limit; NO_TIMEOUT without one, 0 when it is over. */
uint64_t build_time_left(const struct build_session *s);
/* "timeout exceeded"; always false. */
bool build_timed_out(struct build_session *s);

/* Each says what it does; false: that was it, exit with EXIT_USAGE. */
bool build_configure(struct build_session *s);
bool build_targets(struct build_session *s);
/* *path gets the program of the test command. */
bool build_find_test(struct build_session *s, struct str *path);
bool build_run_test(struct build_session *s, struct str path);

#endif
