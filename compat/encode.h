/* How bytes stand in the XML files of a dashboard. */
#ifndef CCTR_COMPAT_ENCODE_H
#define CCTR_COMPAT_ENCODE_H

#include "runner/spool.h"

/* Base64 as ctest spells it: "====" behind a text whose length is a multiple of three;
 * with lines, a newline behind the 61st character and behind every 60th from there. */
void encode_base64(struct buf *out, struct str bytes, bool lines);
/* The same without lines. */
void encode_base64_long(struct spool *out, const struct long_text *bytes);
/* The zlib stream of the text; false when it cannot be made. */
bool encode_deflate(struct spool *out, const struct long_text *text);
/* A .tar.gz with the one file, under its last name. false leaves errno. */
bool encode_archive(struct buf *out, struct str path);

#endif
