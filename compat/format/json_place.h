/* Faults of a JSON document as ctest reports them. */
#ifndef CCTR_COMPAT_FORMAT_JSON_PLACE_H
#define CCTR_COMPAT_FORMAT_JSON_PLACE_H

#include "compat/format/json_read.h"

/* The message; it is preceded by "FILE:LINE: " (until 4.0 "Error: @LINE,COLUMN: "), and
 * followed by the line of the value and a caret. ctest knows no place of a null: then,
 * and if value is NULL, the message alone. */
struct str json_place_text(struct arena *a, const struct dialect *dialect,
	const struct json_document *document, const struct json_value *value,
	struct str message);
/* Why the document is refused: a message per fault since 4.1, and one message with all
 * faults before. */
struct str_list json_refusal(struct arena *a, const struct dialect *dialect,
	const struct json_document *document);

#endif
