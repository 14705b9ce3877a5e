/*
 * The JSON that ctest's newer readers take (presets; resource specifications since 3.27):
 * strict, but for comments behind values and in front of keys (until 4.0), a plus sign,
 * a lone minus for 0, and a comma behind the last member of an object if its name is "".
 */
#ifndef CCTR_COMPAT_FORMAT_JSON_STRICT_H
#define CCTR_COMPAT_FORMAT_JSON_STRICT_H

#include "runner/cmakelang/dialect.h"

struct json_fault {
	size_t at;
	struct str why;
	size_t detail; /* in a string, behind what is wrong; else SIZE_MAX */
};
struct json_strict {
	struct str strict; /* the document as plain JSON; every value where it was */
	/* Why it is refused: what ctest tells of it, in its order. */
	struct json_fault *faults;
	size_t faults_n;
};

/* false: see the faults; there are none for a document without anything in it. */
bool json_strict_check(struct arena *a, const struct dialect *dialect, struct str text,
	struct json_strict *s);

#endif
