/* UTF-8, one character at a time. */
#ifndef CCTR_RUNNER_BASE_UTF8_H
#define CCTR_RUNNER_BASE_UTF8_H

#include "runner/base/base.h"

/* Bytes of the well-formed character at the beginning of s; *code is its code point. 0: s
 * is empty or begins with something else (overlong and surrogate forms included). */
size_t utf8_next(struct str s, uint32_t *code);
/* The largest number of bytes, at most most, that cuts no character in two. */
size_t utf8_piece(struct str s, size_t most);
void utf8_put(struct buf *out, uint32_t code);

#endif
