/*
 * What ctest's JSON reader lets through and cJSON does not: comments, a comma behind the
 * last member, text behind the document, a plus sign.
 */
#ifndef CCTR_COMPAT_JSON_RELAX_H
#define CCTR_COMPAT_JSON_RELAX_H

#include "runner/base.h"

/* A copy of the document alone with all that as blanks, and nothing else changed. false
 * where ctest's reader refuses and cJSON would not. */
bool json_relax(struct arena *a, struct str text, struct str *strict);
/* Bytes of the comment with which the text begins; 0: with none, or none that ends. */
size_t json_comment(struct str text);
/* Where the next value at or behind *from begins, which moves on; the end of the text
 * where there is none. */
size_t json_value_at(struct str strict, size_t *from);

#endif
