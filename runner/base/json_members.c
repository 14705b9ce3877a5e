/* See json_members.h. */
#include "runner/base/json_members.h"

#include <cjson/cJSON.h>

const char *
json_text_of(const struct cJSON *object, const char *key)
{
	const char *s =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return s ? s : "";
}

double
json_number_of(const struct cJSON *object, const char *key)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}
