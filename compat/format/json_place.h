/* Where a JSON document is wrong, as ctest's newer releases report it. */
#ifndef CCTR_COMPAT_FORMAT_JSON_PLACE_H
#define CCTR_COMPAT_FORMAT_JSON_PLACE_H

#include "runner/base/base.h"

struct cJSON;
struct json_fault;

/* Where each value of a document begins. */
struct json_places {
	struct json_value_place {
		const struct cJSON *value;
		size_t at;
	} * v; /* sorted by value */
	size_t n;
};
/* strict: the document (json_strict.h) from which root was read. */
struct json_places json_places_of(
	struct arena *a, struct str strict, const struct cJSON *root);
/* Where value begins. SIZE_MAX: not known, or a null, whose place ctest does not know. */
size_t json_place(const struct json_places *places, const struct cJSON *value);
/* "WHERE: MESSAGE", the line at `at`, and a caret under it. WHERE is "FILE:LINE", or
 * "Error: @LINE,COLUMN" if file is "". */
struct str json_place_text(
	struct arena *a, struct str file, struct str text, size_t at, struct str message);
/* All faults in one message, as ctest's older releases report them. */
struct str json_faults_text(struct arena *a, struct str path, struct str text,
	const struct json_fault *faults, size_t n);

#endif
