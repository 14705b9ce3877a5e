/*
 * ctest's message channels: which text goes to which stream under -V, -Q and --debug, and
 * how a diagnostic is spelled ("CMake Error at F:L (cmd):"). The only file of cctr that
 * writes to standard output and standard error.
 */
#ifndef CCTR_COMPAT_CONSOLE_H
#define CCTR_COMPAT_CONSOLE_H

#include "compat/dialect.h"
#include "compat/options.h"

enum channel {
	CHANNEL_OUTPUT,         /* standard output, always shown in a plain run */
	CHANNEL_VERBOSE,        /* standard output under -V */
	CHANNEL_WARNING,        /* standard error */
	CHANNEL_ERROR,          /* standard error */
	CHANNELS
};

struct console;
struct console *console_open(
	struct arena *a, const struct options *o, const struct dialect *dialect);
void console_say(struct console *c, enum channel channel, struct str text);
void console_fmt(struct console *c, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
bool console_is_verbose(const struct console *c);
bool console_is_quiet(const struct console *c);
/* Colour sequence for standard output, or "": ctest(1), CLICOLOR. */
enum colour { COLOUR_NORMAL, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW, COLOUR_BLUE };
const char *console_colour(const struct console *c, enum colour colour);
/* Everything recorded since the last call, as CMake spells it. */
void console_diag(struct console *c, struct diag *d);
void console_close(struct console *c);

/* "CMake Error at F:L (cmd):\n  text\n..." with CMake's wrapping and call stack. */
struct str console_cmake_message(struct arena *a, const struct diag_entry *e);

#endif
