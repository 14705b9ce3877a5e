/* Members of objects that cJSON has read, for readers to which a missing member is one
 * without content. */
#ifndef CCTR_RUNNER_BASE_JSON_MEMBERS_H
#define CCTR_RUNNER_BASE_JSON_MEMBERS_H

#include <stdbool.h>

struct cJSON;
/* NULL: there is no such member, or object is none. */
const struct cJSON *json_value_of(const struct cJSON *object, const char *key);
/* "": there is no such member, or it is no text. */
const char *json_text_of(const struct cJSON *object, const char *key);
/* Whether the member is that text. */
bool json_is_text(const struct cJSON *object, const char *key, const char *text);
/* 0: there is no such member, or it is no number. */
double json_number_of(const struct cJSON *object, const char *key);

#endif
