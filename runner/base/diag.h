/*
 * What went wrong and where, reported once. The function that detects an error records
 * it; its callers return; main prints. A place is a value, not text, so that compat/ can
 * spell it as CMake does.
 */
#ifndef CCTR_RUNNER_BASE_DIAG_H
#define CCTR_RUNNER_BASE_DIAG_H

#include "runner/base/base.h"

/* One frame of a CMake call stack. All of it may be absent (zero). */
struct place {
	struct str file;
	unsigned line;
	struct str command; /* the CMake command being executed, "" for none */
	const struct place *caller; /* next outer frame, NULL at the outermost */
};

/* The CMake kinds are those of message(); compat/ spells them. */
enum diag_kind {
	DIAG_ERROR, /* one line: what could not be done, with what, why */
	DIAG_WARNING, /* one line */
	DIAG_NOTE, /* text that is printed unchanged on stderr */
	DIAG_RAISED, /* as DIAG_NOTE, an error of CMake that a script sees */
	DIAG_OUTPUT, /* text that is printed unchanged on stdout */
	DIAG_STATUS, /* as DIAG_OUTPUT, but not in quiet output */
	DIAG_DETAIL, /* as DIAG_OUTPUT, only in verbose output */
	DIAG_CMAKE_FATAL, /* message(FATAL_ERROR), failed commands: "CMake Error at" */
	DIAG_CMAKE_ERROR, /* message(SEND_ERROR): spelled like a fatal error */
	DIAG_CMAKE_WARNING, /* "CMake Warning at" */
	DIAG_CMAKE_AUTHOR, /* "CMake Warning (dev) at" */
	DIAG_CMAKE_POLICY, /* as DIAG_CMAKE_AUTHOR, because a policy is not set */
	DIAG_CMAKE_DEPRECATION, /* message(DEPRECATION): "CMake Deprecation Warning at" */
	DIAG_CMAKE_MESSAGE, /* message("text"), NOTICE: the text and a newline */
	DIAG_KINDS
};

struct diag_entry {
	enum diag_kind kind;
	struct place at;
	struct str text;
};
struct diag {
	struct arena *arena;
	VEC(struct diag_entry) entries;
	size_t errors; /* DIAG_ERROR, DIAG_CMAKE_FATAL and DIAG_CMAKE_ERROR */
	size_t unreadable; /* files that exist and cannot be read */
	size_t shown; /* entries that the user has seen */
};

struct diag diag_in(struct arena *a);
/* Records an error; always false, so that "return diag_error(...)" fails. */
bool diag_error(struct diag *d, struct place at, const char *fmt, ...) CCTR_PRINTF(3, 4);
/* As diag_error, of a file: what could not be done, and the errno. */
bool diag_system(struct diag *d, struct str file, const char *what, int error);
/* Records that an existing file cannot be read; always false. The caller must not go on
 * as if there were no such file. */
bool diag_unreadable(struct diag *d, struct str file, int error);
void diag_warning(struct diag *d, struct place at, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
void diag_add(struct diag *d, enum diag_kind kind, struct place at, struct str text);
bool diag_is_error(enum diag_kind kind);
#define NO_PLACE ((struct place){.line = 0})

#endif
