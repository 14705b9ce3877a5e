/* What result files keep of an output. See truncate.h. */
#include "compat/format/truncate.h"

#include "runner/base/utf8.h"

#include <stdio.h>
#include <string.h>

bool
truncation_parse(struct str word, enum truncation *mode)
{
	static const char *const names[] = {[TRUNCATE_TAIL] = "tail",
		[TRUNCATE_MIDDLE] = "middle",
		[TRUNCATE_HEAD] = "head"};

	INVARIANT(mode);
	for (int i = TRUNCATE_TAIL; i <= TRUNCATE_HEAD; i++)
		if (str_is(word, names[i])) {
			*mode = (enum truncation)i;
			return true;
		}
	return false;
}

/* The largest number of whole characters in the first limit bytes. A byte that is not
 * part of a character counts as one. */
static size_t
whole_characters(const struct long_text *text, size_t limit)
{
	size_t at = 0, read = 0;
	uint32_t code;

	while (at < text->s.n) {
		size_t n = utf8_next(str_from(text->s, at), &code);

		n = n ? n : 1;
		if (at + n > limit)
			break;
		at += n;
		read = long_text_pass(text, read, at);
	}
	return at;
}

static void
add_message(struct spool *room, size_t limit)
{
	char text[128];
	int n = snprintf(text, sizeof text,
		"\n[This part of the test output was removed since it exceeds the "
		"threshold of %zu bytes.]\n",
		limit);

	spool_add(room, str_cut(text, (size_t)n));
}

/* Adds the bytes from `from` up to `to`. */
static void
add_part(struct spool *room, const struct long_text *text, size_t from, size_t to)
{
	struct long_text part = {str_cut(text->s.p + from, to - from), text->is_mapped};
	struct long_reader r = {.text = &part};
	struct str piece;

	while (long_text_next(&r, &piece))
		spool_add(room, piece);
}

struct long_text
truncate_output(struct spool *room, const struct long_text *output, long limit,
	enum truncation mode)
{
	size_t n = limit > 0 ? (size_t)limit : 0, all = output->s.n;
	size_t head = 0;

	INVARIANT(room && output);
	if (n == 0 || all <= n || long_text_has(output, STR("CTEST_FULL_OUTPUT")))
		return *output;
	if (mode != TRUNCATE_HEAD) {
		head = whole_characters(output, mode == TRUNCATE_TAIL ? n : n / 2);
		add_part(room, output, 0, head);
		spool_add(room, STR("..."));
	}
	add_message(room, n);
	if (mode == TRUNCATE_TAIL)
		return spool_text(room);
	spool_add(room, STR("..."));
	add_part(room, output,
		mode == TRUNCATE_HEAD ? whole_characters(output, all - n)
				      : all - (n - head),
		all);
	return spool_text(room);
}

/* ---- measurements ---------------------------------------------------------------- */

static bool
skip_word(struct str text, size_t *at, const char *word)
{
	if (!str_begins(str_from(text, *at), str_of(word)))
		return false;
	*at += strlen(word);
	return true;
}

static bool
skip_name(struct str text, size_t *at)
{
	return skip_word(text, at, "CTestMeasurement") ||
	       skip_word(text, at, "DartMeasurement");
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_opening(struct str text, size_t from)
{
	size_t at = from + 1;

	return skip_name(text, &at);
}

/* Length of the closing tag at from; 0: there is none. */
static size_t
closing_tag(struct str text, size_t from)
{
	size_t at = from;

	if (!skip_word(text, &at, "</") || !skip_name(text, &at))
		return 0;
	while (at < text.n && is_letter(text.p[at]))
		at++;
	return at < text.n && text.p[at] == '>' ? at + 1 - from : 0;
}

/* An element is an opening tag, text without '<', and a closing tag. If one is removed,
 * the text around it may form the next. So opening tags wait for their closing tags until
 * any other '<' comes. */
struct long_text
truncate_measurements(struct spool *room, const struct long_text *output)
{
	INVARIANT(room && output);
	VEC(uint64_t) open = {0};
	struct str text = output->s;
	size_t at = 0, read = 0;

	if (!long_text_has(output, STR("Measurement")))
		return *output;
	for (;; read = long_text_pass(output, read, at)) {
		size_t end = long_text_search(output, at, STR("<")), n;

		add_part(room, output, at, end);
		at = end;
		if (at == text.n)
			return spool_text(room);
		n = closing_tag(text, at);
		if (n && open.n) {
			spool_shorten(room, open.v[--open.n]);
			at += n;
			continue;
		}
		if (!is_opening(text, at))
			open.n = 0;
		else
			VEC_PUSH(room->arena, &open, spool_size(room));
		spool_add(room, STR("<"));
		at++;
	}
}

/* The element that began last and ends at end. What is before it in the element around it
 * is kept, since the two parts of that one are not beside each other. */
static struct long_text
take_element(struct measurement_reader *r, size_t end)
{
	const struct long_text *output = r->output;
	struct open_measurement it = r->open.v[--r->open.n], *around;
	struct long_text found = {
		str_cut(output->s.p + it.rest, end - it.rest), output->is_mapped};

	if (it.before) {
		buf_str(it.before, found.s);
		found = long_text_of(buf_as_str(it.before));
	}
	if (!r->open.n)
		return found;
	around = &r->open.v[r->open.n - 1];
	if (!around->before)
		around->before = NEW(r->arena, struct buf);
	around->before->arena = r->arena;
	buf_str(around->before,
		str_cut(output->s.p + around->rest, it.from - around->rest));
	around->rest = end;
	return found;
}

bool
truncate_next_measurement(struct measurement_reader *r, struct long_text *found)
{
	size_t none = r->output->s.n;

	INVARIANT(r->at <= none);
	INVARIANT(found);
	for (; r->at < none; r->at++) {
		size_t n;

		r->at = long_text_search(r->output, r->at, STR("<"));
		n = r->at < none && r->open.n ? closing_tag(r->output->s, r->at) : 0;
		if (n) {
			r->at += n;
			*found = take_element(r, r->at);
			return true;
		}
		if (r->at == none || !is_opening(r->output->s, r->at))
			r->open.n = 0;
		else
			VEC_PUSH(r->arena, &r->open,
				((struct open_measurement){r->at, r->at, NULL}));
	}
	return false;
}
