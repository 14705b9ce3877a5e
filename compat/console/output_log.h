/*
 * --output-log: what is said, in a file too. Until 3.31 each change from one channel to
 * another is marked by a line "[CHANNEL] ", and the message behind it has an empty line.
 */
#ifndef CCTR_COMPAT_CONSOLE_OUTPUT_LOG_H
#define CCTR_COMPAT_CONSOLE_OUTPUT_LOG_H

#include "runner/base/long_text.h"
#include "runner/cmakelang/dialect.h"

struct output_log;
/* Relative to the working directory of this call; folders are made. NULL when it cannot
 * be written; errno says why. */
struct output_log *output_log_open(
	struct arena *a, struct str path, const struct dialect *dialect);
/* One message, in parts. channel: ctest's name of it, the same pointer for the same
 * channel. */
void output_log_add(struct output_log *l, const char *channel,
	const struct long_text *parts, size_t n);
/* What was added can be read in the file. */
void output_log_flush(struct output_log *l);
struct str output_log_path(const struct output_log *l);
/* Gives the file its name. An errno, or 0. */
CCTR_MUST_CHECK int output_log_close(struct output_log *l);

#endif
