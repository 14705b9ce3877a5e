/* Reads the record that cmake has written about a file. See cmake_record.h. */
#include "manifests/bridge/cmake_record.h"

/* ---- the record ------------------------------------------------------------------ */

/* Takes digits and the byte after them. */
static bool
take_number(struct str *text, char end, size_t *value)
{
	size_t n = str_find(*text, end);
	uint64_t v;

	if (n == text->n || !str_unsigned(str_cut(text->p, n), SIZE_MAX, &v))
		return false;
	*value = (size_t)v;
	*text = str_from(*text, n + 1);
	return true;
}

static bool
take_field(struct str *text, struct str *field)
{
	size_t n;

	if (!take_number(text, ':', &n) || n > text->n)
		return false;
	*field = str_cut(text->p, n);
	*text = str_from(*text, n);
	return true;
}

/* Takes one byte. */
static bool
take_byte(struct str *text, char c)
{
	if (!text->n || *text->p != c)
		return false;
	*text = str_from(*text, 1);
	return true;
}

/* Splits "a;b\;c" into exactly n words. */
static bool
unpack_words(struct arena *a, struct str packed, struct str *words, size_t n)
{
	struct buf b = {.arena = a};
	size_t done = 0;

	for (size_t i = 0; i < packed.n; i++) {
		char c = packed.p[i];

		if (c == '\\' && i + 1 < packed.n && packed.p[i + 1] == ';') {
			buf_char(&b, packed.p[++i]);
		} else if (c != ';') {
			buf_char(&b, c);
		} else {
			if (done == n)
				return false;
			words[done++] = str_dup(a, buf_as_str(&b));
			b.n = 0;
		}
	}
	if (n == 0)
		return packed.n == 0;
	if (done != n - 1)
		return false;
	words[done] = str_dup(a, buf_as_str(&b));
	return true;
}

static bool
take_words(struct arena *a, struct str *text, struct str *words, size_t n)
{
	struct str packed;

	if (take_byte(text, 'P'))
		return take_byte(text, ' ') && take_field(text, &packed) &&
		       unpack_words(a, packed, words, n);
	if (!take_byte(text, 'N'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!take_byte(text, ' ') || !take_field(text, &words[i]))
			return false;
	return true;
}

/* One line of the record. */
static bool
take_call(struct arena *a, struct str *text, struct cmake_call *call)
{
	size_t space = str_find(*text, ' '), n;

	call->command = str_cut(text->p, space);
	if (space == text->n)
		return false;
	*text = str_from(*text, space + 1);
	/* Every word takes at least one byte, its comma or semicolon. */
	if (!take_number(text, ' ', &n) || n > text->n + 1)
		return false;
	call->words = (struct str_list){NEW_ARRAY(a, struct str, n), n};
	return take_words(a, text, call->words.v, n) && take_byte(text, '\n');
}

bool
cmake_record_parse(struct arena *a, struct str record, struct cmake_answer *answer)
{
	INVARIANT(answer);
	VEC(struct cmake_call) calls = {0};
	VEC(struct variable) variables = {0};
	struct cmake_call call;
	bool is_whole = false;

	while (!is_whole && record.n && take_call(a, &record, &call)) {
		is_whole = str_is(call.command, "end");
		if (str_is(call.command, "variable") && call.words.n == 2)
			VEC_PUSH(a, &variables,
				(struct variable){call.words.v[0], call.words.v[1]});
		else if (!is_whole)
			VEC_PUSH(a, &calls, call);
	}
	answer->calls = calls.v;
	answer->calls_n = calls.n;
	answer->variables = variables.v;
	answer->variables_n = variables.n;
	return is_whole && record.n == 0;
}
