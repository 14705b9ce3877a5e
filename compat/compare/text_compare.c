/* See text_compare.h. */
#include "compat/compare/text_compare.h"

#include <ctype.h>

#include "compat/compare/line_diff.h"

enum { CONTEXT = 3 };

struct comparing {
	struct str_list first, second;
	const struct str_list *again;
	line_changes changes, own; /* own: from first to again */
	struct buf out;
};

/* ---- what the tests change themselves -------------------------------------------- */

static bool
is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a line is like two lines of one program: where these differ, between whole
 * words, it may have anything. */
static bool
is_alike(struct str line, struct str one, struct str two)
{
	size_t n = one.n < two.n ? one.n : two.n, head = 0, tail = 0;

	while (head < n && one.p[head] == two.p[head])
		head++;
	while (tail < n - head && one.p[one.n - 1 - tail] == two.p[two.n - 1 - tail])
		tail++;
	while (head && is_in_word(one.p[head - 1]))
		head--;
	while (tail && is_in_word(one.p[one.n - tail]))
		tail--;
	return line.n >= head + tail && str_begins(line, str_cut(one.p, head)) &&
	       str_ends(line, str_from(one, one.n - tail));
}

/* The own change that covers the change of the first text, or NULL. */
static const struct line_change *
find_cover(const struct comparing *c, const struct line_change *k)
{
	size_t i;

	BISECT(i, c->own.n, c->own.v[i].a + c->own.v[i].a_n >= k->a + k->a_n);
	return i < c->own.n && c->own.v[i].a <= k->a ? &c->own.v[i] : NULL;
}

/* The lines of a change that keeps their number. */
static bool
are_alike(const struct comparing *c, const struct line_change *k,
	const struct line_change *own)
{
	for (size_t i = 0; i < k->a_n; i++) {
		size_t at = k->a + i;
		struct str one = c->first.v[at],
			   two = c->again->v[own->b + (at - own->a)];

		if (!is_alike(c->second.v[k->b + i], one, two))
			return false;
	}
	return true;
}

static bool
is_own(const struct comparing *c, const struct line_change *k)
{
	const struct line_change *own = c->again ? find_cover(c, k) : NULL;

	if (!own)
		return false;
	if (own->a_n != own->b_n)
		return true;
	return k->a_n == k->b_n && are_alike(c, k, own);
}

/* ---- the diff -------------------------------------------------------------------- */

static void
add_range(struct buf *out, char sign, size_t at, size_t n)
{
	buf_fmt(out, " %c%zu", sign, n ? at + 1 : at);
	if (n != 1)
		buf_fmt(out, ",%zu", n);
}

static void
add_lines(struct buf *out, char sign, struct str_list lines, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		buf_char(out, sign);
		buf_str(out, lines.v[i]);
		buf_char(out, '\n');
	}
}

/* Changes [from, to) are near each other. Their context is that of the first text. */
static void
add_hunk(struct comparing *c, const line_changes *v, size_t from, size_t to)
{
	const struct line_change *one = &v->v[from], *last = &v->v[to - 1];
	size_t before = one->a < CONTEXT ? one->a : CONTEXT;
	size_t end = last->a + last->a_n, rest = c->first.n - end;
	size_t after = rest < CONTEXT ? rest : CONTEXT, at = one->a - before;

	if (before > one->b)
		at = one->a - (before = one->b);
	buf_z(&c->out, "@@");
	add_range(&c->out, '-', at, end + after - at);
	add_range(&c->out, '+', one->b - before,
		last->b + last->b_n + after - one->b + before);
	buf_z(&c->out, " @@\n");
	for (size_t i = from; i < to; i++) {
		const struct line_change *k = &v->v[i];

		add_lines(&c->out, ' ', c->first, at, k->a);
		add_lines(&c->out, '-', c->first, k->a, k->a + k->a_n);
		add_lines(&c->out, '+', c->second, k->b, k->b + k->b_n);
		at = k->a + k->a_n;
	}
	add_lines(&c->out, ' ', c->first, at, end + after);
}

static void
add_hunks(struct comparing *c, const line_changes *v)
{
	for (size_t from = 0, to; from < v->n; from = to) {
		for (to = from + 1; to < v->n; to++) {
			const struct line_change *k = &v->v[to - 1];

			if (v->v[to].a - (k->a + k->a_n) > 2 * CONTEXT)
				break;
		}
		add_hunk(c, v, from, to);
	}
}

struct text_comparison
text_compare(struct arena *a, struct str_list first, struct str_list second,
	const struct str_list *again)
{
	struct comparing c = {
		first, second, again, line_diff(a, first, second), {0}, {.arena = a}};
	line_changes counted = {0};

	if (again)
		c.own = line_diff(a, first, *again);
	for (size_t i = 0; i < c.changes.n; i++)
		if (!is_own(&c, &c.changes.v[i]))
			VEC_PUSH(a, &counted, c.changes.v[i]);
	add_hunks(&c, &counted);
	return (struct text_comparison){
		counted.n, c.changes.n - counted.n, buf_as_str(&c.out)};
}
