/*
 * A tree as an expression for PCRE2. See regex_tree.h. Every byte is written so that
 * PCRE2 cannot read it as syntax, and every set as the list of its bytes.
 */
#include "runner/regex/regex_tree.h"

static void
write_byte(struct buf *out, unsigned char c)
{
	bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		       (c >= 'a' && c <= 'z') || c <= ' ' || c >= 0x7f;

	if (!is_word)
		buf_char(out, '\\');
	buf_char(out, (char)c);
}

static void
write_set(struct buf *out, const struct byte_set *s)
{
	buf_char(out, '[');
	for (int c = 0, last; c < 256; c = last + 1) {
		last = c;
		if (!byte_set_has(s, (unsigned char)c))
			continue;
		while (last + 1 < 256 && byte_set_has(s, (unsigned char)(last + 1)))
			last++;
		buf_fmt(out, last > c ? "\\x%02x-\\x%02x" : "\\x%02x", c, last);
	}
	buf_char(out, ']');
}

static void
write_node(struct buf *out, const struct regex_node *n)
{
	switch (n->kind) {
	case REGEX_BYTE:
		write_byte(out, n->byte);
		return;
	case REGEX_SET:
		write_set(out, n->set);
		return;
	case REGEX_ANY:
		buf_char(out, '.');
		return;
	case REGEX_BEGIN:
		buf_z(out, "(?:\\A)"); /* PCRE2 does not repeat a bare assertion */
		return;
	case REGEX_END:
		buf_z(out, "(?:\\z)");
		return;
	case REGEX_GROUP:
		buf_char(out, '(');
		break;
	case REGEX_SEQUENCE:
	case REGEX_ALTERNATIVES:
	case REGEX_OPTIONAL:
	case REGEX_STAR:
	case REGEX_PLUS:
		break;
	}
	for (const struct regex_node *c = n->child; c; c = c->next) {
		write_node(out, c);
		if (c->next && n->kind == REGEX_ALTERNATIVES)
			buf_char(out, '|');
	}
	if (n->kind == REGEX_GROUP)
		buf_char(out, ')');
	else if (n->kind == REGEX_OPTIONAL)
		buf_char(out, '?');
	else if (n->kind == REGEX_STAR)
		buf_char(out, '*');
	else if (n->kind == REGEX_PLUS)
		buf_char(out, '+');
}

struct str
regex_tree_pcre2(struct arena *a, const struct regex_tree *t)
{
	struct buf out = {.arena = a};

	INVARIANT(t);
	write_node(&out, t->root);
	return buf_as_str(&out);
}
