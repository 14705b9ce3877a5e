/* Members of objects that cJSON has read, for readers to which a missing member is one
 * without content. */
#ifndef CCTR_RUNNER_BASE_JSON_MEMBERS_H
#define CCTR_RUNNER_BASE_JSON_MEMBERS_H

struct cJSON;
/* "": there is no such member, or it is no text. */
const char *json_text_of(const struct cJSON *object, const char *key);
/* 0: there is no such member, or it is no number. */
double json_number_of(const struct cJSON *object, const char *key);

#endif
