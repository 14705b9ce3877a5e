/*
 * The JSON that ctest's newer readers accept (presets; resource specifications since
 * 3.27): strict, except for comments after values and before keys (until 4.0), a plus
 * sign, a lone minus for 0, and a comma after the last member of an object if its name is
 * "".
 */
#ifndef CCTR_COMPAT_FORMAT_JSON_STRICT_H
#define CCTR_COMPAT_FORMAT_JSON_STRICT_H

#include "runner/cmakelang/dialect.h"

struct json_fault {
	size_t at;
	struct str why;
	size_t detail; /* in a string, after what is wrong; else SIZE_MAX */
};
struct json_strict {
	struct str strict; /* the document as plain JSON; values keep their places */
	/* Why the text is refused: ctest's messages, in its order. */
	struct json_fault *faults;
	size_t faults_n;
};

/* false: see s->faults; an empty document has none. */
bool json_strict_check(struct arena *a, const struct dialect *dialect, struct str text,
	struct json_strict *s);

#endif
