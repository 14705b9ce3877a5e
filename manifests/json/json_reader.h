/*
 * What the files of the json-v1 source share: a walk over a document that reports every
 * wrong value with its path in the document and goes on.
 */
#ifndef CCTR_MANIFESTS_JSON_JSON_READER_H
#define CCTR_MANIFESTS_JSON_JSON_READER_H

#include "runner/base/diag.h"
#include "runner/model/source.h"

struct cJSON;

/* A position in the document: a member of the value at up, or an element when member is
 * NULL. The root has no up. */
struct json_spot {
	const struct json_spot *up;
	const char *member;
	size_t index;
};

/* A member that an object may have; type is a set of cJSON's type bits, 0 for any. */
struct json_member {
	const char *name;
	int type;
	bool required;
};

/* A frame of a backtrace as "file;line;command"; text is the frame and its callers, made
 * when it is first needed. */
struct json_node {
	struct str frame, text;
	size_t parent, depth; /* depth: length of the chain from here, 1 for a root */
	bool has_parent;
};
struct json_graph {
	struct str_list commands, files;
	struct json_node *nodes;
	size_t nodes_n;
};

struct json_reader {
	struct arena *a;
	struct arena *brief; /* for what only suite_build reads */
	struct str name; /* the manifest's name */
	const struct place *place; /* the place of every declaration */
	struct str directory; /* the directory of tests that name none */
	struct json_graph graph;
	/* the words that are being read; one declaration after the other uses them */
	str_vec words;
	struct declarations *out;
	struct diag *d;
};

/* "cannot read manifest NAME: tests[3].name ...". Always returns false. */
bool json_wrong(struct json_reader *r, const struct json_spot *at, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* Finds the members of the table; an absent or wrong one is NULL. Other members are
 * allowed, but not with a name that is one of the table in other letter case: it was
 * meant, and would be lost. false after reporting that, a value that is no object, a
 * member that is missing, given twice or of a wrong type. */
bool json_members(struct json_reader *r, const struct json_spot *at,
	const struct cJSON *object, const struct json_member *members, size_t n,
	const struct cJSON **found);
/* Appends copies of the elements; the vector grows in r->brief. false after reporting the
 * elements that are no strings. */
bool json_strings(struct json_reader *r, const struct json_spot *at,
	const struct cJSON *array, str_vec *out);
/* The vector's words, copied without spare room. */
struct str_list json_words(struct arena *a, const str_vec *v);
/* A whole number below limit; where it is absent *index is unchanged. */
bool json_index(struct json_reader *r, const struct json_spot *at,
	const struct cJSON *number, size_t limit, size_t *index);
/* "..., not a number" */
bool json_wrong_type(struct json_reader *r, const struct json_spot *at, int type,
	const struct cJSON *found);
/* Escapes the text as one element of a CMake list. */
struct str json_escape(struct arena *a, struct str s);

/* Appends name, value, ... as set_tests_properties takes them; WORKING_DIRECTORY goes to
 * *directory. properties may be NULL. false after reporting. */
bool json_properties(struct json_reader *r, const struct json_spot *test,
	const struct cJSON *properties, str_vec *words, struct str *directory);

#endif
