/*
 * What ctest's JSON reader accepts and cJSON does not: comments, a comma after the last
 * member, text after the document, a plus sign.
 */
#ifndef CCTR_COMPAT_FORMAT_JSON_RELAX_H
#define CCTR_COMPAT_FORMAT_JSON_RELAX_H

#include "runner/base/base.h"

/* Copies the document with all of that replaced by blanks and surrogates in pairs; the
 * rest is unchanged. false: ctest's reader refuses the text and cJSON would not. */
bool json_relax(
	struct arena *a, struct str text, bool takes_infinity, struct str *strict);
/* cJSON accepts only surrogate pairs; ctest's reader accepts any second half, and a lone
 * surrogate. So the text between the quotes gets a pair, and U+FFFD for a lone one.
 * false: digits are missing, which cJSON does not notice. */
bool json_pair_surrogates(char *inside, size_t n);
/* Bytes of the comment with which the text begins. 0: there is none, or it does not
 * end. */
size_t json_comment(struct str text);
/* Where the next value at or after *from begins; *from moves on. The end of the text if
 * there is none. */
size_t json_value_at(struct str strict, size_t *from);

#endif
