/* MD5 (RFC 1321): names of files whose names must be ctest's, and what dashboards compare
 * a file with. Not for secrets. */
#ifndef CCTR_COMPAT_FORMAT_MD5_H
#define CCTR_COMPAT_FORMAT_MD5_H

#include "runner/base/base.h"

enum { MD5_TEXT = 33 };

/* 32 hexadecimal digits and a NUL. */
void md5_text(char text[MD5_TEXT], struct str bytes);
/* What stands behind the position of a descriptor, and how much that is. false leaves
 * errno. */
CCTR_MUST_CHECK bool md5_descriptor(char text[MD5_TEXT], int fd, uint64_t *size);

#endif
