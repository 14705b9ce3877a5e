/*
 * Ranges that are left to compare are a stack. In a range without a line that both texts
 * have once, the longest common subsequence decides where its table is small; else all
 * of the range counts as changed. See line_diff.h.
 */
#include "compat/compare/line_diff.h"

/* Cells of a table, and how often a range is divided. */
enum { TABLE_MOST = 1 << 22, DEPTH_MOST = 64 };

struct range {
	size_t a, a_end, b, b_end;
	unsigned depth;
};
struct diff {
	struct arena *arena, *scratch; /* scratch: for one range */
	uint32_t *from, *to; /* lines as numbers: equal lines have the same */
	uint32_t *seen_from, *seen_to, *at; /* by number of the line, in one range */
	VEC(struct range) left;
	line_changes changes;
};
/* A line that both have once. */
struct anchor {
	size_t a, b, before; /* before: the anchor before it in the longest row, from 1 */
};

static void
add_change(struct diff *d, const struct range *r)
{
	line_changes *c = &d->changes;
	struct line_change *last = c->n ? &c->v[c->n - 1] : NULL;
	size_t a_n = r->a_end - r->a, b_n = r->b_end - r->b;

	if (!a_n && !b_n)
		return;
	if (last && last->a + last->a_n == r->a && last->b + last->b_n == r->b) {
		last->a_n += a_n;
		last->b_n += b_n;
	} else
		VEC_PUSH(d->arena, c, (struct line_change){r->a, a_n, r->b, b_n});
}

static void
strip_ends(const struct diff *d, struct range *r)
{
	while (r->a < r->a_end && r->b < r->b_end && d->from[r->a] == d->to[r->b]) {
		r->a++;
		r->b++;
	}
	while (r->a < r->a_end && r->b < r->b_end &&
		d->from[r->a_end - 1] == d->to[r->b_end - 1]) {
		r->a_end--;
		r->b_end--;
	}
}

/* ---- lines that both have once --------------------------------------------------- */

static void
count_lines(struct diff *d, const struct range *r, int step)
{
	for (size_t i = r->a; i < r->a_end; i++)
		d->seen_from[d->from[i]] += (uint32_t)step;
	for (size_t i = r->b; i < r->b_end; i++) {
		d->seen_to[d->to[i]] += (uint32_t)step;
		d->at[d->to[i]] = (uint32_t)i;
	}
}

static size_t
find_anchors(struct diff *d, const struct range *r, struct anchor *v)
{
	size_t n = 0;

	count_lines(d, r, 1);
	for (size_t i = r->a; i < r->a_end; i++)
		if (d->seen_from[d->from[i]] == 1 && d->seen_to[d->from[i]] == 1)
			v[n++] = (struct anchor){i, d->at[d->from[i]], 0};
	count_lines(d, r, -1);
	return n;
}

/* Of anchors in the order of the first text, the longest row that is in the order of the
 * second, too, last one first. Returns its length. */
static size_t
longest_row(struct arena *a, struct anchor *v, size_t n, size_t *row)
{
	size_t *tops = NEW_ARRAY(a, size_t, n); /* the last anchor of the best row */
	size_t rows = 0, at, i;

	for (size_t k = 0; k < n; k++) {
		BISECT(i, rows, v[tops[i]].b > v[k].b);
		v[k].before = i ? tops[i - 1] + 1 : 0;
		tops[i] = k;
		rows += i == rows;
	}
	at = rows ? tops[rows - 1] + 1 : 0;
	for (i = 0; at; at = v[at - 1].before)
		row[i++] = at - 1;
	return rows;
}

/* The parts between the anchors, so that the first is taken first. */
static void
divide(struct diff *d, const struct range *r, const struct anchor *v, const size_t *row,
	size_t n)
{
	struct range part = *r;

	part.depth++;
	for (size_t i = 0; i < n; i++) {
		part.a = v[row[i]].a + 1;
		part.b = v[row[i]].b + 1;
		VEC_PUSH(d->arena, &d->left, part);
		part.a_end = part.a - 1;
		part.b_end = part.b - 1;
	}
	part.a = r->a;
	part.b = r->b;
	VEC_PUSH(d->arena, &d->left, part);
}

/* false: no line is in both once. */
static bool
divide_at_anchors(struct diff *d, const struct range *r)
{
	size_t most = r->a_end - r->a;
	struct anchor *v = NEW_ARRAY(d->scratch, struct anchor, most);
	size_t n = find_anchors(d, r, v);
	size_t *row = NEW_ARRAY(d->scratch, size_t, n);

	if (n)
		divide(d, r, v, row, longest_row(d->scratch, v, n, row));
	return n > 0;
}

/* ---- small ranges ---------------------------------------------------------------- */

/* Cell (i, k): the length of the longest common subsequence from lines i and k on. */
static uint32_t *
fill_table(struct diff *d, const struct range *r)
{
	size_t n = r->a_end - r->a, m = r->b_end - r->b, width = m + 1;
	uint32_t *t = NEW_ARRAY(d->scratch, uint32_t, (n + 1) * width);

	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			uint32_t right = t[i * width + k + 1],
				 down = t[(i + 1) * width + k];

			if (d->from[r->a + i] == d->to[r->b + k])
				t[i * width + k] = t[(i + 1) * width + k + 1] + 1;
			else
				t[i * width + k] = right > down ? right : down;
		}
	return t;
}

static void
walk_table(struct diff *d, const struct range *r)
{
	size_t width = r->b_end - r->b + 1;
	const uint32_t *t = fill_table(d, r);
	struct range change = *r;

	change.a_end = r->a;
	change.b_end = r->b;
	while (change.a_end < r->a_end && change.b_end < r->b_end) {
		size_t i = change.a_end - r->a, k = change.b_end - r->b;

		if (d->from[change.a_end] == d->to[change.b_end]) {
			add_change(d, &change);
			change.a = ++change.a_end;
			change.b = ++change.b_end;
		} else if (t[(i + 1) * width + k] >= t[i * width + k + 1])
			change.a_end++;
		else
			change.b_end++;
	}
	change.a_end = r->a_end;
	change.b_end = r->b_end;
	add_change(d, &change);
}

static void
compare_range(struct diff *d, struct range r)
{
	strip_ends(d, &r);
	if (r.a == r.a_end || r.b == r.b_end)
		add_change(d, &r);
	else if (r.depth < DEPTH_MOST && divide_at_anchors(d, &r))
		;
	else if ((r.a_end - r.a + 1) < TABLE_MOST / (r.b_end - r.b + 1))
		walk_table(d, &r);
	else
		add_change(d, &r);
}

/* ---- whole texts ----------------------------------------------------------------- */

static uint32_t *
number_lines(struct arena *a, struct map *m, struct str_list lines)
{
	uint32_t *v = NEW_ARRAY(a, uint32_t, lines.n);

	for (size_t i = 0; i < lines.n; i++)
		v[i] = map_number(m, lines.v[i]);
	return v;
}

line_changes
line_diff(struct arena *a, struct str_list from, struct str_list to)
{
	struct diff d = {.arena = a, .scratch = arena_open()};
	struct map numbers = map_in(a);

	d.from = number_lines(a, &numbers, from);
	d.to = number_lines(a, &numbers, to);
	d.seen_from = NEW_ARRAY(a, uint32_t, numbers.n);
	d.seen_to = NEW_ARRAY(a, uint32_t, numbers.n);
	d.at = NEW_ARRAY(a, uint32_t, numbers.n);
	VEC_PUSH(a, &d.left, (struct range){0, from.n, 0, to.n, 0});
	while (d.left.n) {
		struct arena_mark mark = arena_mark(d.scratch);

		compare_range(&d, d.left.v[--d.left.n]);
		arena_rewind(d.scratch, mark);
	}
	arena_close(d.scratch);
	return d.changes;
}
