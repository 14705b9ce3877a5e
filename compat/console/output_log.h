/*
 * --output-log: a copy of the messages in a file. Until 3.31 a line "[CHANNEL] " marks
 * each change of channel, and the message after it begins with an empty line.
 */
#ifndef CCTR_COMPAT_CONSOLE_OUTPUT_LOG_H
#define CCTR_COMPAT_CONSOLE_OUTPUT_LOG_H

#include "runner/base/long_text.h"
#include "runner/cmakelang/dialect.h"

struct output_log;
/* path is relative to the current working directory; missing folders are made. NULL: it
 * cannot be written, see errno. */
struct output_log *output_log_open(
	struct arena *a, struct str path, const struct dialect *dialect);
/* Adds one message, in parts. channel: ctest's name of the channel, always the same
 * pointer for the same channel. */
void output_log_add(struct output_log *l, const char *channel,
	const struct long_text *parts, size_t n);
/* Makes all added messages readable in the file. */
void output_log_flush(struct output_log *l);
struct str output_log_path(const struct output_log *l);
/* Renames the file to its final name. Returns an errno, or 0. */
CCTR_MUST_CHECK int output_log_close(struct output_log *l);

#endif
