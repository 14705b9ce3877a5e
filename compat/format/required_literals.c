/*
 * Reads an expression as CMake does, but only as far as it can be sure: a match must
 * contain each run of plain characters, unless a '*' or '?' follows the run. Of several
 * runs the longest is best; alternatives need one run each.
 *
 * An expression that CMake refuses never matches, so that any result for it is right. See
 * required_literals.h.
 */
#include "compat/format/required_literals.h"

enum { NESTING_MOST = 16, TEXT_MOST = 24 };

struct reader {
	struct arena *arena;
	struct str rest;
	int nesting;
};
struct branch {
	struct required_literals best;
	struct buf run;
};

static struct required_literals read_alternatives(struct reader *r);

static bool
is_at_end(const struct reader *r)
{
	return !r->rest.n || *r->rest.p == '|' || *r->rest.p == ')';
}

static char
take_char(struct reader *r)
{
	char c = *r->rest.p;

	r->rest = str_from(r->rest, 1);
	return c;
}

/* Consumes the repetition that comes next; 0: none. */
static char
take_repeat(struct reader *r)
{
	char c = r->rest.n ? *r->rest.p : 0;

	if (c != '*' && c != '+' && c != '?')
		return 0;
	return take_char(r);
}

/* ---- which is best --------------------------------------------------------------- */

static size_t
shortest_length(const struct required_literals *n)
{
	size_t least = n->n ? n->texts[0].n : 0;

	for (size_t i = 1; i < n->n; i++)
		least = n->texts[i].n < least ? n->texts[i].n : least;
	return least;
}

static void
keep_best(struct branch *b, const struct required_literals *n)
{
	if (shortest_length(n) > shortest_length(&b->best))
		b->best = *n;
}

/* The end of a long run is as good as all of it. */
static void
end_run(struct reader *r, struct branch *b)
{
	struct str text = buf_as_str(&b->run);
	struct required_literals one = {.n = 1};

	if (text.n > TEXT_MOST)
		text = str_from(text, text.n - TEXT_MOST);
	if (text.n) {
		one.texts[0] = str_dup(r->arena, text);
		keep_best(b, &one);
	}
	b->run.n = 0;
}

/* ---- reading --------------------------------------------------------------------- */

/* After the '['. A ']' that comes first is one of the characters. */
static void
pass_set(struct reader *r)
{
	if (r->rest.n && *r->rest.p == '^')
		take_char(r);
	if (r->rest.n)
		take_char(r);
	while (r->rest.n && take_char(r) != ']')
		;
}

static void
read_group(struct reader *r, struct branch *b)
{
	struct required_literals inside = {.n = 0};
	char repeat;

	r->nesting++;
	if (r->nesting <= NESTING_MOST)
		inside = read_alternatives(r);
	r->nesting--;
	if (r->rest.n)
		take_char(r);
	repeat = take_repeat(r);
	if (repeat != '*' && repeat != '?')
		keep_best(b, &inside);
}

static void
read_character(struct reader *r, struct branch *b, char c)
{
	char repeat;

	if (c == '\\' && r->rest.n)
		c = take_char(r);
	repeat = take_repeat(r);
	if (repeat != '*' && repeat != '?')
		buf_char(&b->run, c);
	if (repeat)
		end_run(r, b);
}

static void
read_piece(struct reader *r, struct branch *b)
{
	char c = take_char(r);

	switch (c) {
	case '[':
		end_run(r, b);
		pass_set(r);
		take_repeat(r);
		break;
	case '(':
		end_run(r, b);
		read_group(r, b);
		break;
	case '.':
	case '^':
	case '$':
		end_run(r, b);
		take_repeat(r);
		break;
	default:
		read_character(r, b, c);
	}
}

static struct required_literals
read_branch(struct reader *r)
{
	struct branch b = {.run = {.arena = r->arena}};

	while (!is_at_end(r))
		read_piece(r, &b);
	end_run(r, &b);
	return b.best;
}

static struct required_literals
read_alternatives(struct reader *r)
{
	struct required_literals all = read_branch(r);

	while (r->rest.n && *r->rest.p == '|') {
		struct required_literals next;

		take_char(r);
		next = read_branch(r);
		if (!all.n || !next.n || all.n + next.n > REQUIRED_LITERALS_MOST) {
			all.n = 0;
			continue;
		}
		for (size_t i = 0; i < next.n; i++)
			all.texts[all.n++] = next.texts[i];
	}
	return all;
}

/* A ')' without its '(', or nesting that is too deep, leaves text unread. */
struct required_literals
required_literals_of(struct arena *a, struct str expression)
{
	struct reader r = {.arena = a, .rest = expression};
	struct required_literals n = read_alternatives(&r);

	if (r.rest.n)
		n.n = 0;
	return n;
}

/* ---- lean ------------------------------------------------------------------------ */

/* The match that starts last contains one character of the set. */
struct str
regex_lean(struct arena *a, struct str expression)
{
	struct reader r = {.arena = a, .rest = expression};
	bool in_group = r.rest.n && *r.rest.p == '(';
	size_t plus;

	if (in_group)
		take_char(&r);
	if (!r.rest.n || take_char(&r) != '[')
		return expression;
	pass_set(&r);
	plus = expression.n - r.rest.n;
	if (take_repeat(&r) != '+')
		return expression;
	/* A bare set would allow another repetition after it. */
	if (in_group ? !r.rest.n || *r.rest.p != ')' : take_repeat(&r) != 0)
		return expression;
	return str_fmt(a, "%.*s%.*s", (int)plus, expression.p,
		(int)(expression.n - plus - 1), expression.p + plus + 1);
}
