/*
 * A shape is split at its '*' into pieces. The first piece is matched at its first place
 * in the line, the others, from the last to the second, at their last places: if this
 * fails, no other choice succeeds. See memcheck_shape.h.
 */
#include "compat/dashboard/memcheck/memcheck_shape.h"

struct piece {
	const char *p, *end;
};
/* Where a piece matches. */
struct spot {
	size_t begin, end;
};
struct taking {
	size_t from, to;
};

static bool
is_number(char c)
{
	return (c >= '0' && c <= '9') || c == ',';
}

static bool
is_special(char c)
{
	return strchr("#@^~{}", c) != NULL;
}

static bool
is_of_class(char class, char c)
{
	if (class == '^')
		return c >= 'A' && c <= 'Z';
	if (class == '~')
		return c >= 'a' && c <= 'z';
	return c == class;
}

/* Where the piece ends if it matches at `at`; SIZE_MAX: it does not match. */
static size_t
fit_piece(struct piece piece, struct str line, size_t at, struct taking *t)
{
	for (const char *p = piece.p; p < piece.end; p++) {
		size_t start = at;

		if (*p == '{') {
			t->from = at;
		} else if (*p == '}') {
			t->to = at;
		} else if (*p == '#') {
			while (at < line.n && is_number(line.p[at]))
				at++;
			if (at == start)
				return SIZE_MAX;
		} else if (*p == '@') {
			while (at < line.n && line.p[at] != ' ')
				at++;
		} else if (at < line.n && is_of_class(*p, line.p[at])) {
			at++;
		} else {
			return SIZE_MAX;
		}
	}
	return at;
}

/* The first literal text of the piece. *before: the bytes that precede it in the line,
 * one for a number with which the piece begins. */
static struct str
anchor_of(struct piece piece, size_t *before)
{
	const char *p = piece.p, *end;

	*before = 0;
	for (; p < piece.end && is_special(*p); p++)
		*before += *p == '#';
	end = p;
	while (end < piece.end && !is_special(*end))
		end++;
	return str_cut(p, (size_t)(end - p));
}

/* Finds the first or the last match in the line from `from` on. */
static bool
search_piece(struct piece piece, struct str line, size_t from, bool wants_last,
	struct spot *s, struct taking *t)
{
	size_t before;
	struct str anchor = anchor_of(piece, &before);
	bool found = false;

	if (!anchor.n) {
		s->begin = s->end = wants_last ? line.n : from;
		return fit_piece(piece, line, s->end, t) == s->end;
	}
	for (size_t at = from + before; at < line.n; at++) {
		struct taking taken = *t;
		size_t hit = at + str_search(str_from(line, at), anchor), end;

		if (hit == line.n)
			break;
		at = hit;
		end = fit_piece(piece, line, hit - before, &taken);
		if (end == SIZE_MAX)
			continue;
		*s = (struct spot){hit - before, end};
		*t = taken;
		found = true;
		if (!wants_last)
			break;
	}
	return found;
}

static struct piece
first_piece(const char *shape)
{
	const char *star = strchr(shape, '*');

	return (struct piece){shape, star ? star : shape + strlen(shape)};
}

/* The piece before the one that begins at p. */
static struct piece
piece_before(const char *shape, const char *p)
{
	struct piece piece = {p - 1, p - 1};

	while (piece.p > shape && piece.p[-1] != '*')
		piece.p--;
	return piece;
}

bool
memcheck_shape_find(const char *shape, struct str line, struct str *taken)
{
	struct piece first = first_piece(shape);
	const char *p = shape + strlen(shape) + 1;
	struct taking t = {0, 0};
	struct spot head, spot;

	INVARIANT(shape && *shape);
	line.n = str_find(line, '\0');
	if (taken)
		*taken = STR("");
	if (!search_piece(first, line, 0, false, &head, &t))
		return false;
	for (struct str left = line; p > shape;) {
		struct piece piece = piece_before(shape, p);

		p = piece.p;
		if (p == shape)
			break;
		if (left.n < head.end ||
			!search_piece(piece, left, head.end, true, &spot, &t))
			return false;
		left.n = spot.begin;
	}
	if (taken && t.to > t.from)
		*taken = str_cut(line.p + t.from, t.to - t.from);
	return true;
}
