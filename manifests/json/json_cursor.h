/*
 * A JSON text, value by value: a large array is read element by element, so that its tree
 * is never in memory as a whole. cJSON reads the values; the cursor reads the brackets,
 * commas, colons and names around them, accepts what cJSON accepts, and fails where cJSON
 * fails. Only nesting differs: cJSON's limit of 1000 holds for each value.
 */
#ifndef CCTR_MANIFESTS_JSON_JSON_CURSOR_H
#define CCTR_MANIFESTS_JSON_JSON_CURSOR_H

#include "runner/base/base.h"

struct cJSON;

struct json_cursor {
	struct str text;
	size_t at; /* the next byte; after a failure the place of the fault */
	bool failed;
};

/* At the first byte of the text's value. */
struct json_cursor json_cursor_in(struct str text);
/* A byte order mark is no blank. */
void json_cursor_skip_blanks(struct json_cursor *c);
/* The next byte is this one. */
bool json_cursor_is_at(const struct json_cursor *c, char byte);
/* The value at the cursor, which goes behind it. The caller deletes it. NULL: failed. */
struct cJSON *json_cursor_value(struct json_cursor *c);
/* From '[' or '{' to the first element or name. false: there is none, or failed. */
bool json_cursor_enter(struct json_cursor *c);
/* From behind a value to the next element or name. false: the cursor is behind the
 * closing bracket, or failed. */
bool json_cursor_next(struct json_cursor *c, char closing);
/* The name at the cursor, a string, which goes to the name's value. The caller deletes
 * it. NULL: failed. */
struct cJSON *json_cursor_name(struct json_cursor *c);

#endif
