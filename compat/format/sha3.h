/* SHA3-256 (FIPS 202): for the names of instrumentation files, which must match CMake's.
 */
#ifndef CCTR_COMPAT_FORMAT_SHA3_H
#define CCTR_COMPAT_FORMAT_SHA3_H

#include "runner/base/base.h"

enum { SHA3_256_TEXT = 65 };

/* 64 hexadecimal digits and a NUL. */
void sha3_256_text(char text[SHA3_256_TEXT], struct str bytes);

#endif
