/* The optimal string alignment distance, in three rows of the table. See nearest.h. */
#include "runner/base/nearest.h"

/* No one types longer words, so that they are not compared. */
enum { LONGEST_WORD = 64 };

static size_t
smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t
edit_distance(struct str from, struct str to)
{
	size_t rows[3][LONGEST_WORD + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2], *spare;

	for (size_t k = 0; k <= to.n; k++)
		last[k] = k;
	for (size_t i = 1; i <= from.n; i++) {
		row[0] = i;
		for (size_t k = 1; k <= to.n; k++) {
			bool is_same = from.p[i - 1] == to.p[k - 1];

			row[k] = smaller_of(last[k - 1] + !is_same,
				smaller_of(last[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && from.p[i - 1] == to.p[k - 2] &&
				from.p[i - 2] == to.p[k - 1])
				row[k] = smaller_of(row[k], before[k - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[to.n];
}

static size_t
most_edits(struct str word)
{
	return word.n < 8 ? 1 : word.n / 4;
}

struct str
nearest_word(struct str typed, struct str_list words)
{
	struct str nearest = STR_NONE;
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; typed.n <= LONGEST_WORD && i < words.n; i++) {
		struct str word = words.v[i];
		size_t edits;

		if (word.n > LONGEST_WORD)
			continue;
		edits = edit_distance(typed, word);
		if (edits < fewest && edits < typed.n && edits <= most_edits(word)) {
			fewest = edits;
			nearest = word;
		}
	}
	return nearest;
}

struct str
nearest_hint(struct arena *a, struct str typed, struct str_list words, const char *lead)
{
	struct str meant = nearest_word(typed, words);
	struct buf hint = {.arena = a};

	INVARIANT(words.v || !words.n);
	if (meant.n)
		return str_fmt(a, "did you mean %.*s?", STR_ARG(meant));
	if (words.n)
		buf_z(&hint, lead);
	buf_join(&hint, words, STR(", "));
	return buf_as_str(&hint);
}

struct str
nearest_question(struct arena *a, struct str meant, const char *quote)
{
	return meant.n ? str_fmt(a, "; did you mean %s%.*s%s?", quote, STR_ARG(meant),
				 quote)
		       : STR("");
}
