/* Lines of JSON: objects on one line, as RFC 8259 and UTF-8 want them. */
#ifndef CCTR_RUNNER_BASE_JSON_LINE_H
#define CCTR_RUNNER_BASE_JSON_LINE_H

#include "runner/base/base.h"

/* Each adds a comma where the object or array has members already. Bytes of a text that
 * are no UTF-8 become U+FFFD. */
void json_line_open(
	struct buf *b, const char *key, char bracket); /* key: NULL in arrays */
void json_line_close(struct buf *b, char bracket);
void json_line_text(struct buf *b, const char *key, struct str s);
void json_line_count(struct buf *b, const char *key, uint64_t n);
void json_line_seconds(struct buf *b, const char *key, double seconds);
/* With six digits that count. The number is finite. */
void json_line_number(struct buf *b, const char *key, double value);
void json_line_bool(struct buf *b, const char *key, bool value);

#endif
