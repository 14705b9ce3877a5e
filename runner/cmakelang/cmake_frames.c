/*
 * Reads messages line by line. A header ("CMake Error at F:L (command):") is held back
 * with its text until its call stack is known: its own frame may be one of ours, and then
 * the next frame takes its place. See cmake_frames.h.
 */
#include "runner/cmakelang/cmake_frames.h"

#include <string.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"

static const char stack_title[] = "Call Stack (most recent call first):";

static const char debug_log[] = "CMake Debug Log"; /* of variable_watch() */

static const char normal[] = "\033[0m";

static struct str
without_first_colour(struct str line)
{
	static const char *const colours[] = {normal, "\033[31m", "\033[33m"};

	for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
		if (str_begins(line, str_of(colours[i])))
			return str_from(line, strlen(colours[i]));
	return line;
}

/* "FILE:LINE (COMMAND)"; where CMake has no command it writes none. */
struct frame {
	struct str file, rest; /* rest: ":LINE (COMMAND)" */
};
typedef VEC(struct frame) frame_vec;

static struct str
line_of(struct str text)
{
	return str_cut(text.p, str_find(text, '\n'));
}

static struct str
behind_line(struct str text)
{
	size_t n = str_find(text, '\n');

	return str_from(text, n < text.n ? n + 1 : n);
}

/* The last ":DIGITS" before an optional " (COMMAND)" at the end. */
static bool
parse_frame(struct str s, struct frame *frame)
{
	size_t end = s.n, colon;

	if (end && s.p[end - 1] == ')') {
		while (end && s.p[end - 1] != '(')
			end--;
		if (end < 2 || s.p[end - 2] != ' ')
			return false;
		end -= 2;
	}
	for (colon = end; colon && s.p[colon - 1] >= '0' && s.p[colon - 1] <= '9';
		colon--)
		;
	if (colon == end || colon < 2 || s.p[colon - 1] != ':')
		return false;
	*frame = (struct frame){str_cut(s.p, colon - 1), str_from(s, colon - 1)};
	return true;
}

static bool
take_head(struct str *s, const char *head)
{
	if (!str_begins(*s, str_of(head)))
		return false;
	*s = str_from(*s, strlen(head));
	return true;
}

/* Skips " (dev)", " (policy)", ... */
static void
skip_kind(struct str *s)
{
	size_t n = str_find(*s, ')');

	if (str_begins(*s, STR(" (")) && n < s->n)
		*s = str_from(*s, n + 1);
}

/* Splits "CMake Error at FRAME:" into "CMake Error at " and FRAME. */
static bool
parse_header(struct str line, struct str *title, struct frame *frame)
{
	static const char *const starts[] = {
		"CMake Error",
		"CMake Warning",
		"CMake Deprecation Error",
		"CMake Deprecation Warning",
		debug_log,
	};

	line = without_first_colour(line);
	if (!line.n || line.p[line.n - 1] != ':')
		return false;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		struct str named = str_cut(line.p, line.n - 1);
		bool is_at;

		if (!take_head(&named, starts[i]))
			continue;
		skip_kind(&named);
		is_at = take_head(&named, " at ");
		if (!is_at && !take_head(&named, " in "))
			return false;
		*title = str_cut(line.p, (size_t)(named.p - line.p));
		*frame = (struct frame){named, STR("")};
		return !is_at || parse_frame(named, frame);
	}
	return false;
}

/* CMake names the file in some of its texts, too: "    FILE:3". */
static void
add_spelled(struct arena *a, const struct cmake_frames *f, struct str body, struct buf *b)
{
	struct str full = str_fmt(a, "    %.*s:", STR_ARG(f->file));

	while (body.n) {
		size_t n = str_search(body, full);

		buf_add(b, body.p, n);
		body = str_from(body, n);
		if (body.n) {
			buf_fmt(b, "    %.*s:", STR_ARG(f->spelled));
			body = str_from(body, full.n);
		}
	}
}

static struct str
spell_file(struct arena *a, const struct cmake_frames *f, struct str file)
{
	struct str full = path_join(a, f->directory, file);

	return str_eq(full, f->file) ? f->spelled : full;
}

/* true: the frame is one of ours and is dropped. */
static bool
keep_foreign(
	struct arena *a, const struct cmake_frames *f, struct frame frame, frame_vec *out)
{
	struct str full = path_join(a, f->directory, frame.file);

	if (str_eq(full, f->ours[0]) || str_eq(full, f->ours[1]))
		return true;
	frame.file = spell_file(a, f, frame.file);
	VEC_PUSH(a, out, frame);
	return false;
}

static void
add_callers(struct arena *a, const struct cmake_frames *f, frame_vec *out)
{
	for (const struct place *p = f->caller; p; p = p->caller) {
		struct buf rest = {.arena = a};

		buf_fmt(&rest, ":%u", p->line);
		if (p->command.n)
			buf_fmt(&rest, " (%.*s)", STR_ARG(p->command));
		VEC_PUSH(a, out, (struct frame){p->file, buf_as_str(&rest)});
	}
}

/* Reads the frames below the title. Returns the rest of the text. */
static struct str
read_stack(struct arena *a, const struct cmake_frames *f, struct str text, frame_vec *out,
	bool *has_ours)
{
	struct frame frame;
	frame_vec dropped = {0};
	bool is_cut = false;

	while (text.n) {
		struct str line = line_of(text);

		if (!str_begins(line, STR("  ")) ||
			!parse_frame(str_from(line, 2), &frame))
			break;
		if (keep_foreign(a, f, frame, is_cut ? &dropped : out)) {
			*has_ours = true;
			is_cut = is_cut ||
				 (f->cut && str_ends(frame.rest, str_of(f->cut)));
		}
		text = behind_line(text);
	}
	return text;
}

static void
write_frame(struct buf *b, const struct frame *frame)
{
	buf_str(b, frame->file);
	buf_str(b, frame->rest);
}

/* The text after the message, from its call stack on. A message without a call stack (of
 * cmake itself, or a text that looks like a header) has no text to hold back. */
static struct str
behind_text(struct str body)
{
	struct str title, rest = body;
	struct frame frame;

	while (rest.n && !str_is(line_of(rest), stack_title)) {
		if (parse_header(line_of(rest), &title, &frame))
			return body;
		rest = behind_line(rest);
	}
	return rest.n ? rest : body;
}

/* Commands that only projects have are "not scriptable" for cmake -P, and unknown to
 * ctest. */
static bool
is_unknown_command(struct arena *a, struct frame head, struct str body, struct str *name)
{
	size_t n = str_find(head.rest, '(');
	struct str text;

	if (n == head.rest.n)
		return false;
	*name = str_from(head.rest, n + 1);
	name->n--;
	text = str_fmt(a, "  %.*s command is not scriptable\n", STR_ARG(*name));
	return str_begins(body, text) && str_is(str_trim(str_from(body, text.n)), "");
}

/* Whether the text begins with "Maximum recursion depth of N exceeded", where N is our
 * limit. */
static bool
names_our_limit(struct arena *a, const struct cmake_frames *f, struct str body)
{
	return f->limit && f->limit->set &&
	       str_begins(body, str_fmt(a, "  Maximum recursion depth of %llu exceeded\n",
					(unsigned long long)f->limit->set));
}

static void
add_body(struct arena *a, const struct cmake_frames *f, struct frame head,
	struct str body, struct buf *b)
{
	struct str name;

	if (is_unknown_command(a, head, body, &name))
		buf_fmt(b, "  Unknown CMake command \"%.*s\".\n%.*s", STR_ARG(name),
			STR_ARG(behind_line(body)));
	else if (names_our_limit(a, f, body))
		buf_fmt(b, "  Maximum recursion depth of %llu exceeded\n%.*s",
			(unsigned long long)f->limit->named, STR_ARG(behind_line(body)));
	else
		add_spelled(a, f, body, b);
}

/* Whether it is a warning of our own script, which stands for an error: cmake itself must
 * not see an error. */
static bool
is_raised(struct arena *a, const struct cmake_frames *f, struct str title,
	struct frame head)
{
	return f->raises && str_is(title, "CMake Warning at ") &&
	       str_eq(path_join(a, f->directory, head.file), f->ours[0]);
}

/* Whether it is the error by which our own script ends cmake. */
static bool
is_end(struct arena *a, const struct cmake_frames *f, struct str title, struct frame head,
	struct str body)
{
	return f->raises && str_is(title, "CMake Error at ") &&
	       str_begins(body, STR("  _cctr_ends\n")) &&
	       str_eq(path_join(a, f->directory, head.file), f->ours[0]);
}

struct str
cmake_frames_behind_blanks(struct str text)
{
	while (text.n && *text.p == '\n')
		text = str_from(text, 1);
	return text;
}

static bool
is_error(struct str title)
{
	return str_begins(title, STR("CMake Error")) ||
	       str_begins(title, STR("CMake Deprecation Error"));
}

/* Restores a message from its header to the end of its call stack. Returns the rest of
 * the text. A message of the test file has our script at the bottom of its stack; a text
 * that only looks like a message does not, and is left unchanged. */
static struct str
restore_block(struct arena *a, const struct cmake_frames *f, struct str title,
	struct frame head, struct str text, struct buf *b)
{
	struct str body = behind_line(text), rest = behind_text(body);
	frame_vec frames = {0};
	bool has_ours = false, is_ours;

	body.n -= rest.n;
	is_ours = keep_foreign(a, f, head, &frames);
	if (str_is(line_of(rest), stack_title))
		rest = read_stack(a, f, behind_line(rest), &frames, &has_ours);
	/* Our script has read a variable that the file watches. Beside a dashboard script
	 * ctest reads variables, too. */
	if ((frames.n == 0 || (is_ours && !f->raises)) && has_ours &&
		str_begins(title, str_of(debug_log)))
		return cmake_frames_behind_blanks(rest);
	if (frames.n == 0 || !has_ours) {
		buf_add(b, text.p, text.n - rest.n);
		return rest;
	}
	if (is_end(a, f, title, head, body)) {
		*f->ended = true;
		return cmake_frames_behind_blanks(rest);
	}
	if (f->errors && is_error(title))
		(*f->errors)++;
	add_callers(a, f, &frames);
	buf_str(b, is_raised(a, f, title, head) ? STR("CMake Error at ") : title);
	write_frame(b, &frames.v[0]);
	buf_z(b, ":\n");
	add_body(a, f, frames.v[0], body, b);
	if (frames.n > 1)
		buf_fmt(b, "%s\n", stack_title);
	for (size_t i = 1; i < frames.n; i++) {
		buf_z(b, "  ");
		write_frame(b, &frames.v[i]);
		buf_char(b, '\n');
	}
	return rest;
}

struct str
cmake_frames_restore(struct arena *a, const struct cmake_frames *f, struct str messages)
{
	struct buf b = {.arena = a};
	struct str title, text = messages;
	struct frame head;

	INVARIANT(f);
	while (text.n) {
		struct str line = line_of(text), rest = behind_line(text);

		if (parse_header(line, &title, &head)) {
			text = restore_block(a, f, title, head, text, &b);
			continue;
		}
		buf_add(&b, text.p, text.n - rest.n);
		text = rest;
	}
	return buf_as_str(&b);
}

/* ---- marks ----------------------------------------------------------------------- */

/* ":LINE (COMMAND)" */
static struct place
place_of(struct frame frame)
{
	size_t open = str_find(frame.rest, '('), digits = 1;
	struct place p = {.file = frame.file, .command = STR("")};
	uint64_t line;

	while (digits < frame.rest.n && frame.rest.p[digits] >= '0' &&
		frame.rest.p[digits] <= '9')
		digits++;
	if (frame.rest.n &&
		str_unsigned(str_cut(frame.rest.p + 1, digits - 1), INT32_MAX, &line))
		p.line = (unsigned)line;
	if (open < frame.rest.n)
		p.command = str_cut(frame.rest.p + open + 1, frame.rest.n - open - 2);
	return p;
}

const struct place *
cmake_frames_take_mark(struct arena *a, const struct cmake_frames *f, struct str mark,
	struct str *messages)
{
	struct str text = str_fmt(a, " (message):\n  %.*s\n", STR_ARG(mark));
	struct str tail = *messages;
	size_t at = messages->n, header;
	frame_vec frames = {0};
	const struct place *inner = f->caller;
	bool has_ours;

	INVARIANT(mark.n > 0 && messages);
	/* Processes of the file may have written after the mark, so it is searched
	 * for. */
	while (str_has(tail, text)) {
		tail = str_from(tail, str_search(tail, text) + text.n);
		at = (size_t)(tail.p - messages->p) - text.n;
	}
	if (at == messages->n)
		return NULL;
	for (header = at; header && messages->p[header - 1] != '\n'; header--)
		;
	tail = behind_text(tail);
	(void)read_stack(a, f, behind_line(tail), &frames, &has_ours);
	messages->n = header;
	for (size_t i = frames.n; i-- > 0;) {
		struct place *p = NEW(a, struct place);

		*p = place_of(frames.v[i]);
		p->caller = inner;
		inner = p;
	}
	return frames.n ? inner : NULL;
}

/* ---- colours --------------------------------------------------------------------- */

static bool
is_set(const char *const *environment, const char *name)
{
	const char *value = environment_find(environment, name);

	return value && *value;
}

bool
cmake_frames_have_colours(const char *const *environment)
{
	return is_set(environment, "CLICOLOR_FORCE") ||
	       is_set(environment, "MAKE_TERMOUT");
}

bool
cmake_frames_begin_message(struct str text)
{
	text = without_first_colour(text);
	return str_begins(text, STR("CMake Error")) ||
	       str_begins(text, STR("CMake Warning")) ||
	       str_begins(text, STR("CMake Deprecation")) ||
	       str_begins(text, str_of(debug_log));
}

struct str
cmake_frames_uncolour(struct arena *a, struct str messages)
{
	struct buf b = {.arena = a};

	while (messages.n) {
		struct str line = without_first_colour(line_of(messages));
		bool is_whole = str_find(messages, '\n') < messages.n;

		if (str_ends(line, str_of(normal)))
			line.n -= sizeof normal - 1;
		buf_str(&b, line);
		if (is_whole)
			buf_char(&b, '\n');
		messages = behind_line(messages);
	}
	return buf_as_str(&b);
}
