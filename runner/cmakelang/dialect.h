/*
 * Which release of CMake and ctest cctr follows: every behaviour that changed between
 * releases is a row of dialect.def. Code asks for a row, never for a version number.
 */
#ifndef CCTR_RUNNER_CMAKELANG_DIALECT_H
#define CCTR_RUNNER_CMAKELANG_DIALECT_H

#include "runner/base/base.h"
#include "runner/base/diag.h"

enum dialect_feature {
#define SINCE(feature, major, minor) DIALECT_##feature,
#define BEFORE(feature, major, minor) DIALECT_##feature,
#define DURING(feature, major, minor, last_major, last_minor) DIALECT_##feature,
#include "runner/cmakelang/dialect.def"
	DIALECT_FEATURES
};

struct dialect {
	/* The version is only shown, and compared with the policies that a test file asks
	 * for. */
	unsigned version; /* major * 1000 + minor: 3025, 4004 */
	unsigned patch;
	bool has[DIALECT_FEATURES];
};

/* --compat-version, else CCTR_COMPAT_VERSION, else the CMake of directory/CMakeCache.txt,
 * else 4.4. A version is "3.25" or "4.4.2"; without a third number it is the last patch
 * release. false after diag_error when the first of the first two that is given is
 * malformed. option.n == 0 and environment == NULL or "": not given. */
bool dialect_choose(struct dialect *out, struct arena *a, struct str option,
	const char *environment, struct str directory, struct diag *d);
struct dialect dialect_of(unsigned version);
/* "3.25.1": the version that this ctest reports. */
struct str dialect_text(struct arena *a, const struct dialect *dialect);

#endif
