/* What cJSON says of a text as a whole, beside what a manifest's reader says, which
 * parses it value by value. */
#ifndef CCTR_TESTS_JSON_WHOLE_H
#define CCTR_TESTS_JSON_WHOLE_H

#include <cjson/cJSON.h>

#include "manifests/json/json_document.h"

/* "not JSON at line 2, column 6"; "" for a text that cJSON takes as one value. */
static inline struct str
json_fault_of_whole(struct arena *a, struct str text)
{
	const char *end = text.p;
	cJSON *value = cJSON_ParseWithLengthOpts(text.p, text.n, &end, 0);
	struct str before = str_cut(text.p, (size_t)(end - text.p));
	size_t line = 1, column = 1;

	for (size_t i = 0; i < before.n; i++) {
		column = before.p[i] == '\n' ? 1 : column + 1;
		line += before.p[i] == '\n';
	}
	if (value && !str_trim(str_from(text, before.n)).n)
		line = 0;
	cJSON_Delete(value);
	if (!line)
		return STR("");
	return str_fmt(a, "%s at line %zu, column %zu",
		value ? "more than one JSON value" : "not JSON", line, column);
}

static inline struct str
json_fault_of_parts(struct arena *a, struct str text)
{
	struct place place = {0};
	struct diag d = diag_in(a);
	struct json_reader r = {.a = a, .brief = a, .place = &place, .d = &d};
	struct json_document doc;
	bool is_open = json_document_open(&doc, &r, text);

	json_document_close(&doc);
	INVARIANT(is_open == (d.entries.n == 0));
	return is_open ? STR("") : d.entries.v[0].text;
}

#endif
