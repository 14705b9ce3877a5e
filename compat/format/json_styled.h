/*
 * Writes JSON as ctest prints it (jsoncpp's styled form): indented, "key" :
 * value, a container on its own line unless it is empty, only ASCII.
 *
 * Calls follow the document: json_open, then json_key and a value for each member, then
 * json_close. The writer does not sort keys.
 */
#ifndef CCTR_COMPAT_FORMAT_JSON_STYLED_H
#define CCTR_COMPAT_FORMAT_JSON_STYLED_H

#include "runner/base/base.h"

struct json {
	struct buf *out;
	unsigned depth; /* containers that have at least one member */
	char empty; /* bracket of the innermost container while it is empty, else 0 */
	bool empty_has_key; /* the innermost container is the value of a key */
	bool has_key; /* a key waits for its value */
	const char *indent; /* of one level; NULL: two blanks */
};

void json_open(struct json *j, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, struct str s);
void json_int(struct json *j, long long n);
void json_double(struct json *j, double n);
void json_bool(struct json *j, bool is);
void json_null(struct json *j);
/* "version" : {"major" : MAJOR, "minor" : MINOR} */
void json_version(struct json *j, int major, int minor);
/* A value that is JSON already, with its layout. */
void json_raw(struct json *j, struct str text);

#endif
