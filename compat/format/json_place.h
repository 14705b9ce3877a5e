/* Where something in a JSON document is wrong, as ctest's newer releases tell it. */
#ifndef CCTR_COMPAT_FORMAT_JSON_PLACE_H
#define CCTR_COMPAT_FORMAT_JSON_PLACE_H

#include "runner/base/base.h"

struct cJSON;
struct json_fault;

/* Where the values of a document begin. */
struct json_places {
	struct json_value_place {
		const struct cJSON *value;
		size_t at;
	} * v; /* by value */
	size_t n;
};
/* Of the document (json_strict.h) from which root was read. */
struct json_places json_places_of(
	struct arena *a, struct str strict, const struct cJSON *root);
/* SIZE_MAX for none, and for a null, which ctest knows no place of. */
size_t json_place(const struct json_places *places, const struct cJSON *value);
/* "WHERE: MESSAGE", the line of the place, and a caret under it. WHERE is "FILE:LINE", or
 * "Error: @LINE,COLUMN" where file is "". */
struct str json_place_text(
	struct arena *a, struct str file, struct str text, size_t at, struct str message);
/* The faults as one message, as ctest told them before that. */
struct str json_faults_text(struct arena *a, struct str path, struct str text,
	const struct json_fault *faults, size_t n);

#endif
