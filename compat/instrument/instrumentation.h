/*
 * What a build tree asks to be recorded about its commands: the query files of
 * cmake-instrumentation(7). CMake puts "ctest --instrument" before each command of such a
 * tree.
 */
#ifndef CCTR_COMPAT_INSTRUMENT_INSTRUMENTATION_H
#define CCTR_COMPAT_INSTRUMENT_INSTRUMENTATION_H

#include "runner/cmakelang/dialect.h"

enum instrument_hook {
	HOOK_POST_GENERATE,
	HOOK_PRE_BUILD,
	HOOK_POST_BUILD,
	HOOK_PRE_CMAKE_BUILD,
	HOOK_POST_CMAKE_BUILD,
	HOOK_POST_CTEST,
	HOOK_POST_CMAKE_INSTALL,
	HOOK_POST_CMAKE_WORKFLOW,
	HOOK_PREPARE_FOR_CDASH,
	HOOK_MANUAL,
	INSTRUMENT_HOOKS
};
enum instrument_option {
	OPTION_STATIC_SYSTEM_INFORMATION,
	OPTION_DYNAMIC_SYSTEM_INFORMATION,
	OPTION_CAPTURE_OUTPUT, /* what commands write */
	OPTION_COMPILE_TRACE, /* what clang -ftime-trace writes */
	OPTION_CDASH_SUBMIT,
	OPTION_CDASH_VERBOSE,
	OPTION_TRACE,
	INSTRUMENT_OPTIONS
};

struct instrumentation {
	const struct dialect *dialect;
	struct str build; /* the build tree */
	struct str root; /* BUILD/.cmake/instrumentation/v1 */
	struct str data; /* ROOT/data */
	struct str cdash; /* ROOT/cdash */
	/* There is a query file, even if it cannot be read: commands are recorded. */
	bool is_asked;
	/* All query files together. */
	bool hooks[INSTRUMENT_HOOKS];
	bool options[INSTRUMENT_OPTIONS];
	str_vec callbacks; /* command lines */
	struct str messages; /* for standard error: all that is wrong with the queries */
	struct str complaints; /* of these, the queries that are no JSON */
	bool is_refused; /* a query has a wrong form: CMake's ctest runs no test then */
};

/* The release to which a build tree belongs, unless CCTR_COMPAT_VERSION names one; the
 * newest where that is malformed. */
struct dialect instrument_dialect(struct arena *a, struct str build);
/* false: no release finds a query for the build tree. Cheap, since it is asked for each
 * command of a build. */
bool instrumentation_may_exist(struct arena *a, struct str build);
/* Reads the query files of the build tree and of the user. */
struct instrumentation *instrumentation_read(
	struct arena *a, const struct dialect *dialect, struct str build);
/* "postCTest": the hook as queries and index files name it; "" where the release has no
 * such hook. */
const char *instrument_hook_name(
	const struct dialect *dialect, enum instrument_hook hook);

#endif
