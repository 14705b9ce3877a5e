/*
 * The JSON of a manifest. A document is large because of its tests and of the nodes of
 * its backtraces. The elements of these two arrays are parsed one at a time, so that only
 * one is in memory as a tree. All of them are parsed when the document is opened, since
 * for a text that is not JSON nothing else is reported, and again when they are read.
 */
#ifndef CCTR_MANIFESTS_JSON_JSON_DOCUMENT_H
#define CCTR_MANIFESTS_JSON_JSON_DOCUMENT_H

#include "manifests/json/json_reader.h"

/* An array that is parsed element by element: the position of its bracket, SIZE_MAX where
 * there is no such array, and the number of its elements. */
struct json_elements {
	size_t at, n;
};

struct json_document {
	struct str text; /* borrowed */
	struct cJSON *root; /* the tree, in which the two arrays are empty */
	struct json_elements nodes, tests; /* "backtraceGraph.nodes", "tests" */
};

typedef bool json_read_element(
	struct json_reader *r, const struct json_spot *at, const struct cJSON *element);

/* false after reporting why the text is not one JSON value. Close it in either case. */
CCTR_MUST_CHECK bool json_document_open(
	struct json_document *doc, struct json_reader *r, struct str text);
void json_document_close(struct json_document *doc);
/* Reads each element, even after a wrong one. array: the spot of the array. */
bool json_document_each(const struct json_document *doc, struct json_elements elements,
	struct json_reader *r, const struct json_spot *array, json_read_element *read);

#endif
