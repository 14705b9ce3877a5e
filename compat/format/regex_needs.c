/*
 * Reads an expression as CMake does, but only as far as it can be sure: a match must
 * contain each run of plain characters, unless a '*' or '?' follows the run. Of several
 * runs the longest is best; alternatives need one run each.
 *
 * An expression that CMake refuses never matches, so that any result for it is right. See
 * regex_needs.h.
 */
#include "compat/format/regex_needs.h"

enum { NESTING_MOST = 16, TEXT_MOST = 24 };

struct reader {
	struct arena *arena;
	struct str rest;
	int nesting;
};
struct branch {
	struct regex_needs best;
	struct buf run;
};

static struct regex_needs alternatives(struct reader *r);

static bool
ends(const struct reader *r)
{
	return !r->rest.n || *r->rest.p == '|' || *r->rest.p == ')';
}

static char
take(struct reader *r)
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
	return take(r);
}

/* ---- which is best --------------------------------------------------------------- */

static size_t
shortest(const struct regex_needs *n)
{
	size_t least = n->n ? n->texts[0].n : 0;

	for (size_t i = 1; i < n->n; i++)
		least = n->texts[i].n < least ? n->texts[i].n : least;
	return least;
}

static void
consider(struct branch *b, const struct regex_needs *n)
{
	if (shortest(n) > shortest(&b->best))
		b->best = *n;
}

/* The end of a long run is as good as all of it. */
static void
end_run(struct reader *r, struct branch *b)
{
	struct str text = buf_as_str(&b->run);
	struct regex_needs one = {.n = 1};

	if (text.n > TEXT_MOST)
		text = str_from(text, text.n - TEXT_MOST);
	if (text.n) {
		one.texts[0] = str_dup(r->arena, text);
		consider(b, &one);
	}
	b->run.n = 0;
}

/* ---- reading --------------------------------------------------------------------- */

/* After the '['. A ']' that comes first is one of the characters. */
static void
pass_set(struct reader *r)
{
	if (r->rest.n && *r->rest.p == '^')
		take(r);
	if (r->rest.n)
		take(r);
	while (r->rest.n && take(r) != ']')
		;
}

static void
group(struct reader *r, struct branch *b)
{
	struct regex_needs inside = {.n = 0};
	char repeat;

	r->nesting++;
	if (r->nesting <= NESTING_MOST)
		inside = alternatives(r);
	r->nesting--;
	if (r->rest.n)
		take(r);
	repeat = take_repeat(r);
	if (repeat != '*' && repeat != '?')
		consider(b, &inside);
}

static void
character(struct reader *r, struct branch *b, char c)
{
	char repeat;

	if (c == '\\' && r->rest.n)
		c = take(r);
	repeat = take_repeat(r);
	if (repeat != '*' && repeat != '?')
		buf_char(&b->run, c);
	if (repeat)
		end_run(r, b);
}

static void
piece(struct reader *r, struct branch *b)
{
	char c = take(r);

	switch (c) {
	case '[':
		end_run(r, b);
		pass_set(r);
		take_repeat(r);
		break;
	case '(':
		end_run(r, b);
		group(r, b);
		break;
	case '.':
	case '^':
	case '$':
		end_run(r, b);
		take_repeat(r);
		break;
	default:
		character(r, b, c);
	}
}

static struct regex_needs
branch(struct reader *r)
{
	struct branch b = {.run = {.arena = r->arena}};

	while (!ends(r))
		piece(r, &b);
	end_run(r, &b);
	return b.best;
}

static struct regex_needs
alternatives(struct reader *r)
{
	struct regex_needs all = branch(r);

	while (r->rest.n && *r->rest.p == '|') {
		struct regex_needs next;

		take(r);
		next = branch(r);
		if (!all.n || !next.n || all.n + next.n > REGEX_NEEDS_MOST) {
			all.n = 0;
			continue;
		}
		for (size_t i = 0; i < next.n; i++)
			all.texts[all.n++] = next.texts[i];
	}
	return all;
}

/* A ')' without its '(', or nesting that is too deep, leaves text unread. */
struct regex_needs
regex_needs_of(struct arena *a, struct str expression)
{
	struct reader r = {.arena = a, .rest = expression};
	struct regex_needs n = alternatives(&r);

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
		take(&r);
	if (!r.rest.n || take(&r) != '[')
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
