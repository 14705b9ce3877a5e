/* A value of a JSON document as jsoncpp turns it into text. */
#ifndef CCTR_COMPAT_FORMAT_JSON_TEXT_H
#define CCTR_COMPAT_FORMAT_JSON_TEXT_H

#include "runner/base/base.h"

struct cJSON;

/* false: value is an array or an object. text: the document from the begin of value
 * on. */
bool json_text(
	struct arena *a, const struct cJSON *value, struct str text, struct str *shown);

#endif
