/*
 * The cmake process that evaluates one dashboard script, and the server that it calls:
 * each ctest_* command of the script comes here as data, and variables go back.
 * cmake/CctrScript.cmake is the other side.
 *
 * What cmake says on standard error is passed on as it comes, with call stacks as ctest
 * shows them; standard output is its own.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_HOST_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_HOST_H

#include "compat/console/console.h"
#include "runner/cmakelang/cmake_frames.h"
#include "runner/model/source.h"

struct script_call {
	struct str command; /* lower case */
	struct str_list words;
	struct variable *variables; /* CTEST_* of the caller */
	size_t variables_n;
	const char *const *environment; /* of the caller, or NULL: not told */
	size_t errors; /* that cmake has said so far */
};
/* The variable's value, or STR_NONE. */
struct str script_variable(const struct script_call *call, const char *name);
/* The record of CctrScript.cmake; false when it is malformed. */
CCTR_MUST_CHECK bool script_call_parse(
	struct arena *a, struct str record, struct script_call *call);

/* Of a caller that is no cmake: it is told at once. */
struct script_listener {
	void (*set)(void *context, struct str name, struct str value);
	void (*error)(void *context, struct str text);
	void (*files)(void *context, const struct str_list *files);
	void *context;
};

/* What the command leaves in the scope of its caller. */
struct script_reply {
	struct buf text;
	const struct script_listener *listener; /* NULL: cmake reads the text */
	size_t errors;
	bool has_error; /* an error of the script was raised, or said elsewhere */
};
void script_reply_set(struct script_reply *r, struct str name, struct str value);
void script_reply_unset(struct script_reply *r, struct str name);
/* "CMake Error at ... (COMMAND):\n  text", behind what is replied before. */
void script_reply_error(struct script_reply *r, struct str text);
/* When those are raised, the command asks again: _cctr_go_on. */
void script_reply_go_on(struct script_reply *r);
/* The script ends with this command. */
void script_reply_end(struct script_reply *r);
/* Files that the command includes for its caller. */
void script_reply_files(struct script_reply *r, const struct str_list *files);

enum script_host_kind {
	HOST_CMAKE, /* cmake -P: an error of any command ends the script */
	/* cmake -N -C: it goes on, but knows no cmake_language(EXIT). */
	HOST_CMAKE_NORMAL,
	HOST_CTEST, /* ctest -S: as it should be */
};

struct script_job {
	struct arena *arena;
	struct console *console;
	struct str share; /* cctr's own .cmake files */
	struct str file; /* the script, absolute */
	struct str start; /* commands that set what a script finds set */
	const char *const *environment;
	bool shows_status; /* message(STATUS) */
	enum script_host_kind kind;
	/* Of recursion. It changes while the script runs; set from the beginning: no
	 * command may run. */
	const struct cmake_limit *limit;
	void (*answer)(void *context, const struct script_call *call,
		struct script_reply *reply);
	void *context;
};
struct script_end {
	int status; /* as waitpid gives it */
	size_t errors; /* of commands; HOST_CMAKE_NORMAL has no status for them */
	int interrupted; /* the signal that ended cctr's patience, or 0 */
};
/* false after diag_error: no cmake, or it could not be started. */
CCTR_MUST_CHECK bool script_host(
	const struct script_job *job, struct script_end *end, struct diag *d);

#endif
