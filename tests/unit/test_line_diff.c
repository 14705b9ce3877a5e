/* line_diff: the changes make the second text of the first, and keep what both have. */
#include "compat/compare/line_diff.h"
#include "tests/unit/unit.h"

static struct str_list
split(struct arena *a, const char *letters)
{
	str_vec v = {0};

	for (; *letters; letters++)
		VEC_PUSH(a, &v, str_cut(letters, 1));
	return str_vec_list(&v);
}

/* Whether the texts are equal apart from the changes, which are apart from each other. */
static bool
is_whole(struct str_list from, struct str_list to, const line_changes *c)
{
	size_t a = 0, b = 0;

	for (size_t i = 0; i <= c->n; i++) {
		size_t end = i < c->n ? c->v[i].a : from.n;

		if (i && end == a && i < c->n)
			return false;
		while (a < end && b < to.n && str_eq(from.v[a], to.v[b])) {
			a++;
			b++;
		}
		if (a != end || (i < c->n && c->v[i].b != b))
			return false;
		if (i < c->n) {
			a += c->v[i].a_n;
			b += c->v[i].b_n;
		}
	}
	return a == from.n && b == to.n;
}

static size_t
count_lines(const line_changes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].a_n + c->v[i].b_n;
	return n;
}

static void
rows_are_smallest(void **state)
{
	static const struct {
		const char *from, *to;
		size_t lines; /* that are removed or added */
	} rows[] = {
		{"", "", 0},
		{"abc", "abc", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "axc", 2},
		{"abcabba", "cbabac", 5},
		{"xaaay", "xaaaay", 1},
		{"abcdef", "defabc", 6},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str_list from = split(a, rows[i].from), to = split(a, rows[i].to);
		line_changes c = line_diff(a, from, to);

		assert_true(is_whole(from, to, &c));
		assert_int_equal(count_lines(&c), rows[i].lines);
	}
}

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

static const char *
random_letters(struct arena *a, uint32_t *seed, uint32_t letters)
{
	size_t n = next_random(seed) % 60;
	char *text = arena_alloc(a, n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('!' + next_random(seed) % letters);
	return text;
}

static void
random_texts_are_whole(void **state)
{
	struct arena *a = *state;
	uint32_t seed = 1;

	for (uint32_t i = 0; i < 3000; i++) {
		struct str_list from = split(a, random_letters(a, &seed, 2 + i % 90)),
				to = split(a, random_letters(a, &seed, 2 + i % 90));
		line_changes c = line_diff(a, from, to);

		assert_true(is_whole(from, to, &c));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_smallest),
		cmocka_unit_test(random_texts_are_whole),
	};

	return run_unit_tests("line_diff", tests, open_arena, close_arena);
}
