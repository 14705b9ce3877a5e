/*
 * JSON as ctest reads it: a tree whose values know their places, with the digits of
 * numbers and the names of members as they are in the document.
 *
 * ctest has two readers. The lenient one (resource specifications until 3.26, answers of
 * dashboards) accepts comments, a comma after the last element or member, names that
 * occur twice and text after the document. The strict one (presets, resource
 * specifications since 3.27) accepts none of these, except for comments after values and
 * before names (until 4.0); it reports every fault. Both accept a plus sign, a lone minus
 * for 0, and a comma after the last member of an object if its name is "".
 */
#ifndef CCTR_COMPAT_FORMAT_JSON_READ_H
#define CCTR_COMPAT_FORMAT_JSON_READ_H

#include "runner/cmakelang/dialect.h"

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_value {
	enum json_kind kind;
	size_t at; /* where it begins in the document */
	struct str name; /* as a member of an object */
	struct str text; /* of a string; of a number its characters in the document */
	double number;
	size_t n; /* elements or members */
	struct json_value *first, *next;
};

/* Why a document is refused, in ctest's words. */
struct json_fault {
	size_t at;
	struct str why;
	size_t detail; /* in a string, after what is wrong; else SIZE_MAX */
};

struct json_document {
	struct str path; /* for messages; "": there is none */
	struct str text;
	struct json_value *root; /* NULL: the document is refused */
	struct json_fault *faults; /* in ctest's order; an empty document has none */
	size_t faults_n;
};

enum json_reader { JSON_LENIENT, JSON_STRICT };
/* The tree lives in the arena, and borrows from the text. */
struct json_document json_read(struct arena *a, const struct dialect *dialect,
	enum json_reader reader, struct str text);

static inline bool
json_is(const struct json_value *v, enum json_kind kind)
{
	return v && v->kind == kind;
}

static inline bool
json_is_bool(const struct json_value *v)
{
	return json_is(v, JSON_FALSE) || json_is(v, JSON_TRUE);
}

/* The first element or member; NULL: there is none. */
static inline struct json_value *
json_first(const struct json_value *v)
{
	return v ? v->first : NULL;
}

/* The last member with the name. NULL: v has none, or is no object. */
struct json_value *json_member(const struct json_value *v, const char *name);
/* The value at a path of names, which ends with NULL. NULL: there is none. */
struct json_value *json_find(const struct json_value *v, const char *const *path);
/* Whether v is missing, "" or []. */
bool json_is_empty(const struct json_value *v);
/* Whether v is a whole number within the limits. */
bool json_is_whole(const struct json_value *v, double least, double most);
/* A number as an int, limited to its range. */
int json_number_int(const struct json_value *v);
/* A value as ctest turns it into text: integers of up to 64 bits digit by digit. "" for
 * null, an array or an object. */
struct str json_value_text(struct arena *a, const struct json_value *v);

#endif
