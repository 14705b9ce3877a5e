/*
 * A text that may be longer than memory should hold. It then lies in a file that is
 * mapped, and whoever has read a part of it lets that part go: it comes back from the
 * file when somebody reads it again. So readers go through it in pieces, from one end to
 * the other.
 */
#ifndef CCTR_RUNNER_BASE_LONG_TEXT_H
#define CCTR_RUNNER_BASE_LONG_TEXT_H

#include "runner/base/base.h"

enum { LONG_TEXT_PIECE = 1 << 20 };

struct long_text {
	struct str s;
	bool is_mapped; /* shared, from a file */
};

static inline struct long_text
long_text_of(struct str s)
{
	return (struct long_text){s, false};
}

static inline struct long_text
long_text_from(const struct long_text *t, size_t at)
{
	return (struct long_text){str_from(t->s, at), t->is_mapped};
}

/* Nothing happens to a text in memory. */
void long_text_let_go(const struct long_text *t, size_t from, size_t to);
/* For who reads on in small steps and has come from read to at: all before that is let go
 * when it is a piece. What read is from then on. */
size_t long_text_pass(const struct long_text *t, size_t read, size_t at);
/* Where that begins, at from or behind it; t->s.n: nowhere. */
size_t long_text_search(const struct long_text *t, size_t from, struct str what);
/* Where the last of them begins that ends before to or there; t->s.n: nowhere. */
size_t long_text_search_back(const struct long_text *t, size_t to, struct str what);
bool long_text_equal(const struct long_text *a, const struct long_text *b);
bool long_text_has(const struct long_text *t, struct str what);

/* From the begin to the end. */
struct long_reader {
	const struct long_text *text;
	size_t from, to; /* of the piece */
};
/* The next piece, which is let go with the next call. false at the end. */
bool long_text_next(struct long_reader *r, struct str *piece);

#endif
