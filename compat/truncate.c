/* What result files keep of an output. See truncate.h. */
#include "compat/truncate.h"

#include "compat/utf8.h"

#include <string.h>

/* The largest number of whole characters in the first limit bytes; a byte that is no
 * character counts as one. */
static size_t
whole(struct str text, size_t limit)
{
	size_t at = 0;
	uint32_t code;

	while (at < text.n) {
		size_t n = utf8_next(str_from(text, at), &code);

		n = n ? n : 1;
		if (at + n > limit)
			break;
		at += n;
	}
	return at;
}

static void
add_message(struct buf *out, size_t limit)
{
	buf_fmt(out,
		"\n[This part of the test output was removed since it exceeds the "
		"threshold of %zu bytes.]\n",
		limit);
}

struct str
truncate_output(struct arena *a, struct str output, long limit, enum truncation mode)
{
	struct buf out = {.arena = a};
	size_t n = limit > 0 ? (size_t)limit : 0;
	size_t head = 0;

	if (n == 0 || output.n <= n || str_has(output, STR("CTEST_FULL_OUTPUT")))
		return output;
	if (mode != TRUNCATE_HEAD) {
		head = whole(output, mode == TRUNCATE_TAIL ? n : n / 2);
		buf_str(&out, str_cut(output.p, head));
		buf_z(&out, "...");
	}
	add_message(&out, n);
	if (mode == TRUNCATE_TAIL)
		return buf_as_str(&out);
	buf_z(&out, "...");
	buf_str(&out, str_from(output, mode == TRUNCATE_HEAD ? whole(output, output.n - n)
							     : output.n - (n - head)));
	return buf_as_str(&out);
}

/* ---- measurements -------------------------------------------------------------------
 */

static bool
skip(struct str text, size_t *at, const char *word)
{
	if (!str_begins(str_from(text, *at), str_of(word)))
		return false;
	*at += strlen(word);
	return true;
}

static bool
skip_name(struct str text, size_t *at)
{
	return skip(text, at, "CTestMeasurement") || skip(text, at, "DartMeasurement");
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

/* Bytes of the closing tag at from; 0 when it is none. */
static size_t
closing(struct str text, size_t from)
{
	size_t at = from;

	if (!skip(text, &at, "</") || !skip_name(text, &at))
		return 0;
	while (at < text.n && is_letter(text.p[at]))
		at++;
	return at < text.n && text.p[at] == '>' ? at + 1 - from : 0;
}

/* An element has an opening tag, anything without '<', and a closing tag; where one is
 * taken out, what stood around it may be the next. So openings wait for their closing
 * until there is any other '<'. */
struct str
truncate_measurements(struct arena *a, struct str output)
{
	struct buf out = {.arena = a};
	VEC(size_t) open = {0};
	size_t at = 0;

	if (!str_has(output, STR("Measurement")))
		return output;
	for (;;) {
		size_t plain = str_find(str_from(output, at), '<'), n;

		buf_add(&out, output.p + at, plain);
		at += plain;
		if (at == output.n)
			return buf_as_str(&out);
		n = closing(output, at);
		if (n && open.n) {
			out.n = open.v[--open.n];
			at += n;
			continue;
		}
		if (!is_opening(output, at))
			open.n = 0;
		else
			VEC_PUSH(a, &open, out.n);
		buf_char(&out, '<');
		at++;
	}
}

bool
truncate_next_measurement(struct str *output, struct str *found)
{
	size_t from = output->n;

	for (size_t at = 0; at < output->n; at++) {
		size_t n;

		at += str_find(str_from(*output, at), '<');
		n = at < output->n && from < at ? closing(*output, at) : 0;
		if (n) {
			*found = str_cut(output->p + from, at + n - from);
			*output = str_from(*output, at + n);
			return true;
		}
		from = at < output->n && is_opening(*output, at) ? at : output->n;
	}
	return false;
}
