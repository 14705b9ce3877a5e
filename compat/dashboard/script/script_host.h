/*
 * The cmake process that evaluates one dashboard script, and the server that it calls:
 * each ctest_* command of the script comes here as data, and the reply sets variables.
 * cmake/CctrScript.cmake is the other side.
 *
 * cmake's standard error is passed on without delay, with call stacks as ctest shows
 * them; its standard output is its own.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_HOST_H
#define CCTR_COMPAT_DASHBOARD_SCRIPT_SCRIPT_HOST_H

#include "compat/console/console.h"
#include "runner/base/environment.h"
#include "runner/cmakelang/cmake_frames.h"
#include "runner/model/source.h"

struct script_call {
	struct str command; /* lower case */
	struct str_list words;
	struct variable *variables; /* the caller's CTEST_* variables */
	size_t variables_n;
	const char *const *environment; /* the caller's; NULL: not known */
	size_t errors; /* errors that cmake has printed so far */
};
/* The value of the variable, or STR_NONE. */
struct str script_variable(const struct script_call *call, const char *name);
/* Parses a record of CctrScript.cmake. false: it is malformed. */
CCTR_MUST_CHECK bool script_call_parse(
	struct arena *a, struct str record, struct script_call *call);

/* For a caller that is not cmake: called at once. */
struct script_listener {
	void (*set)(void *context, struct str name, struct str value);
	void (*error)(void *context, struct str text);
	void (*files)(void *context, const struct str_list *files);
	void (*end)(void *context);
	void *context;
};

/* What the command sets in its caller's scope. */
struct script_reply {
	struct buf text;
	const struct script_listener *listener; /* NULL: cmake reads the text */
	size_t errors;
	bool has_error; /* the script raised an error, or it was printed elsewhere */
};
void script_reply_set(struct script_reply *r, struct str name, struct str value);
void script_reply_unset(struct script_reply *r, struct str name);
/* Changes the script's environment. A listener is in cctr's own, which main has set. */
void script_reply_environment(struct script_reply *r, const environment_changes *changes);
/* "CMake Error at ... (COMMAND):\n  text", after the earlier parts of the reply. */
void script_reply_error(struct script_reply *r, struct str text);
/* After raising the errors, the command calls again: _cctr_go_on. */
void script_reply_go_on(struct script_reply *r);
/* The script ends with this command. */
void script_reply_end(struct script_reply *r);
/* Files that the command includes in its caller's scope. */
void script_reply_files(struct script_reply *r, const struct str_list *files);

enum script_host_kind {
	HOST_CMAKE, /* cmake -P: an error of any command ends the script */
	/* cmake -N -C: continues after errors, but has no cmake_language(EXIT). */
	HOST_CMAKE_NORMAL,
	HOST_CTEST, /* ctest -S: behaves exactly as needed */
};

struct script_job {
	struct arena *arena;
	struct console *console;
	struct str share; /* cctr's own .cmake files */
	struct str file; /* the script, absolute */
	struct str start; /* commands that set the script's initial variables */
	const char *const *environment;
	bool shows_status; /* message(STATUS) */
	enum script_host_kind kind;
	/* The limit of recursion. It changes while the script runs; set from the
	 * beginning: no command may run. */
	const struct cmake_limit *limit;
	void (*answer)(void *context, const struct script_call *call,
		struct script_reply *reply);
	void *context;
};
struct script_end {
	int status; /* as from waitpid */
	size_t errors; /* of commands; HOST_CMAKE_NORMAL has no status for them */
	int interrupted; /* the signal on which cctr stopped waiting, or 0 */
	bool has_chosen; /* with HOST_CMAKE: cmake_language(EXIT) ended it */
	int chosen;
};
/* false after diag_error: cmake was not found, or could not be started. */
CCTR_MUST_CHECK bool script_host(
	const struct script_job *job, struct script_end *end, struct diag *d);

#endif
