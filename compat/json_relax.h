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
/* Where the value with this number begins, counted from 0 in the order of the text; the
 * end of the text when it has fewer. */
size_t json_value_at(struct str strict, size_t number);

#endif
