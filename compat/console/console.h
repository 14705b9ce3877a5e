/*
 * ctest's message channels: which text goes to which stream under -V and -Q, and how a
 * diagnostic is formatted ("CMake Error at F:L (cmd):"). The only file of cctr that
 * writes to standard output and standard error while tests run.
 *
 * Every call is one write of the whole text, without delay. So texts keep their order
 * with what a test prints to the same terminal, even if cctr is killed. For a reader that
 * does not read, runner/base/streams.h keeps the text.
 */
#ifndef CCTR_COMPAT_CONSOLE_CONSOLE_H
#define CCTR_COMPAT_CONSOLE_CONSOLE_H

#include "compat/options/console_options.h"
#include "runner/base/diag.h"
#include "runner/base/long_text.h"
#include "runner/cmakelang/dialect.h"

enum channel {
	CHANNEL_OUTPUT, /* standard output, always shown in a plain run */
	CHANNEL_VERBOSE, /* standard output under -V */
	CHANNEL_ASIDE, /* like CHANNEL_VERBOSE, but silent for a command with QUIET */
	CHANNEL_WARNING, /* standard error */
	CHANNEL_ERROR, /* standard error */
	CHANNEL_PROGRAM, /* standard output: not about tests */
	/* standard output, in scripts without -V too, but never if the verbose text
	 * replaces it */
	CHANNEL_PROGRESS,
	CHANNELS
};

/* Where a console writes in place of the standard streams, and what it can show there. */
struct console_capture {
	struct buf *out, *err;
	bool has_colour, has_progress;
};
struct console;
/* For console_options: whether the environment and the terminal want colours. */
bool console_wants_colour(const struct dialect *dialect);
/* capture: NULL means the standard streams. */
struct console *console_open(struct arena *a, const struct console_options *o,
	const struct dialect *dialect, const struct console_capture *capture);
void console_say(struct console *c, enum channel channel, struct str text);
void console_fmt(struct console *c, enum channel channel, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
/* Several messages of ctest in one text, with the end of each. All go to standard output
 * and are shown; --output-log separates them. */
struct message {
	enum channel channel;
	size_t end;
};
typedef VEC(struct message) message_vec;
void console_say_all(struct console *c, struct str text, const message_vec *messages);
/* One message to standard output, in parts of any length. */
void console_say_parts(
	struct console *c, enum channel channel, const struct long_text *parts, size_t n);
/* true: there is an --output-log, so messages are worth recording. */
bool console_has_log(const struct console *c);
/* Writes only to the log: for what was printed before the console was opened. */
void console_log(struct console *c, enum channel channel, struct str text);
/* To standard output or standard error, even under -Q. */
void console_raw(struct console *c, struct str text);
void console_raw_error(struct console *c, struct str text);
/* Pads the next text on standard error with blanks at its left, up to width. */
void console_widen_next_error(struct console *c, size_t width);
/* To standard error, counted as an error of CMake's own. */
void console_raise(struct console *c, struct str text);
/* true: --output-log cannot be written, which was reported. Then no test is read or
 * run. */
bool console_lacks_log(const struct console *c);
/* How many errors were shown. */
size_t console_errors(const struct console *c);
bool console_is_verbose(const struct console *c);
/* For a script's command with QUIET, until it ends. */
void console_be_brief(struct console *c, bool is_brief);
bool console_tells_asides(const struct console *c);
bool console_is_quiet(const struct console *c);
/* true: --progress is given and standard output is a terminal that supports it. */
bool console_has_progress(const struct console *c);
/* Colour sequence for standard output, or "": ctest(1), CLICOLOR. */
enum colour { COLOUR_NORMAL, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW, COLOUR_BLUE };
const char *console_colour(const struct console *c, enum colour colour);
/* Prints everything recorded since the last call, as CMake formats it. */
void console_diag(struct console *c, struct diag *d);
/* Notes that a file could not be written or read, or the output of a program could not be
 * read: then cctr must not exit with 0. The caller has printed the reason. */
void console_note_loss(struct console *c);
/* Reports that the file could not be written, and notes the loss. error: an errno. */
void console_lost_file(struct console *c, struct str path, int error);
/* Reports that the file or directory could not be read, and notes the loss. Does nothing
 * if error says that it does not exist, or that it is a directory instead of a file. */
void console_unread(struct console *c, struct str path, int error);
/* Adds the names in a directory (directory_read). A missing directory has none; an
 * unreadable one is a loss. */
void console_read_directory(
	struct console *c, struct arena *a, struct str path, str_vec *names);
/* Reads a file (file_read). false: it is missing, or it cannot be read, which is
 * a loss. */
bool console_read_file(
	struct console *c, struct arena *a, struct str path, struct str *text);
/* false: something was lost, the --output-log or a noted loss. */
bool console_close(struct console *c);

/* "CMake Error at F:L (cmd):\n  text\n..." with CMake's line breaks and call stack. */
struct str console_cmake_message(
	struct arena *a, const struct dialect *dialect, const struct diag_entry *e);

#endif
