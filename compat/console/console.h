/*
 * ctest's message channels: which text goes to which stream under -V and -Q, and how a
 * diagnostic is spelled ("CMake Error at F:L (cmd):"). The only file of cctr that says
 * something on standard output and standard error while tests run.
 *
 * Nothing is kept back from a reader that reads: every call is one write of the whole
 * text, so that what a test prints to the same terminal, and what a killed cctr had said,
 * stand in the right order. For one that does not read, runner/base/streams.h keeps the
 * text.
 */
#ifndef CCTR_COMPAT_CONSOLE_CONSOLE_H
#define CCTR_COMPAT_CONSOLE_CONSOLE_H

#include "compat/options/options.h"
#include "runner/cmakelang/dialect.h"

enum channel {
	CHANNEL_OUTPUT, /* standard output, always shown in a plain run */
	CHANNEL_VERBOSE, /* standard output under -V */
	CHANNEL_ASIDE, /* the same, but not of a command with QUIET */
	CHANNEL_WARNING, /* standard error */
	CHANNEL_ERROR, /* standard error */
	CHANNEL_PROGRAM, /* standard output: not about tests */
	/* standard output, in scripts without -V too, but never where the verbose text
	 * stands in its place */
	CHANNEL_PROGRESS,
	CHANNELS
};

struct console;
struct console *console_open(
	struct arena *a, const struct options *o, const struct dialect *dialect);
void console_say(struct console *c, enum channel channel, struct str text);
void console_fmt(struct console *c, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* What ctest says in several messages, in one text: where each of them ends. They are all
 * of standard output, and shown; --output-log tells them apart. */
struct message {
	enum channel channel;
	size_t end;
};
typedef VEC(struct message) message_vec;
void console_say_all(struct console *c, struct str text, const message_vec *messages);
/* One message of standard output in parts, however long they are. */
void console_say_parts(
	struct console *c, enum channel channel, const struct long_text *parts, size_t n);
/* There is an --output-log: messages are worth noting. */
bool console_has_log(const struct console *c);
/* Only to the log: what was said before there was a console. */
void console_log(struct console *c, enum channel channel, struct str text);
/* To standard output and standard error, even under -Q. */
void console_raw(struct console *c, struct str text);
void console_raw_error(struct console *c, struct str text);
/* What is next said on standard error has blanks before it up to that width. */
void console_widen_next_error(struct console *c, size_t width);
/* The same, and counted as an error: of CMake's own. */
void console_raise(struct console *c, struct str text);
/* --output-log cannot be written, which was said: no test is read or run then. */
bool console_lacks_log(const struct console *c);
/* How many errors were shown. */
size_t console_errors(const struct console *c);
bool console_is_verbose(const struct console *c);
/* Of a script's command with QUIET, until it ends. */
void console_be_brief(struct console *c, bool is_brief);
bool console_tells_asides(const struct console *c);
bool console_is_quiet(const struct console *c);
/* --progress is given and standard output is a terminal that can do it. */
bool console_has_progress(const struct console *c);
/* Colour sequence for standard output, or "": ctest(1), CLICOLOR. */
enum colour { COLOUR_NORMAL, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW, COLOUR_BLUE };
const char *console_colour(const struct console *c, enum colour colour);
/* Everything recorded since the last call, as CMake spells it. */
void console_diag(struct console *c, struct diag *d);
/* A file could not be written or read, or output of a program could not be read: the
 * process is not to end with 0. The caller has said so. */
void console_note_loss(struct console *c);
/* Says that the file could not be written, and notes the loss. error: an errno. */
void console_lost_file(struct console *c, struct str path, int error);
/* Says that the file or directory could not be read, and notes the loss; does nothing
 * where the errno says that it does not exist, or is a directory instead of a file. */
void console_unread(struct console *c, struct str path, int error);
/* Adds the names in a directory (directory_read). One that does not exist has none; one
 * that cannot be read is a loss. */
void console_read_directory(
	struct console *c, struct arena *a, struct str path, str_vec *names);
/* Reads a file (file_read). false: it is not there, or cannot be read, which is a loss.
 */
bool console_read_file(
	struct console *c, struct arena *a, struct str path, struct str *text);
/* false: something was lost, the --output-log or what was noted. */
bool console_close(struct console *c);

/* "CMake Error at F:L (cmd):\n  text\n..." with CMake's wrapping and call stack. */
struct str console_cmake_message(
	struct arena *a, const struct dialect *dialect, const struct diag_entry *e);

/* ---- for tests ------------------------------------------------------------------- */

/* Like console_open, but what would be written is added to the two buffers. */
struct console *console_open_in(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct buf *out, struct buf *err);
void console_force_colour(struct console *c);
void console_force_progress(struct console *c);

#endif
