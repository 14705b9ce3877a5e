/*
 * cctr -S: dashboard scripts, one behind the other, each evaluated by cmake and served
 * from here. ctest(1), "Dashboard Client via CTest Script".
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_H

#include "compat/console/console.h"
#include "compat/dashboard/script/script_depth.h"
#include "compat/dashboard/script/script_host.h"

struct dashboard;
struct step_request;
struct custom_reading;
struct script_start;
struct test_inputs;

struct scripts {
	struct arena *arena;
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	struct str share; /* cctr's own .cmake files */
	const struct test_inputs *inputs; /* for ctest_test */
	struct dashboard *dashboard; /* NULL before the first step */
	struct custom_reading *reading; /* files of ctest_read_custom_files */
	struct script_start *starts; /* calls of ctest_start that read their files */
	struct step_request *waiting; /* its arguments' errors are being raised */
	/* What the variables of a script said could not be done, and no other script was
	 * read since. */
	bool has_failed;
	char *const *argv; /* cctr's own, for a process of its own */
	int64_t started_s; /* of the script that runs */
	uint64_t started_ns; /* the same by loop_now_ns */
	struct script_depth depth, below; /* of it; of the next one that it runs */
	bool is_running, is_started; /* a script; its dashboard, by ctest_start */
	int interrupted; /* the signal that ended a script early */
};
/* All of the command line's. What the process exits with: 0, 255 after an error, or what
 * cmake_language(EXIT) says. */
int script_mode(struct scripts *s);
/* One script, "FILE[,ARGUMENT]": 0, -1 after an error, or a status. environment: NULL is
 * cctr's own. */
int script_run(struct scripts *s, struct str script, const char *const *environment);
/* The file that it names is there. */
bool script_exists(struct scripts *s, struct str script);
/* The same in another cctr; its exit code. */
int script_run_process(
	struct scripts *s, struct str script, const char *const *environment);

/* Until then, or a signal. */
void script_sleep(struct scripts *s, int64_t seconds);
/* Removes a build tree, its cache last; why it could not, or NULL. */
const char *script_why_not_emptied(struct arena *a, struct str path);

/* The script is over: files that are still being read have ended it. */
void script_custom_end(struct scripts *s);
/* So have those of ctest_start, which ends itself. */
void script_starts_end(struct scripts *s);
/* Those of another script, or NULL for one that begins. */
void script_starts_set(struct scripts *s, struct script_start *starts);

/* A command of a script. */
struct script_command {
	struct scripts *scripts;
	const struct script_call *call;
	struct script_reply *reply;
};
void script_answer(struct script_command *c);

#endif
