/* How bytes stand in the XML files of a dashboard. */
#ifndef CCTR_COMPAT_FORMAT_ENCODE_H
#define CCTR_COMPAT_FORMAT_ENCODE_H

#include "runner/base/spool.h"

/* Base64 as ctest spells it: "====" behind a text whose length is a multiple of three;
 * with lines, a newline behind the 61st character and behind every 60th from there. */
void encode_base64(struct buf *out, struct str bytes, bool lines);
/* The same without lines. */
void encode_base64_long(struct spool *out, const struct long_text *bytes);
/* The zlib stream of the text; false when it cannot be made. */
bool encode_deflate(struct spool *out, const struct long_text *text);
/* The largest file of which an archive is made, in memory. */
#define ENCODE_MOST ((off_t)2 << 30)
/* A .tar.gz with the one file, under its last name, a FIFO or a device without contents.
 * false leaves errno, EISDIR for a folder and EFBIG for more than ENCODE_MOST bytes. */
bool encode_archive(struct buf *out, struct str path);

#endif
