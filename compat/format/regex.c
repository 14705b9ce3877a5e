/*
 * Parses CMake's regular expressions into trees. See regex.h.
 *
 * One pass of recursive descent, at most as deep as groups may nest (nine). It refuses
 * what CMake's compiler refuses, at the same place in the text and with the same message.
 *
 * CMake compiles to a byte code of at most 64 KiB; its size is computed here only to
 * refuse the same expressions.
 */
#include "compat/format/regex.h"

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

struct parser {
	struct arena *arena;
	struct str in;
	size_t at;
	unsigned groups;
	size_t code;
	const char *why; /* NULL: no error so far */
};

static struct regex_node *parse_alternatives(struct parser *p, bool *has_width);

/* Records why. Always NULL. */
static struct regex_node *
refuse_regex(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return NULL;
}

/* The next character, -1 at the end. */
static int
peek_byte(const struct parser *p)
{
	return p->at < p->in.n ? (unsigned char)p->in.p[p->at] : -1;
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

static struct regex_node *
node_of(struct parser *p, enum regex_kind kind)
{
	struct regex_node *n = NEW(p->arena, struct regex_node);

	n->kind = kind;
	return n;
}

/* A list of siblings to which nodes are appended. */
struct siblings {
	struct regex_node *first, **end;
};

static void
append_node(struct siblings *s, struct regex_node *n)
{
	if (!s->first)
		s->end = &s->first;
	*s->end = n;
	s->end = &n->next;
}

/* The only sibling, or a node of this kind that holds all. */
static struct regex_node *
parent_of(struct parser *p, enum regex_kind kind, const struct siblings *s)
{
	struct regex_node *n;

	if (s->first && !s->first->next)
		return s->first;
	n = node_of(p, kind);
	n->child = s->first;
	return n;
}

static struct regex_node *
byte_node(struct parser *p, int c)
{
	struct regex_node *n = node_of(p, REGEX_BYTE);

	n->byte = (unsigned char)c;
	return n;
}

/* ---- brackets -------------------------------------------------------------------- */

static unsigned
set_size(const struct byte_set *s)
{
	unsigned n = 0;

	for (int c = 0; c < 256; c++)
		n += byte_set_has(s, (unsigned char)c);
	return n;
}

static struct regex_node *
set_node(struct parser *p, const struct byte_set *members, bool negated)
{
	struct byte_set *set;
	struct regex_node *n;
	int first = 0;

	if (!negated && set_size(members) == 1) {
		while (!byte_set_has(members, (unsigned char)first))
			first++;
		return byte_node(p, first);
	}
	set = NEW(p->arena, struct byte_set);
	for (int i = 0; i < 4; i++)
		set->words[i] = negated ? ~members->words[i] : members->words[i];
	n = node_of(p, REGEX_SET);
	n->set = set;
	return n;
}

/* After a '-' that the last byte of a range follows. The byte before the '-' may itself
 * have ended a range: [a-c-e] is [a-e]. */
static bool
range_to(struct parser *p, struct byte_set *s)
{
	int first = (unsigned char)p->in.p[p->at - 2], last = peek_byte(p);

	if (first > last)
		return refuse_regex(p,
			       "RegularExpression::compile(): Invalid range in [].\n") !=
		       NULL;
	for (int c = first + 1; c <= last; c++, p->code++)
		byte_set_add(s, (unsigned char)c);
	p->at++;
	return true;
}

static void
add_member(struct parser *p, struct byte_set *s)
{
	byte_set_add(s, (unsigned char)peek_byte(p));
	p->code++;
	p->at++;
}

/* After the '['. A ']' or '-' that comes first is a member. */
static struct regex_node *
parse_bracket(struct parser *p)
{
	struct byte_set set = {{0}};
	bool negated = peek_byte(p) == '^';

	p->at += negated;
	p->code += CODE_NODE + CODE_TEXT_END;
	if (peek_byte(p) == ']' || peek_byte(p) == '-')
		add_member(p, &set);
	while (peek_byte(p) >= 0 && peek_byte(p) != ']') {
		if (peek_byte(p) != '-') {
			add_member(p, &set);
			continue;
		}
		p->at++;
		if (peek_byte(p) == ']' || peek_byte(p) < 0) {
			byte_set_add(&set, '-');
			p->code++;
		} else if (!range_to(p, &set)) {
			return NULL;
		}
	}
	if (peek_byte(p) < 0)
		return refuse_regex(p, "RegularExpression::compile(): Unmatched [].\n");
	p->at++;
	return set_node(p, &set, negated);
}

/* ---- pieces ---------------------------------------------------------------------- */

/* What the repetition after a piece, or after a list of pieces, must know. */
struct shape {
	bool has_width; /* never matches the empty text */
	bool is_simple; /* one byte wide */
};

/* After the '('. */
static struct regex_node *
parse_group(struct parser *p, struct shape *is)
{
	struct regex_node *n;

	if (p->groups == GROUPS_MOST)
		return refuse_regex(
			p, "RegularExpression::compile(): Too many parentheses.\n");
	n = node_of(p, REGEX_GROUP);
	n->group = (unsigned char)++p->groups;
	p->code += 2 * CODE_NODE;
	n->child = parse_alternatives(p, &is->has_width);
	if (!n->child)
		return NULL;
	if (peek_byte(p) != ')')
		return refuse_regex(
			p, "RegularExpression::compile(): Unmatched parentheses.\n");
	p->at++;
	return n;
}

/* Characters up to the next special one. A repetition after them applies to the last
 * one. */
static struct regex_node *
parse_text(struct parser *p, struct shape *is)
{
	struct siblings bytes = {NULL, NULL};
	size_t n = 0;

	while (p->at + n < p->in.n && !is_special((unsigned char)p->in.p[p->at + n]))
		n++;
	if (n > 1 && p->at + n < p->in.n && is_repeat((unsigned char)p->in.p[p->at + n]))
		n--;
	for (size_t i = 0; i < n; i++)
		append_node(&bytes, byte_node(p, p->in.p[p->at + i]));
	p->at += n;
	p->code += CODE_NODE + n + CODE_TEXT_END;
	*is = (struct shape){.has_width = true, .is_simple = n == 1};
	return parent_of(p, REGEX_SEQUENCE, &bytes);
}

static struct regex_node *
parse_escape(struct parser *p)
{
	if (peek_byte(p) < 0)
		return refuse_regex(
			p, "RegularExpression::compile(): Trailing backslash.\n");
	p->code += CODE_NODE + 1 + CODE_TEXT_END;
	return byte_node(p, p->in.p[p->at++]);
}

static struct regex_node *
make_simple(struct parser *p, enum regex_kind kind)
{
	p->code += CODE_NODE;
	return node_of(p, kind);
}

static struct regex_node *
parse_atom(struct parser *p, struct shape *is)
{
	int c = peek_byte(p);

	*is = (struct shape){false, false};
	if (is_repeat(c))
		return refuse_regex(
			p, "RegularExpression::compile(): ?+* follows nothing.\n");
	if (!is_special(c))
		return parse_text(p, is);
	p->at++;
	if (c == '^')
		return make_simple(p, REGEX_BEGIN);
	if (c == '$')
		return make_simple(p, REGEX_END);
	if (c == '(')
		return parse_group(p, is);
	*is = (struct shape){true, true};
	if (c == '[')
		return parse_bracket(p);
	if (c == '\\')
		return parse_escape(p);
	return make_simple(p, REGEX_ANY);
}

/* The atom `of` with the repetition c. */
static struct regex_node *
make_repetition(struct parser *p, int c, struct regex_node *of, const struct shape *is)
{
	struct regex_node *n;

	if (!is->has_width && c != '?')
		return refuse_regex(
			p, "RegularExpression::compile() : *+ operand could be empty.\n");
	if (c == '?')
		p->code += 3 * CODE_NODE;
	else
		p->code += is->is_simple ? CODE_NODE : 4 * CODE_NODE;
	p->at++;
	if (is_repeat(peek_byte(p)))
		return refuse_regex(p, "RegularExpression::compile(): Nested *?+.\n");
	n = node_of(p, c == '?' ? REGEX_OPTIONAL : c == '*' ? REGEX_STAR : REGEX_PLUS);
	n->child = of;
	return n;
}

/* An atom and the repetition after it. */
static struct regex_node *
parse_piece(struct parser *p, bool *has_width)
{
	struct shape is;
	struct regex_node *n = parse_atom(p, &is);
	int c = peek_byte(p);

	if (!n)
		return NULL;
	*has_width = is.has_width && c != '*' && c != '?';
	return is_repeat(c) ? make_repetition(p, c, n, &is) : n;
}

/* One alternative. */
static struct regex_node *
parse_sequence(struct parser *p, bool *has_width)
{
	struct siblings pieces = {NULL, NULL};
	bool piece_has_width;

	*has_width = false;
	p->code += CODE_NODE;
	while (peek_byte(p) >= 0 && peek_byte(p) != '|' && peek_byte(p) != ')') {
		struct regex_node *n = parse_piece(p, &piece_has_width);

		if (!n)
			return NULL;
		append_node(&pieces, n);
		*has_width |= piece_has_width;
	}
	if (!pieces.first)
		p->code += CODE_NODE;
	return parent_of(p, REGEX_SEQUENCE, &pieces);
}

static struct regex_node *
parse_alternatives(struct parser *p, bool *has_width)
{
	struct siblings all = {NULL, NULL};
	bool sequence_has_width;

	*has_width = true;
	for (;;) {
		struct regex_node *n = parse_sequence(p, &sequence_has_width);

		if (!n)
			return NULL;
		append_node(&all, n);
		*has_width &= sequence_has_width;
		if (peek_byte(p) != '|')
			return parent_of(p, REGEX_ALTERNATIVES, &all);
		p->at++;
	}
}

static struct regex_node *
parse_whole(struct parser *p)
{
	bool has_width;
	struct regex_node *n;

	p->code = CODE_HEADER + CODE_NODE;
	n = parse_alternatives(p, &has_width);
	if (n && peek_byte(p) >= 0)
		return refuse_regex(
			p, "RegularExpression::compile(): Unmatched parentheses.\n");
	return n;
}

bool
regex_parse(struct arena *a, struct str text, struct regex_tree *tree, struct str *why)
{
	struct parser p = {.arena = a, .in = str_cut(text.p, str_find(text, '\0'))};
	const struct regex_node *root = parse_whole(&p);

	INVARIANT(tree);
	if (!root) {
		*why = str_fmt(
			a, "%sRegularExpression::compile(): Error in compile.\n", p.why);
		return false;
	}
	if (p.code >= CODE_LIMIT) {
		*why = STR("RegularExpression::compile(): Expression too big.\n");
		return false;
	}
	*tree = (struct regex_tree){root, p.groups};
	return true;
}
