/* How bytes are encoded in the XML files of a dashboard. */
#ifndef CCTR_COMPAT_FORMAT_ENCODE_H
#define CCTR_COMPAT_FORMAT_ENCODE_H

#include "runner/base/spool.h"

/* Base64 as ctest writes it: "====" after a text whose length is a multiple of three.
 * With lines, a newline after the 61st character and after every 60th from there. */
void encode_base64(struct buf *out, struct str bytes, bool lines);
/* encode_base64 for a long text, without lines. */
void encode_base64_long(struct spool *out, const struct long_text *bytes);
/* Appends the zlib stream of the text. false: it cannot be made. */
bool encode_deflate(struct spool *out, const struct long_text *text);
/* The largest file that encode_archive accepts; the archive is made in memory. */
#define ENCODE_MOST ((off_t)2 << 30)
/* Makes a .tar.gz with one file, under the last part of its name. A FIFO or a device has
 * no contents. false: see errno; EISDIR for a folder, EFBIG for more than ENCODE_MOST
 * bytes. */
bool encode_archive(struct buf *out, struct str path);

#endif
