/* What the scripts of a command line share; one command of a script. */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STATE_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_STATE_H

#include "compat/dashboard/script/script_host.h"
#include "compat/dashboard/step/dashboard.h"
#include "runner/cmakelang/cmake_frames.h"

struct step_request;
struct custom_reading;
struct script_start;
struct depth_files;

/* How deep the commands of one script are nested: script_depth.h. */
struct script_depth {
	uint64_t around; /* commands of other scripts around it, as ctest counts them */
	/* The last limit set for files. Set from the beginning: none of its commands may
	 * run. */
	struct cmake_limit limit;
	const struct depth_files *files; /* files that are being read, or NULL */
	uint64_t left; /* the limit of files that have been read, or 0 */
};
/* What belongs to the script that runs, and is put aside while it runs another one. */
struct script_frame {
	bool is_running; /* false: no script runs yet */
	int64_t started_s;
	uint64_t started_ns; /* the same time by loop_now_ns */
	struct script_depth depth;
	struct custom_reading *reading; /* files of ctest_read_custom_files */
	struct script_start *starts; /* calls of ctest_start that read their files */
};
struct scripts {
	struct arena *arena;
	const struct options *options;
	const struct dialect *dialect;
	struct console *console;
	const struct test_inputs *inputs;
	struct dashboard *dashboard; /* NULL before the first step */
	struct step_request *waiting; /* call whose argument errors are being raised */
	/* The variables of a script asked for something that failed, and no other script
	 * was read since. */
	bool has_failed;
	/* The last CTEST_CONFIGURATION_TYPE of a command, which later scripts and
	 * commands have, too; STR_NONE: that of the options. */
	struct str configuration;
	char *const *argv; /* cctr's own, to start another process */
	struct script_frame frame;
	struct script_depth below; /* of the next script that the running one runs */
	bool is_started; /* the outermost script has called ctest_start */
	int interrupted; /* the signal that ended a script early */
};
/* A command of a script. */
struct script_command {
	struct scripts *scripts;
	const struct script_call *call;
	struct script_reply *reply;
	bool is_after_error; /* the script has raised an error before */
};

/* The dashboard of the process: a script continues what an earlier script started. */
struct dashboard *script_dashboard(struct scripts *s);
/* The absolute path, relative to the directory where the script runs. As in ctest, each
 * backslash is a slash, and "~" and "~name" are homes. */
struct str script_path(struct scripts *s, struct str path);
/* The configuration of the next script or command; its address is NULL if none was ever
 * given. */
struct str script_configuration(const struct scripts *s);
/* Waits this long, or until a signal. */
void script_sleep(struct scripts *s, int64_t seconds);
/* Removes a build tree, its cache last. Returns why it could not, or NULL. */
const char *script_why_not_emptied(struct arena *a, struct str path);

#endif
