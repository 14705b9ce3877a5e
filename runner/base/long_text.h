/*
 * A text that may be larger than memory should hold. It is then in a mapped file. A
 * reader that has read a part lets it go: the system drops these pages, and reads them
 * from the file when they are needed again. So readers go through the text in pieces,
 * from one end to the other.
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

/* Does nothing to a text in memory. */
void long_text_let_go(const struct long_text *t, size_t from, size_t to);
/* For a reader that has advanced from read to at in small steps: once that is a whole
 * piece, all text before at is let go. Returns the new value of read. */
size_t long_text_pass(const struct long_text *t, size_t read, size_t at);
/* The first position at or after from at which what begins; t->s.n: there is none. */
size_t long_text_search(const struct long_text *t, size_t from, struct str what);
/* The last position of an occurrence of what that ends at or before to; t->s.n: there is
 * none. */
size_t long_text_search_back(const struct long_text *t, size_t to, struct str what);
bool long_text_equal(const struct long_text *a, const struct long_text *b);
bool long_text_has(const struct long_text *t, struct str what);

/* Reads a text from its beginning to its end. */
struct long_reader {
	const struct long_text *text;
	size_t from, to; /* of the current piece */
};
/* The next piece, which is valid until the next call. false at the end. */
bool long_text_next(struct long_reader *r, struct str *piece);

#endif
