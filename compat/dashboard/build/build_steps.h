/*
 * What the steps of --build-and-test share: where their texts go, the remaining time, and
 * how each runs a program.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_STEPS_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_STEPS_H

#include "compat/console/console.h"
#include "compat/launch/executable.h"
#include "compat/options/options.h"
#include "runner/process/command.h"

struct build_session {
	struct arena *arena;
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	struct str source, binary; /* full paths */
	struct str configuration;
	const char *const *environment; /* of all programs; NULL: ours */
	struct executable_finder *finder;
	uint64_t began_ns;
	/* Until 4.0 everything is printed at the end; after a timeout only its message is
	 * printed. */
	struct buf said;
	int interrupted; /* the signal that ended a program; 0: none */
};

void build_say(struct build_session *s, struct str text);
void build_fmt(struct build_session *s, const char *fmt, ...) CCTR_PRINTF(2, 3);
/* Lists the places where a missing program was looked for: at once, like all messages
 * about tests. */
void build_say_search(
	struct build_session *s, struct str word, const struct executable_search *search);
/* true: programs can be started in the directory, a full path. false: see errno. */
bool build_can_enter(const struct build_session *s, struct str directory);
/* Reports the errno of entering the directory; before: the text that replaces it before
 * 4.0. Always false. */
bool build_not_entered(struct build_session *s, struct str directory, struct str before);
/* Nanoseconds until the limit; NO_TIMEOUT: no limit; 0: it is over. */
uint64_t build_time_left(const struct build_session *s);
/* Prints "timeout exceeded". Always false. */
bool build_timed_out(struct build_session *s);

/* Each prints its messages. false: exit with EXIT_USAGE. */
bool build_configure(struct build_session *s);
bool build_targets(struct build_session *s);
/* *path: the program of the test command. */
bool build_find_test(struct build_session *s, struct str *path);
bool build_run_test(struct build_session *s, struct str path);

#endif
