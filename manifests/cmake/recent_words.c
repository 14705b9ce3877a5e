/* See recent_words.h. */
#include "manifests/cmake/recent_words.h"

#include <string.h>

enum { RECENT = 256 };
struct recent_words {
	struct arena *a;
	struct str v[RECENT]; /* found by their length and last bytes */
};

struct recent_words *
recent_words_new(struct arena *a)
{
	struct recent_words *w = NEW(a, struct recent_words);

	w->a = a;
	return w;
}

/* The slot of a word, by its length and its last bytes. */
static struct str *
slot_of(struct recent_words *w, struct str s)
{
	uint64_t sum = 0;
	size_t n = s.n < sizeof sum ? s.n : sizeof sum;

	memcpy(&sum, s.p + s.n - n, n);
	sum = (sum ^ s.n) * UINT64_C(0x9E3779B97F4A7C15);
	return &w->v[sum >> 56];
}

struct str
recent_words_keep(struct recent_words *w, struct str s)
{
	struct str *known;

	_Static_assert(RECENT == 1 << 8, "the upper 8 bits are an index");
	if (s.n == 0)
		return STR("");
	known = slot_of(w, s);
	if (!str_eq(*known, s))
		*known = str_dup(w->a, s);
	return *known;
}
