/* See json_members.h. */
#include "runner/base/json_members.h"

#include <string.h>

#include <cjson/cJSON.h>

const cJSON *
json_value_of(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *
json_text_of(const cJSON *object, const char *key)
{
	const char *s = cJSON_GetStringValue(json_value_of(object, key));

	return s ? s : "";
}

bool
json_is_text(const cJSON *object, const char *key, const char *text)
{
	return strcmp(json_text_of(object, key), text) == 0;
}

double
json_number_of(const cJSON *object, const char *key)
{
	const cJSON *n = json_value_of(object, key);

	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}
