/* Channels, colour and diagnostics. See console.h. cmake_message.c formats CMake's
 * messages. */
#include "compat/console/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/console/output_log.h"
#include "compat/console/report_text.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"

struct console {
	struct arena *scratch; /* for one message */
	const struct dialect *dialect;
	bool is_silent; /* a script without -V: hides what a plain run prints */
	bool is_verbose, is_brief, is_quiet, has_colour, has_progress;
	struct buf *out, *err; /* instead of the descriptors, in tests */
	size_t errors;
	size_t error_width; /* padding of the next text on standard error */
	struct output_log *log; /* NULL without --output-log */
	bool lacks_log; /* the log cannot be written */
	bool has_loss;
};

static void
put_text(struct console *c, bool to_stderr, struct str text)
{
	struct buf *b = to_stderr ? c->err : c->out;

	if (b)
		buf_str(b, text);
	else
		streams_put(to_stderr ? STREAM_ERROR : STREAM_OUTPUT, text);
}

/* Writes to standard error. n: the bytes that count as one piece. */
static void
put_error(struct console *c, struct str text, size_t n)
{
	struct arena_mark mark = arena_mark(c->scratch);
	size_t blanks = c->error_width > n ? c->error_width - n : 0;

	if (text.n == 0)
		return;
	c->error_width = 0;
	put_text(c, true,
		blanks ? str_fmt(c->scratch, "%*s%.*s", (int)blanks, "", STR_ARG(text))
		       : text);
	arena_rewind(c->scratch, mark);
}

void
console_widen_next_error(struct console *c, size_t width)
{
	c->error_width = width;
}

/* ---- colour ---------------------------------------------------------------------- */

/* Terminals that know the sequences: "xterm", "xterm-256color", ... */
static bool
is_known_terminal(const char *name)
{
	static const char *const families[] = {"Eterm", "alacritty", "ansi",
		"color-xterm", "con132x25", "con132x30", "con132x43", "con132x60",
		"con80x25", "con80x28", "con80x30", "con80x43", "con80x50", "con80x60",
		"cons25", "console", "cygwin", "dtterm", "eterm-color", "gnome",
		"konsole", "kterm", "linux", "mach-color", "mlterm", "msys", "putty",
		"rxvt", "screen", "tmux", "vt100", "xterm"};

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		size_t n = strlen(families[i]);

		if (strncmp(name, families[i], n) == 0 &&
			(name[n] == '\0' || name[n] == '-' || name[n] == '.'))
			return true;
	}
	return false;
}

static bool
is_capable_terminal(const struct dialect *dialect)
{
	const char *name = getenv("TERM");

	if (!name || !isatty(STDOUT_FILENO))
		return false;
	return dialect->has[DIALECT_COLOURS_BY_TERMINAL] ? is_known_terminal(name)
							 : strcmp(name, "dumb") != 0;
}

bool
console_wants_colour(const struct dialect *dialect)
{
	const char *force = getenv("CLICOLOR_FORCE");
	const char *asked = getenv("CLICOLOR");

	if (force && *force && strcmp(force, "0") != 0)
		return true;
	if (asked && strcmp(asked, "0") == 0)
		return false;
	return is_capable_terminal(dialect);
}

const char *
console_colour(const struct console *c, enum colour colour)
{
	static const char *const sequences[] = {[COLOUR_NORMAL] = "\033[0;0m",
		[COLOUR_RED] = "\033[0;31m",
		[COLOUR_GREEN] = "\033[0;32m",
		[COLOUR_YELLOW] = "\033[0;33m",
		[COLOUR_BLUE] = "\033[0;34m"};

	return c->has_colour ? sequences[colour] : "";
}

/* ---- the console ----------------------------------------------------------------- */

static void
open_log(struct console *c, struct arena *a, struct str path)
{
	int error;

	c->log = output_log_open(a, path, c->dialect);
	error = errno;
	c->lacks_log = !c->log;
	path = path_normal(a, path_join(a, path_here(a), path));
	if (c->lacks_log)
		console_raise(c, report_not_opened(a,
					 str_fmt_z(a, "%.*s.tmp", STR_ARG(path)), error));
}

static void
open_streams(struct console *c, struct arena *a, const struct console_options *o)
{
	c->has_colour = o->has_colour;
	if (o->output_log.n)
		open_log(c, a, o->output_log);
	c->has_progress = o->progress && !o->verbose && !o->output_log.n &&
			  is_capable_terminal(c->dialect);
}

struct console *
console_open(struct arena *a, const struct console_options *o,
	const struct dialect *dialect, const struct console_capture *capture)
{
	struct console *c = NEW(a, struct console);

	*c = (struct console){
		.scratch = arena_open(),
		.dialect = dialect,
		.is_silent = o->is_script && !o->verbose,
		.is_verbose = o->is_script ? o->extra_verbose : o->verbose,
		.is_quiet = o->quiet,
	};
	if (!capture) {
		open_streams(c, a, o);
		return c;
	}
	INVARIANT(capture->out && capture->err);
	c->out = capture->out;
	c->err = capture->err;
	c->has_colour = capture->has_colour;
	c->has_progress = capture->has_progress;
	return c;
}

bool
console_lacks_log(const struct console *c)
{
	return c->lacks_log;
}

size_t
console_errors(const struct console *c)
{
	return c->errors;
}

bool
console_is_verbose(const struct console *c)
{
	return c->is_verbose;
}

void
console_be_brief(struct console *c, bool is_brief)
{
	c->is_brief = is_brief;
}

bool
console_tells_asides(const struct console *c)
{
	return c->is_verbose && !c->is_brief;
}

bool
console_is_quiet(const struct console *c)
{
	return c->is_quiet;
}

bool
console_has_progress(const struct console *c)
{
	return c->has_progress;
}

bool
console_has_log(const struct console *c)
{
	return c->log != NULL;
}

static void
log_parts(
	struct console *c, enum channel channel, const struct long_text *parts, size_t n)
{
	static const char verbose[] = "HANDLER_VERBOSE_OUTPUT";
	static const char *const names[CHANNELS] = {[CHANNEL_OUTPUT] = "HANDLER_OUTPUT",
		[CHANNEL_VERBOSE] = verbose,
		[CHANNEL_ASIDE] = verbose,
		[CHANNEL_WARNING] = "WARNING",
		[CHANNEL_ERROR] = "ERROR_MESSAGE",
		[CHANNEL_PROGRAM] = "OUTPUT",
		[CHANNEL_PROGRESS] = "HANDLER_PROGRESS_OUTPUT"};

	if (c->log)
		output_log_add(c->log, names[channel], parts, n);
}

static void
flush_log(struct console *c)
{
	if (c->log)
		output_log_flush(c->log);
}

void
console_log(struct console *c, enum channel channel, struct str text)
{
	struct long_text part = long_text_of(text);

	INVARIANT(channel < CHANNELS);
	if (text.n)
		log_parts(c, channel, &part, 1);
	flush_log(c);
}

void
console_say_parts(
	struct console *c, enum channel channel, const struct long_text *parts, size_t n)
{
	INVARIANT(channel < CHANNELS);
	INVARIANT(parts || !n);
	if (channel == CHANNEL_VERBOSE && !c->is_verbose)
		return;
	log_parts(c, channel, parts, n);
	flush_log(c);
	for (size_t i = 0; i < n && !c->is_quiet && !c->is_silent; i++) {
		struct long_reader r = {.text = &parts[i]};
		struct str piece;

		while (long_text_next(&r, &piece))
			put_text(c, false, piece);
	}
}

static bool
is_shown(const struct console *c, enum channel channel)
{
	switch (channel) {
	case CHANNEL_VERBOSE:
		return c->is_verbose;
	case CHANNEL_ASIDE:
		return console_tells_asides(c);
	case CHANNEL_PROGRESS:
		return !c->is_verbose;
	case CHANNEL_OUTPUT:
	case CHANNEL_WARNING:
	case CHANNEL_ERROR:
	case CHANNEL_PROGRAM:
	case CHANNELS:
		break;
	}
	return true;
}

void
console_say(struct console *c, enum channel channel, struct str text)
{
	bool is_error = channel == CHANNEL_WARNING || channel == CHANNEL_ERROR;

	INVARIANT(channel < CHANNELS);
	if (!is_shown(c, channel))
		return;
	console_log(c, channel, text);
	c->errors += channel == CHANNEL_ERROR && !c->is_quiet;
	if (!c->is_quiet && (is_error || channel == CHANNEL_PROGRESS || !c->is_silent))
		is_error ? put_error(c, text, text.n) : put_text(c, false, text);
}

void
console_say_all(struct console *c, struct str text, const message_vec *messages)
{
	size_t at = 0;

	for (size_t i = 0; i < messages->n; i++) {
		const struct message *m = &messages->v[i];
		struct long_text one = long_text_of(str_cut(text.p + at, m->end - at));

		if (one.s.n)
			log_parts(c, m->channel, &one, 1);
		at = m->end;
	}
	if (at < text.n)
		console_log(c, CHANNEL_OUTPUT, str_from(text, at));
	flush_log(c);
	if (!c->is_quiet && !c->is_silent)
		put_text(c, false, text);
}

void
console_raw(struct console *c, struct str text)
{
	put_text(c, false, text);
}

void
console_raw_error(struct console *c, struct str text)
{
	put_error(c, text, str_find(text, '\n'));
}

void
console_raise(struct console *c, struct str text)
{
	c->errors++;
	put_error(c, text, str_find(text, '\n'));
}

void
console_fmt(struct console *c, enum channel channel, const char *fmt, ...)
{
	struct arena_mark mark = arena_mark(c->scratch);
	va_list args;

	INVARIANT(channel < CHANNELS);
	va_start(args, fmt);
	console_say(c, channel, str_vfmt(c->scratch, fmt, args));
	va_end(args);
	arena_rewind(c->scratch, mark);
}

/* ---- diagnostics ----------------------------------------------------------------- */

/* Shows an error of cctr. One that ctest has too has no place, ctest's words and ctest's
 * channel; one with a place is cctr's own, and -Q does not hide it. */
static void
show_own(struct console *c, const struct diag_entry *e)
{
	struct str text = e->text;

	if (e->at.file.n == 0) {
		console_fmt(c, e->kind == DIAG_WARNING ? CHANNEL_WARNING : CHANNEL_ERROR,
			"%.*s\n", STR_ARG(text));
		return;
	}
	text = e->at.line ? str_fmt(c->scratch, "cctr: %.*s:%u: %.*s\n",
				    STR_ARG(e->at.file), e->at.line, STR_ARG(text))
			  : str_fmt(c->scratch, "cctr: %.*s: %.*s\n", STR_ARG(e->at.file),
				    STR_ARG(text));
	put_text(c, true, text);
}

/* CMake's own messages do not go through ctest's channels: -Q does not hide them. */
static void
show_entry(struct console *c, const struct diag_entry *e)
{
	switch (e->kind) {
	case DIAG_ERROR:
	case DIAG_WARNING:
		show_own(c, e);
		break;
	case DIAG_RAISED:
		c->errors++;
		put_text(c, true, e->text);
		break;
	case DIAG_NOTE:
		put_text(c, true, e->text);
		break;
	case DIAG_OUTPUT:
		put_text(c, false, e->text);
		break;
	case DIAG_STATUS:
		console_say(c, CHANNEL_PROGRAM, e->text);
		break;
	case DIAG_DETAIL:
		console_say(c, CHANNEL_ASIDE, e->text);
		break;
	case DIAG_CMAKE_FATAL:
	case DIAG_CMAKE_ERROR:
		console_raise(c, console_cmake_message(c->scratch, c->dialect, e));
		break;
	case DIAG_CMAKE_WARNING:
	case DIAG_CMAKE_AUTHOR:
	case DIAG_CMAKE_POLICY:
	case DIAG_CMAKE_DEPRECATION:
	case DIAG_CMAKE_MESSAGE:
		put_text(c, true, console_cmake_message(c->scratch, c->dialect, e));
		break;
	case DIAG_KINDS:
		BUG("not a kind of diagnostic");
	}
}

void
console_diag(struct console *c, struct diag *d)
{
	INVARIANT(d);
	c->has_loss = c->has_loss || d->unreadable;
	for (; d->shown < d->entries.n; d->shown++) {
		struct arena_mark mark = arena_mark(c->scratch);

		show_entry(c, &d->entries.v[d->shown]);
		arena_rewind(c->scratch, mark);
	}
}

/* ---- the end --------------------------------------------------------------------- */

void
console_note_loss(struct console *c)
{
	c->has_loss = true;
}

static void
note_lost_file(struct console *c, const char *verb, struct str path, int error)
{
	put_error(c,
		str_fmt(c->scratch, "cctr: cannot %s %.*s: %s\n", verb, STR_ARG(path),
			strerror(error)),
		0);
	console_note_loss(c);
}

void
console_lost_file(struct console *c, struct str path, int error)
{
	note_lost_file(c, "write", path, error);
}

void
console_unread(struct console *c, struct str path, int error)
{
	if (!error_is_no_file(error))
		note_lost_file(c, "read", path, error);
}

void
console_read_directory(
	struct console *c, struct arena *a, struct str path, str_vec *names)
{
	INVARIANT(names);
	if (!directory_read(a, str_z(a, path), names))
		console_unread(c, path, errno);
}

bool
console_read_file(struct console *c, struct arena *a, struct str path, struct str *text)
{
	INVARIANT(text);
	if (file_read(a, str_z(a, path), text))
		return true;
	console_unread(c, path, errno);
	return false;
}

bool
console_close(struct console *c)
{
	int error = c->log ? output_log_close(c->log) : 0;

	if (error)
		console_lost_file(c, output_log_path(c->log), error);
	arena_close(c->scratch);
	return !c->has_loss;
}
