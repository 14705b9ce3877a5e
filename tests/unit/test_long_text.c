/* long_text and spool: pieces of mapped files are as good as memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/format/regex.h"
#include "runner/base/spool.h"
#include "tests/unit/unit.h"

enum { PIECE = LONG_TEXT_PIECE };

/* So many dots, with texts in them, in a file where that is more than a piece. */
static struct long_text
dots(struct spool *s, size_t n)
{
	static const char line[] = "...............................................\n";

	for (size_t left = n; left;) {
		size_t part = left < sizeof line - 1 ? left : sizeof line - 1;

		spool_add(s, str_cut(line, part));
		left -= part;
	}
	return spool_text(s);
}

static void
place(const struct long_text *t, size_t at, const char *what)
{
	memcpy((char *)t->s.p + at, what, strlen(what));
}

static void
searches(void **state)
{
	static const struct {
		size_t at[3]; /* of "abc"; 0: none */
		size_t first, last;
	} rows[] = {
		{{0}, 0, 0},
		{{5}, 5, 5},
		{{PIECE - 3}, PIECE - 3, PIECE - 3},
		{{PIECE - 2}, PIECE - 2, PIECE - 2},
		{{PIECE - 1}, PIECE - 1, PIECE - 1},
		{{PIECE}, PIECE, PIECE},
		{{7, 2 * PIECE - 1, 3 * PIECE - 3}, 7, 3 * PIECE - 3},
		{{2 * PIECE + 1, 3 * PIECE}, 2 * PIECE + 1, 3 * PIECE},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct spool s = spool_in(a, "/tmp");
		struct long_text t = dots(&s, 3 * PIECE + 4);
		bool has = rows[i].at[0];

		assert_true(t.is_mapped);
		for (int k = 0; k < 3; k++)
			if (rows[i].at[k])
				place(&t, rows[i].at[k], "abc");
		assert_int_equal(
			long_text_search(&t, 0, STR("abc")), has ? rows[i].first : t.s.n);
		assert_int_equal(
			long_text_search(&t, rows[i].first + 1, STR("abc")) < t.s.n,
			rows[i].last != rows[i].first);
		assert_int_equal(long_text_search_back(&t, t.s.n, STR("abc")),
			has ? rows[i].last : t.s.n);
		if (has)
			assert_int_equal(
				long_text_search_back(&t, rows[i].first + 2, STR("abc")),
				t.s.n);
		spool_close(&s);
		arena_close(a);
	}
}

static void
reads_in_pieces(void **state)
{
	struct arena *a = arena_open();
	struct spool s = spool_in(a, "/tmp"), copy = spool_in(a, "/tmp");
	struct long_text t = dots(&s, 32 * PIECE + 4), u;
	struct long_reader r = {.text = &t};
	struct str piece;

	(void)state;
	place(&t, PIECE - 1, "xy");
	while (long_text_next(&r, &piece))
		spool_add(&copy, piece);
	u = spool_text(&copy);
	assert_true(long_text_equal(&t, &u));
	place(&u, 2 * PIECE, "z");
	assert_false(long_text_equal(&t, &u));
	assert_true(arena_bytes(a) < 16 * PIECE);
	spool_close(&s);
	spool_close(&copy);
	arena_close(a);
}

static void
shortened(void **state)
{
	static const size_t sizes[] = {3 * PIECE, PIECE + 1, PIECE - 1, 1, 0};
	struct arena *a = arena_open();
	struct spool s = spool_in(a, "/tmp");

	(void)state;
	dots(&s, 4 * PIECE);
	for (size_t i = 0; i < ROWS(sizes); i++) {
		struct long_text t;

		spool_shorten(&s, sizes[i]);
		assert_int_equal(spool_size(&s), sizes[i]);
		spool_add(&s, STR("end"));
		t = spool_text(&s);
		assert_int_equal(t.s.n, sizes[i] + 3);
		assert_true(str_ends(t.s, STR("end")));
	}
	spool_close(&s);
	arena_close(a);
}

/* From the file, then from memory. */
static void
got_back(void **state)
{
	struct arena *a = arena_open();
	struct spool s = spool_in(a, "/tmp");
	char p[8];

	(void)state;
	dots(&s, 2 * PIECE);
	spool_keep(&s, "abc", 3);
	assert_int_equal(s.file_size, 2 * PIECE);
	assert_int_equal(spool_get(&s, 2 * PIECE - 1, p, sizeof p), 1);
	assert_int_equal(spool_get(&s, 2 * PIECE, p + 1, sizeof p - 1), 3);
	assert_memory_equal(p, ".abc", 4);
	assert_int_equal(spool_get(&s, 2 * PIECE + 1, p, 1), 1);
	assert_int_equal(p[0], 'b');
	assert_int_equal(ftruncate(s.file, 1), 0);
	assert_int_equal(spool_get(&s, 1, p, 1), -1);
	assert_int_equal(errno, EIO);
	spool_close(&s);
	arena_close(a);
}

/* Nothing is left of what the file held, and it takes what comes. */
static void
emptied(void **state)
{
	struct arena *a = arena_open();
	struct spool s = spool_in(a, "/tmp");
	struct long_text t;

	(void)state;
	dots(&s, 2 * PIECE);
	spool_shorten(&s, 0);
	assert_int_equal(spool_text(&s).s.n, 0);
	t = dots(&s, 2 * PIECE);
	assert_int_equal(t.s.n, 2 * PIECE);
	assert_true(t.is_mapped);
	spool_close(&s);
	arena_close(a);
}

/* What stands where in a text of several pieces, and what is found in it. */
static const struct {
	const char *pattern;
	size_t at;
	const char *text;
	bool has;
} matches[] = {
	{"abc", 0, "", false},
	{"abc", 2 * PIECE - 1, "abc", true},
	{"abc", 3 * PIECE + 1, "abc", true},
	{"a[x.\n]+c", PIECE - 5, "a.........c", true},
	{"a[x.\n]+c", PIECE / 2, "abc", false},
	{"^\\.+", 0, "", true},
	{"^a", PIECE, "a", false},
	{"^a", 2 * PIECE, "a", false},
	{"b$", PIECE - 1, "b", false},
	{"b$", 2 * PIECE - 1, "b", false},
	{"b$", 3 * PIECE + 3, "b", true},
	{"(a|b$)", PIECE - 1, "b", false},
	{"ab?$", 3 * PIECE + 3, "a", true},
	{".*abc", 2 * PIECE - 1, "abc", true},
	{".*abc", 2 * PIECE - 1, "abx", false},
	{".*.*abc.*", 3 * PIECE, "abc", true},
	{".*abc|^x", PIECE, "x", false},
	{".*[(|]a|^x", PIECE, "x", false},
	{".*", 0, "", true},
	{"a.*b", PIECE - 5, "a........b", true},
	{"x.*b", 5, "x", false},
	{"(\\.\n|x)+y", 3 * PIECE - 3, "y", false},
	{"\\.\ny", PIECE, ".\ny", true},
};

static void
matches_in_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(matches); i++) {
		struct arena *a = arena_open();
		struct match_set *set = match_set_open(a, regex_parse);
		struct spool s = spool_in(a, "/tmp");
		struct long_text t = dots(&s, 3 * PIECE + 4);
		const struct pattern *p =
			match_set_get(set, str_of(matches[i].pattern), NULL);
		struct pattern_list l = {&p, 1};

		place(&t, matches[i].at, matches[i].text);
		assert_ptr_equal(match_first(&l, 1, &t), matches[i].has ? p : NULL);
		assert_int_equal(match_has(p->matcher, t.s), matches[i].has);
		match_set_close(set);
		spool_close(&s);
		arena_close(a);
	}
}

/* Byte by byte it is found when it is there. */
static void
grows(void **state)
{
	static const struct {
		const char *pattern, *text;
	} rows[] = {{"ready.now", "not ready\nread\nready\nnow"}, {"a+b", "aaxaaab"},
		{"(ab|abab)c", "abababababc"}, {"a$", "bba"}, {"^b+a", "bba"},
		{"x(y|z)*w", "xyzzyyxzyw"}, {".*q", "abcq"}};
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_of(rows[i].text);
		const struct pattern *p =
			match_set_get(set, str_of(rows[i].pattern), NULL);
		struct pattern_list l = {&p, 1};
		struct match_search *s = match_search_open(a, &l, 1);

		for (size_t n = 0; n < text.n; n++) {
			assert_null(match_search_found(s));
			match_search_read(s, str_cut(text.p + n, 1));
		}
		assert_ptr_equal(match_search_found(s), p);
		match_search_close(s);
	}
	match_set_close(set);
	arena_close(a);
}

/* Of more than is in memory: the end is partly in the file, partly in memory. */
static void
ends(void **state)
{
	enum { REST = 10, ALL = SPOOL_CEILING + 7 };
	static const size_t lengths[] = {
		0, 1, REST, REST + 1, SPOOL_CEILING, ALL, ALL + 1};
	struct arena *a = *state;
	struct spool s = spool_in(a, "/tmp");
	struct buf all = {.arena = a};

	for (size_t i = 0; i < ALL; i++)
		buf_char(&all, (char)('a' + i % 23));
	spool_keep(&s, all.p, all.n);
	spool_flush(&s, REST);
	assert_int_equal(s.kept.n, REST);
	for (size_t i = 0; i < ROWS(lengths); i++) {
		size_t n = lengths[i] < ALL ? lengths[i] : ALL;
		struct str got = spool_tail(&s, a, lengths[i]);

		assert_true(str_eq(got, str_from(buf_as_str(&all), ALL - n)));
	}
	spool_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches),
		cmocka_unit_test(reads_in_pieces),
		cmocka_unit_test(shortened),
		cmocka_unit_test(got_back),
		cmocka_unit_test(emptied),
		cmocka_unit_test(matches_in_pieces),
		cmocka_unit_test(grows),
		cmocka_unit_test_setup_teardown(ends, open_arena, close_arena),
	};

	return run_unit_tests("long_text", tests, NULL, NULL);
}
