/* Texts in pieces. See long_text.h. */
#include "runner/base/long_text.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* A page of a shared mapping can be dropped: it is read from the file again. */
void
long_text_let_go(const struct long_text *t, size_t from, size_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)t->s.p + from) / page * page;
	uintptr_t behind = ((uintptr_t)t->s.p + to) / page * page;

	INVARIANT(from <= to);
	if (t->is_mapped && first < behind)
		(void)madvise((void *)first, behind - first, MADV_DONTNEED);
}

size_t
long_text_pass(const struct long_text *t, size_t read, size_t at)
{
	INVARIANT(read <= at);
	if (at - read < LONG_TEXT_PIECE)
		return read;
	long_text_let_go(t, 0, at);
	return at;
}

bool
long_text_equal(const struct long_text *a, const struct long_text *b)
{
	struct long_reader of_a = {.text = a}, of_b = {.text = b};
	struct str p, q;

	if (a->s.n != b->s.n)
		return false;
	while (long_text_next(&of_a, &p) && long_text_next(&of_b, &q))
		if (!str_eq(p, q))
			return false;
	return true;
}

size_t
long_text_search(const struct long_text *t, size_t from, struct str what)
{
	INVARIANT(from <= t->s.n);
	while (from < t->s.n) {
		size_t left = t->s.n - from, more = LONG_TEXT_PIECE + what.n - 1;
		struct str piece = {t->s.p + from, left < more ? left : more};
		size_t at = str_search(piece, what);

		if (at < piece.n)
			return from + at;
		long_text_let_go(t, from, from + piece.n);
		if (piece.n == left)
			break;
		from += LONG_TEXT_PIECE;
	}
	return t->s.n;
}

static size_t
last_in(struct str s, struct str what)
{
	for (size_t n = s.n; n >= what.n; n--)
		if (memcmp(s.p + n - what.n, what.p, what.n) == 0)
			return n - what.n;
	return s.n;
}

size_t
long_text_search_back(const struct long_text *t, size_t to, struct str what)
{
	INVARIANT(to <= t->s.n);
	while (to >= what.n) {
		size_t most = LONG_TEXT_PIECE + what.n - 1;
		size_t from = to > most ? to - most : 0;
		struct str piece = {t->s.p + from, to - from};
		size_t at = last_in(piece, what);

		if (at < piece.n)
			return from + at;
		long_text_let_go(t, from, to);
		if (from == 0)
			break;
		to = from + what.n - 1;
	}
	return t->s.n;
}

bool
long_text_has(const struct long_text *t, struct str what)
{
	return long_text_search(t, 0, what) < t->s.n;
}

bool
long_text_next(struct long_reader *r, struct str *piece)
{
	size_t left = r->text->s.n - r->to;

	INVARIANT(r->to <= r->text->s.n);
	long_text_let_go(r->text, r->from, r->to);
	r->from = r->to;
	r->to += left < LONG_TEXT_PIECE ? left : LONG_TEXT_PIECE;
	*piece = str_cut(r->text->s.p + r->from, r->to - r->from);
	return piece->n > 0;
}
