/* MD5 (RFC 1321): for file names that must match ctest's, and for the checksums that
 * dashboards compare. Not for secrets. */
#ifndef CCTR_COMPAT_FORMAT_MD5_H
#define CCTR_COMPAT_FORMAT_MD5_H

#include "runner/base/base.h"

enum { MD5_TEXT = 33 };

/* 32 hexadecimal digits and a NUL. */
void md5_text(char text[MD5_TEXT], struct str bytes);
/* MD5 and size of what follows the position of fd. false: see errno. */
CCTR_MUST_CHECK bool md5_descriptor(char text[MD5_TEXT], int fd, uint64_t *size);

#endif
