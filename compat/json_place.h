/* Where something in a JSON document is wrong, as ctest's newer releases tell it. */
#ifndef CCTR_COMPAT_JSON_PLACE_H
#define CCTR_COMPAT_JSON_PLACE_H

#include "runner/base.h"

struct cJSON;

/* Where the value begins that was read from the text; its end where it stands in none. */
size_t json_place(struct str strict, const struct cJSON *root, const struct cJSON *value);
/* "WHERE: MESSAGE", the line of the place, and a caret under it. WHERE is "FILE:LINE", or
 * "Error: @LINE,COLUMN" where file is "". */
struct str json_place_text(
	struct arena *a, struct str file, struct str text, size_t at, struct str message);

#endif
