/* Bytes to lines, memory to file, lines with tags. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/run/capture.h"
#include "tests/unit/unit.h"

struct lines {
	struct buf seen;
	size_t kept; /* of those that were seen */
	struct buf parts; /* of a long line */
};

static void
on_part(void *context, struct str bytes)
{
	struct lines *l = context;

	assert_true(bytes.n > 0);
	buf_str(&l->parts, bytes);
}

static bool
on_line(void *context, const struct long_text *line)
{
	struct lines *l = context;

	assert_int_equal(l->parts.n, line->s.n < CAPTURE_LONG_LINE ? 0 : line->s.n);
	if (l->parts.n)
		assert_memory_equal(l->parts.p, line->s.p, line->s.n);
	l->parts.n = 0;
	buf_fmt(&l->seen, "[%.*s]", STR_ARG(line->s));
	if (long_text_has(line, STR("drop")))
		return false;
	l->kept++;
	return true;
}

static struct capture
capture_with(struct arena *a, struct lines *l, const char *directory)
{
	struct capture_listener listener = {l, STR("<CTest"), on_line, on_part};

	*l = (struct lines){.seen = {.arena = a}, .parts = {.arena = a}};
	return capture_in(a, directory, &listener);
}

/* step: how many bytes come at once. */
static struct str
captured(struct arena *a, struct str text, size_t step, bool every_line)
{
	struct lines l;
	struct capture c = capture_with(a, &l, "/tmp");
	struct str out;

	c.every_line = every_line;
	while (text.n) {
		size_t n = text.n < step ? text.n : step;

		capture_add(&c, text.p, n);
		text = str_from(text, n);
	}
	out = str_dup(a, capture_end(&c).s);
	capture_close(&c);
	return out;
}

static void
bytes_to_lines(void **state)
{
	static const struct {
		struct str in, out;
	} rows[] = {
		{STR(""), STR("")},
		{STR("a"), STR("a\n")},
		{STR("a\n"), STR("a\n")},
		{STR("\n"), STR("\n")},
		{STR("\n\n"), STR("\n\n")},
		{STR("a\r\r\nb\r\nc\rd\n\re\r"), STR("a\nb\nc\rd\n\re\r\n")},
		{STR("a\0b\r\0c\n\0\n\n"), STR("a\nb\nc\n\n\n\n")},
		{STR("\r\n"), STR("\n")},
		{STR("\r"), STR("\r\n")},
		{STR("\0"), STR("\n")},
		{STR("x\r\ry"), STR("x\r\ry\n")},
		{STR("\377\300x\n\n"), STR("\377\300x\n\n")},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		for (size_t step = 1; step < 20; step += 3)
			for (int every = 0; every < 2; every++) {
				struct str out = captured(a, rows[i].in, step, every);

				assert_int_equal(out.n, rows[i].out.n);
				assert_memory_equal(out.p, rows[i].out.p, out.n);
			}
	arena_close(a);
}

static void
lines_and_tags(void **state)
{
	static const struct {
		const char *in;
		bool every_line;
		const char *seen, *out;
		size_t kept;
	} rows[] = {
		{"a\nb", true, "[a][b]", "a\nb\n", 2},
		{"a\nb", false, "", "a\nb\n", 0},
		{"drop\nb\n", true, "[drop][b]", "b\n", 1},
		{"drop\nb\n", false, "", "drop\nb\n", 0},
		{"drop<CTestA\nb\n", false, "[drop<CTestA]", "b\n", 0},
		{"a\ndrop<CTestA", false, "[drop<CTestA]", "a\n", 0},
		{"a\n<CTestA drop\nb\nx<CTest\ndrop<CTest\nc\n", false,
			"[<CTestA drop][x<CTest][drop<CTest]", "a\nb\nx<CTest\nc\n", 1},
		{"drop<CTest<CTest\ndrop<CTest", false, "[drop<CTest<CTest][drop<CTest]",
			"", 0},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lines l;
		struct capture c = capture_with(a, &l, "/tmp");
		struct str out;

		c.every_line = rows[i].every_line;
		capture_add(&c, rows[i].in, strlen(rows[i].in));
		out = capture_end(&c).s;
		assert_int_equal(out.n, strlen(rows[i].out));
		assert_memory_equal(out.p, rows[i].out, out.n);
		assert_string_equal(buf_as_str(&l.seen).p, rows[i].seen);
		assert_int_equal(l.kept, rows[i].kept);
		capture_close(&c);
	}
	arena_close(a);
}

/* n numbered lines of 32 bytes. */
static void
add_lines(struct capture *c, size_t n)
{
	char line[40];

	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof line, "%031zu\n", i);
		capture_add(c, line, 32);
	}
}

static void
assert_lines(struct str s, size_t n)
{
	char line[40];

	assert_int_equal(s.n, n * 32);
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof line, "%031zu\n", i);
		assert_memory_equal(s.p + i * 32, line, 32);
	}
}

enum { MANY = 5 * SPOOL_CEILING / 32 };

static void
beyond_the_ceiling(void **state)
{
	struct arena *a = arena_open();
	struct lines l;
	struct capture c = capture_with(a, &l, "/tmp");

	(void)state;
	add_lines(&c, MANY);
	assert_true(c.store.file >= 0);
	assert_true(arena_bytes(a) < 6u * SPOOL_CEILING);
	capture_add(&c, "more", 4);
	assert_int_equal(capture_end(&c).s.n, MANY * 32 + 5);
	assert_memory_equal(capture_end(&c).s.p + MANY * 32, "more\n", 5);
	capture_close(&c);
	arena_close(a);
}

/* Wherever memory goes over to the file, a tag is found. */
static void
tag_at_the_ceiling(void **state)
{
	static const char line[] = "drop<CTest\n";
	struct arena *a = arena_open();
	char *filling = arena_alloc(a, SPOOL_CEILING + 1);

	(void)state;
	memset(filling, '\n', SPOOL_CEILING + 1);
	filling[0] = 'x';
	for (size_t first = 0; first < sizeof line; first++) {
		struct lines l;
		struct capture c = capture_with(a, &l, "/tmp");

		capture_add(&c, filling, SPOOL_CEILING - first + 1);
		capture_add(&c, line, first);
		assert_true(c.store.file >= 0);
		capture_add(&c, line + first, sizeof line - 1 - first);
		assert_int_equal(capture_end(&c).s.n, SPOOL_CEILING - first + 1);
		assert_string_equal(buf_as_str(&l.seen).p, "[drop<CTest]");
		capture_close(&c);
	}
	arena_close(a);
}

static void
without_a_file(void **state)
{
	struct arena *a = arena_open();
	struct lines l;
	struct capture c = capture_with(a, &l, "/dev/null/gone");

	(void)state;
	add_lines(&c, MANY);
	assert_int_equal(c.store.file, -1);
	assert_lines(capture_end(&c).s, MANY);
	capture_close(&c);
	arena_close(a);
}

/* The disk is full after a while. Here: the file can only be read from now on. */
static void
file_that_fills(void **state)
{
	struct arena *a = arena_open();
	struct lines l;
	struct capture c = capture_with(a, &l, "/tmp");
	char path[64], line[40];
	int readable;

	(void)state;
	add_lines(&c, MANY / 2);
	assert_true(c.store.file >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", c.store.file);
	readable = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(readable >= 0);
	assert_true(dup2(readable, c.store.file) == c.store.file);
	close(readable);
	for (size_t i = MANY / 2; i < MANY; i++) {
		snprintf(line, sizeof line, "%031zu\n", i);
		capture_add(&c, line, 32);
	}
	assert_true(c.store.no_file);
	assert_int_equal(c.store.file, -1);
	assert_lines(capture_end(&c).s, MANY);
	capture_close(&c);
	arena_close(a);
}

static void
tags_in_a_file(void **state)
{
	struct arena *a = arena_open();
	struct lines l;
	struct capture c = capture_with(a, &l, "/tmp");

	(void)state;
	capture_add(&c, "<CTest drop\n", 12);
	add_lines(&c, MANY);
	capture_add(&c, "<CTest drop\n", 12);
	assert_true(c.store.file >= 0);
	assert_lines(capture_end(&c).s, MANY);
	assert_string_equal(buf_as_str(&l.seen).p, "[<CTest drop][<CTest drop]");
	capture_close(&c);
	arena_close(a);
}

/* At a time limit a line that has not ended is left out. */
static void
cut_off(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {{"", ""}, {"a", ""}, {"a\n", "a\n"}, {"a\nb", "a\n"},
		{"a\n\r", "a\n"}, {"\r", ""}, {"\n\rb\r", "\n"}, {"<CTest", ""},
		{"<CTest drop\nx", ""}};
	struct arena *a = arena_open();
	struct lines l;

	(void)state;
	for (size_t i = 0; i < 2 * ROWS(rows); i++) {
		struct capture c = capture_with(a, &l, "/tmp");
		const char *text = rows[i / 2].text;

		c.every_line = i % 2;
		capture_add(&c, text, strlen(text));
		c.is_cut = true;
		assert_true(str_is(capture_end(&c).s, rows[i / 2].expected));
		capture_close(&c);
	}
	for (int every_line = 0; every_line < 2; every_line++) {
		struct capture c = capture_with(a, &l, "/tmp");

		c.every_line = every_line;
		add_lines(&c, MANY);
		capture_add(&c, "part", 4);
		c.is_cut = true;
		assert_lines(capture_end(&c).s, MANY);
		capture_close(&c);
	}
	arena_close(a);
}

/* A line beyond the ceiling is no more in memory than all of an output. */
static void
giant_lines(void **state)
{
	enum { GIANT = 16 * SPOOL_CEILING, STEP = 65536 };
	struct arena *a = arena_open(), *scratch = arena_open();
	char *block = arena_alloc(scratch, STEP);
	static const struct {
		const char *head, *tail;
		size_t kept; /* lines */
	} rows[] = {
		{"short\n", "\n", 2},
		{"short\n", "drop\n", 1},
		{"drop\nshort\n", "\r\r", 2},
		{"", "drop", 0},
		{"", "\nshort\ndrop\nshort\n", 3},
	};

	(void)state;
	memset(block, 'x', STEP);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena_mark mark = arena_mark(a);
		struct lines l;
		struct capture c = capture_with(a, &l, "/tmp");
		struct str out;
		size_t lines = 0;

		l.seen.arena = l.parts.arena = scratch;
		c.every_line = true;
		capture_add(&c, rows[i].head, strlen(rows[i].head));
		for (size_t n = 0; n < GIANT; n += STEP)
			capture_add(&c, block, STEP);
		assert_true(arena_bytes(a) < 6 * SPOOL_CEILING);
		capture_add(&c, rows[i].tail, strlen(rows[i].tail));
		out = capture_end(&c).s;
		for (size_t k = 0; k < out.n; k++)
			lines += out.p[k] == '\n';
		assert_int_equal(lines, rows[i].kept);
		assert_int_equal(l.kept, rows[i].kept);
		assert_false(str_has(out, STR("drop")));
		assert_true(l.seen.n > GIANT);
		assert_true(arena_bytes(a) < 6 * SPOOL_CEILING);
		capture_close(&c);
		arena_rewind(a, mark);
	}
	arena_close(scratch);
	arena_close(a);
}

/* Around the length from which a line is reported in parts. */
static void
parts_of_lines(void **state)
{
	enum { MOST = CAPTURE_LONG_LINE + 3 };
	struct arena *a = arena_open();
	char *text = arena_alloc(a, 2 * MOST);

	(void)state;
	memset(text, 'x', 2 * MOST);
	for (size_t n = MOST - 6; n <= MOST; n++)
		for (size_t step = 1000; step <= MOST; step *= 3) {
			text[n] = '\n';
			assert_int_equal(
				captured(a, str_cut(text, n + MOST), step, true).n,
				n + MOST + 1);
			text[n] = '\r';
			assert_int_equal(
				captured(a, str_cut(text, n + 1), step, true).n, n + 2);
			text[n] = 'x';
		}
	arena_close(a);
}

/* However bytes come, with and without a file, with every line reported or not: the same.
 */
static void
any_step_gives_the_same(void **state)
{
	struct arena *a = arena_open();
	struct buf text = {.arena = a};
	struct str whole, shown;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		buf_fmt(&text, "%u", i);
		buf_fill(&text, "ab\r"[i % 3], i * 7919 % 1500);
		buf_add(&text, &"\n\0\r\n"[i % 3], 1 + i % 2);
	}
	assert_true(text.n > 2 * SPOOL_CEILING);
	whole = captured(a, buf_as_str(&text), text.n, false);
	for (size_t step = 997; step < 200000; step = step * 3 + 1) {
		shown = captured(a, buf_as_str(&text), step, true);
		assert_true(str_eq(whole, shown));
	}
	arena_close(a);
}

static bool
keep_line(void *context, const struct long_text *line)
{
	(void)context, (void)line;
	return true;
}

/* The file of a line that is not complete yet can neither be mapped nor read: what is
 * lost is said, and what follows is still there. */
static void
file_of_a_line_is_lost(void **state)
{
	struct arena *a = arena_open();
	struct capture_listener listener = {.tag = STR("<CTest"), .line = keep_line};
	struct capture c = capture_in(a, "/tmp", &listener);
	struct str piece = STR("first\nlong ");
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	c.every_line = true;
	capture_add(&c, piece.p, piece.n);
	for (size_t n = 0; n < 2 * SPOOL_CEILING; n += 8)
		capture_add(&c, "abcdefgh", 8);
	assert_true(c.store.file_size > 0);
	assert_int_equal(dup2(nothing, c.store.file), c.store.file);
	close(nothing);
	capture_add(&c, "\nlast\n", 6);
	assert_true(str_ends(capture_end(&c).s, STR("\nlast\n")));
	assert_int_equal(c.store.lost, EIO);
	capture_close(&c);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_to_lines),
		cmocka_unit_test(lines_and_tags),
		cmocka_unit_test(beyond_the_ceiling),
		cmocka_unit_test(tag_at_the_ceiling),
		cmocka_unit_test(without_a_file),
		cmocka_unit_test(file_that_fills),
		cmocka_unit_test(tags_in_a_file),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(giant_lines),
		cmocka_unit_test(parts_of_lines),
		cmocka_unit_test(file_of_a_line_is_lost),
		cmocka_unit_test(any_step_gives_the_same),
	};

	return run_unit_tests("capture", tests, NULL, NULL);
}
