/*
 * Which ctest: every behaviour that changed between releases, named once, with the release
 * since which it holds. Code asks the dialect, never a version number.
 */
#ifndef CCTR_COMPAT_DIALECT_H
#define CCTR_COMPAT_DIALECT_H

#include "runner/base.h"
#include "runner/diag.h"

enum dialect_feature {
	/* "P% tests passed out of T" when nothing failed (4.4) */
	DIALECT_SHORT_SUMMARY,
	/* labels behind the names of failed tests (3.31) */
	DIALECT_FAILED_LABELS,
	/* option table with --opt=value, unknown arguments refused by arity (4.0) */
	DIALECT_OPTION_TABLE,
	/* unknown "-..." arguments are errors (3.30) */
	DIALECT_UNKNOWN_OPTIONS_REFUSED,
	/* -j without value, -j0, empty CTEST_PARALLEL_LEVEL (3.29) */
	DIALECT_PARALLEL_DEFAULT,
	/* a dependency cycle fails the run (3.30) */
	DIALECT_CYCLE_FAILS,
	/* add one row per difference: see compat/dialect.c */
	DIALECT_FEATURES
};

struct dialect {
	unsigned version; /* major * 1000 + minor: 3025, 4004 */
	bool has[DIALECT_FEATURES];
};

/* "3.25" or "4.4.2"; false when malformed. */
bool dialect_parse(struct str version, unsigned *number);
/* --compat-version, else CCTR_COMPAT_VERSION, else the CMake of directory/CMakeCache.txt,
 * else 4.4. false after diag_error when the first of them that is given is malformed. */
bool dialect_choose(struct dialect *out, struct arena *a, struct str option,
	const char *environment, struct str directory, struct diag *d);
struct dialect dialect_of(unsigned version);

#endif
