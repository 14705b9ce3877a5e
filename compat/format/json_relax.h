/*
 * What ctest's JSON reader lets through and cJSON does not: comments, a comma behind the
 * last member, text behind the document, a plus sign.
 */
#ifndef CCTR_COMPAT_FORMAT_JSON_RELAX_H
#define CCTR_COMPAT_FORMAT_JSON_RELAX_H

#include "runner/base/base.h"

/* A copy of the document alone with all that as blanks, surrogates in pairs, and nothing
 * else changed. false where ctest's reader refuses and cJSON would not. */
bool json_relax(
	struct arena *a, struct str text, bool takes_infinity, struct str *strict);
/* cJSON takes surrogates in pairs only; ctest's reader takes any second half, and a lone
 * one. So what stands between the quotes gets a pair, and U+FFFD for a lone one. false:
 * digits are missing, which cJSON does not see. */
bool json_pair_surrogates(char *inside, size_t n);
/* Bytes of the comment with which the text begins; 0: with none, or none that ends. */
size_t json_comment(struct str text);
/* Where the next value at or behind *from begins, which moves on; the end of the text
 * where there is none. */
size_t json_value_at(struct str strict, size_t *from);

#endif
