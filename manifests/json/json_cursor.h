/*
 * A JSON text, value by value: a large array is read element by element, so that its tree
 * is never in memory as a whole. cJSON reads the values; the cursor reads the brackets,
 * commas, colons and names around them, accepts what cJSON accepts, and fails where cJSON
 * fails. Only nesting differs: cJSON's limit of 1000 applies to each value.
 */
#ifndef CCTR_MANIFESTS_JSON_JSON_CURSOR_H
#define CCTR_MANIFESTS_JSON_JSON_CURSOR_H

#include "runner/base/base.h"

struct cJSON;

struct json_cursor {
	struct str text;
	size_t at; /* the next byte; after a failure the position of the fault */
	bool failed;
};

/* A cursor at the first byte of the text's value. */
struct json_cursor json_cursor_in(struct str text);
/* Whether the next byte is this one. */
bool json_cursor_is_at(const struct json_cursor *c, char byte);
/* Reads the value at the cursor, which moves after it. The caller deletes the value.
 * NULL: failed. */
struct cJSON *json_cursor_value(struct json_cursor *c);
/* Moves from '[' or '{' to the first element or name. false: there is none, or failed. */
bool json_cursor_enter(struct json_cursor *c);
/* Moves from the end of a value to the next element or name. false: the cursor is after
 * the closing bracket, or failed. */
bool json_cursor_next(struct json_cursor *c, char closing);
/* Reads the name at the cursor, a string, and moves to its value. The caller deletes the
 * name. NULL: failed. */
struct cJSON *json_cursor_name(struct json_cursor *c);

#endif
