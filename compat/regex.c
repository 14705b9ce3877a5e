/*
 * CMake's regular expressions to PCRE2. See regex.h.
 *
 * One pass of recursive descent, as deep as groups may nest (nine). It refuses what
 * CMake's compiler refuses, at the same place in the text and so with the same message;
 * what it lets through PCRE2 accepts. Every character is written so that PCRE2 cannot
 * read it as syntax, and every bracket as the set of bytes that it means, since the two
 * languages differ most inside of brackets.
 *
 * CMake compiles to a byte code of at most 64 KiB; its size is reckoned here only to
 * refuse the same giants.
 */
#include "compat/regex.h"

#include <string.h>

enum {
	GROUPS_MOST = 9,
	/* CMake's byte code: a header, an instruction, a text's end, and what is too big
	 */
	CODE_HEADER = 1,
	CODE_NODE = 3,
	CODE_TEXT_END = 1,
	CODE_LIMIT = 65535
};

struct translator {
	struct str in;
	size_t at;
	struct buf out;
	unsigned groups;
	size_t code;
	const char *why; /* NULL while all is well */
};

static bool alternatives(struct translator *t, bool *has_width);

static bool
refuse(struct translator *t, const char *why)
{
	if (!t->why)
		t->why = why;
	return false;
}

/* The character ahead, -1 at the end. */
static int
peek(const struct translator *t)
{
	return t->at < t->in.n ? (unsigned char)t->in.p[t->at] : -1;
}

static bool
is_repeat(int c)
{
	return c == '*' || c == '+' || c == '?';
}

static bool
is_special(int c)
{
	return c >= 0 && memchr("^$.[()|?+*\\", c, 11);
}

static void
emit_literal(struct translator *t, int c)
{
	bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		       (c >= 'a' && c <= 'z') || c <= ' ' || c >= 0x7f;

	if (!is_word)
		buf_char(&t->out, '\\');
	buf_char(&t->out, (char)c);
}

/* ---- brackets -------------------------------------------------------------------------
 */

struct byte_set {
	bool has[256];
};

static size_t
set_size(const struct byte_set *s)
{
	size_t n = 0;

	for (int c = 0; c < 256; c++)
		n += s->has[c];
	return n;
}

static void
emit_set(struct translator *t, const struct byte_set *s, bool negated)
{
	buf_z(&t->out, negated ? "[^" : "[");
	for (int c = 0, last; c < 256; c = last + 1) {
		last = c;
		if (!s->has[c])
			continue;
		while (last + 1 < 256 && s->has[last + 1])
			last++;
		buf_fmt(&t->out, last > c ? "\\x%02x-\\x%02x" : "\\x%02x", c, last);
	}
	buf_char(&t->out, ']');
}

/* Behind a '-' that is followed by the last byte of a range; the byte before the '-' may
 * itself have ended a range: [a-c-e] is [a-e]. */
static bool
range_to(struct translator *t, struct byte_set *s)
{
	int first = (unsigned char)t->in.p[t->at - 2], last = peek(t);

	if (first > last)
		return refuse(t, "RegularExpression::compile(): Invalid range in [].\n");
	for (int c = first + 1; c <= last; c++, t->code++)
		s->has[c] = true;
	t->at++;
	return true;
}

static void
add_member(struct translator *t, struct byte_set *s)
{
	s->has[peek(t)] = true;
	t->code++;
	t->at++;
}

/* Behind the '['. A ']' or '-' in front is a member. */
static bool
bracket(struct translator *t)
{
	struct byte_set set = {{false}};
	bool negated = peek(t) == '^';

	t->at += negated;
	t->code += CODE_NODE + CODE_TEXT_END;
	if (peek(t) == ']' || peek(t) == '-')
		add_member(t, &set);
	while (peek(t) >= 0 && peek(t) != ']') {
		if (peek(t) != '-') {
			add_member(t, &set);
			continue;
		}
		t->at++;
		if (peek(t) == ']' || peek(t) < 0) {
			set.has['-'] = true;
			t->code++;
		} else if (!range_to(t, &set)) {
			return false;
		}
	}
	if (peek(t) < 0)
		return refuse(t, "RegularExpression::compile(): Unmatched [].\n");
	t->at++;
	if (!negated && set_size(&set) == 1)
		emit_literal(t, (int)((bool *)memchr(set.has, true, 256) - set.has));
	else
		emit_set(t, &set, negated);
	return true;
}

/* ---- pieces ---------------------------------------------------------------------------
 */

/* What an atom was, for the repetition behind it. */
struct atom {
	bool has_width; /* never matches the empty text */
	bool is_simple; /* one byte wide */
};

/* Behind the '('. */
static bool
group(struct translator *t, struct atom *is)
{
	if (t->groups == GROUPS_MOST)
		return refuse(t, "RegularExpression::compile(): Too many parentheses.\n");
	t->groups++;
	t->code += 2 * CODE_NODE;
	buf_char(&t->out, '(');
	if (!alternatives(t, &is->has_width))
		return false;
	if (peek(t) != ')')
		return refuse(
			t, "RegularExpression::compile(): Unmatched parentheses.\n");
	t->at++;
	buf_char(&t->out, ')');
	return true;
}

/* Characters up to the next special one; the last belongs to a repetition behind it. */
static void
text(struct translator *t, struct atom *is)
{
	size_t n = 0;

	while (t->at + n < t->in.n && !is_special((unsigned char)t->in.p[t->at + n]))
		n++;
	if (n > 1 && t->at + n < t->in.n && is_repeat((unsigned char)t->in.p[t->at + n]))
		n--;
	for (size_t i = 0; i < n; i++)
		emit_literal(t, (unsigned char)t->in.p[t->at + i]);
	t->at += n;
	t->code += CODE_NODE + n + CODE_TEXT_END;
	*is = (struct atom){.has_width = true, .is_simple = n == 1};
}

static bool
escape(struct translator *t)
{
	if (peek(t) < 0)
		return refuse(t, "RegularExpression::compile(): Trailing backslash.\n");
	emit_literal(t, peek(t));
	t->at++;
	t->code += CODE_NODE + 1 + CODE_TEXT_END;
	return true;
}

/* PCRE2 does not repeat an assertion: it stands in a group. */
static bool
anchor(struct translator *t, const char *assertion)
{
	buf_fmt(&t->out, "(?:%s)", assertion);
	t->code += CODE_NODE;
	return true;
}

static bool
atom(struct translator *t, struct atom *is)
{
	int c = peek(t);

	*is = (struct atom){false, false};
	if (is_repeat(c))
		return refuse(t, "RegularExpression::compile(): ?+* follows nothing.\n");
	if (!is_special(c)) {
		text(t, is);
		return true;
	}
	t->at++;
	if (c == '^')
		return anchor(t, "\\A");
	if (c == '$')
		return anchor(t, "\\z");
	if (c == '(')
		return group(t, is);
	*is = (struct atom){true, true};
	if (c == '[')
		return bracket(t);
	if (c == '\\')
		return escape(t);
	buf_char(&t->out, '.');
	t->code += CODE_NODE;
	return true;
}

/* An atom and the repetition behind it. */
static bool
piece(struct translator *t, bool *has_width)
{
	struct atom is;
	int c;

	if (!atom(t, &is))
		return false;
	c = peek(t);
	*has_width = is.has_width && c != '*' && c != '?';
	if (!is_repeat(c))
		return true;
	if (!is.has_width && c != '?')
		return refuse(
			t, "RegularExpression::compile() : *+ operand could be empty.\n");
	if (c == '?')
		t->code += 3 * CODE_NODE;
	else
		t->code += is.is_simple ? CODE_NODE : 4 * CODE_NODE;
	t->at++;
	if (is_repeat(peek(t)))
		return refuse(t, "RegularExpression::compile(): Nested *?+.\n");
	buf_char(&t->out, (char)c);
	return true;
}

/* One alternative. */
static bool
sequence(struct translator *t, bool *has_width)
{
	bool is_empty = true, piece_has_width;

	*has_width = false;
	t->code += CODE_NODE;
	while (peek(t) >= 0 && peek(t) != '|' && peek(t) != ')') {
		if (!piece(t, &piece_has_width))
			return false;
		*has_width |= piece_has_width;
		is_empty = false;
	}
	if (is_empty)
		t->code += CODE_NODE;
	return true;
}

static bool
alternatives(struct translator *t, bool *has_width)
{
	bool sequence_has_width;

	*has_width = true;
	for (;;) {
		if (!sequence(t, &sequence_has_width))
			return false;
		*has_width &= sequence_has_width;
		if (peek(t) != '|')
			return true;
		t->at++;
		buf_char(&t->out, '|');
	}
}

static bool
whole(struct translator *t)
{
	bool has_width;

	t->code = CODE_HEADER + CODE_NODE;
	if (!alternatives(t, &has_width))
		return false;
	return peek(t) < 0 ||
	       refuse(t, "RegularExpression::compile(): Unmatched parentheses.\n");
}

bool
regex_translate(struct arena *a, struct str text, struct str *pcre2, struct str *why)
{
	struct translator t = {
		.in = str_cut(text.p, str_find(text, '\0')), .out.arena = a};

	if (!whole(&t)) {
		*why = str_fmt(
			a, "%sRegularExpression::compile(): Error in compile.\n", t.why);
		return false;
	}
	if (t.code >= CODE_LIMIT) {
		*why = STR("RegularExpression::compile(): Expression too big.\n");
		return false;
	}
	*pcre2 = buf_as_str(&t.out);
	return true;
}
