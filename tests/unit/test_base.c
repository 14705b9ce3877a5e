/* base: memory, text, maps, files and paths, CMake's lists. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/poison.h"
#include "runner/cmakelang/cmake_text.h"
#include "tests/unit/unit.h"

static struct arena *arena;

static int
set_up_arena(void **state)
{
	(void)state;
	arena = arena_open();
	return 0;
}

static int
tear_down_arena(void **state)
{
	(void)state;
	arena_close(arena);
	return 0;
}

static void
assert_str(struct str got, const char *expected)
{
	if (!str_is(got, expected))
		fail_msg("got \"%.*s\", expected \"%s\"", STR_ARG(got), expected);
}

/* The wait status of what the child does, its standard error thrown away. */
static int
status_of(void (*child)(void))
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 2);
		signal(SIGABRT, SIG_DFL);
		child();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* ---- arena ----------------------------------------------------------------------- */

static void
arena_gives_zeroed_aligned_blocks(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 8, 16, 17, 4095, 4096, 4097, 3 << 20};

	(void)state;
	for (size_t round = 0; round < 3; round++) {
		struct arena_mark m = arena_mark(arena);

		for (size_t i = 0; i < ROWS(sizes); i++) {
			unsigned char *p = arena_alloc(arena, sizes[i]);

			assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(p[k], 0);
			memset(p, 0xa5, sizes[i]);
		}
		/* The next round gets dirty memory back. */
		arena_rewind(arena, m);
	}
}

static void
arena_blocks_do_not_overlap(void **state)
{
	enum { N = 2000 };
	unsigned char *p[N];
	size_t n[N];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		n[i] = i * 7 % 301;
		p[i] = arena_alloc(arena, n[i]);
		memset(p[i], (int)(i % 251), n[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < n[i]; k++)
			assert_int_equal(p[i][k], i % 251);
}

static void
arena_rewind_gives_back(void **state)
{
	struct arena_mark empty = arena_mark(arena), one;
	size_t before;
	char *first, *again;

	(void)state;
	assert_int_equal(arena_bytes(arena), 0);
	first = arena_alloc(arena, 10);
	memcpy(first, "kept", 5);
	one = arena_mark(arena);
	before = arena_bytes(arena);
	again = arena_alloc(arena, 10);
	for (int i = 0; i < 100; i++)
		arena_alloc(arena, 100000);
	assert_true(arena_bytes(arena) >= 10000000);
	arena_rewind(arena, one);
	assert_int_equal(arena_bytes(arena), before);
	assert_string_equal(first, "kept");
	assert_ptr_equal(arena_alloc(arena, 10), again);
	arena_rewind(arena, empty);
	assert_int_equal(arena_bytes(arena), 0);
}

/* A mark between rounds keeps a run's memory flat. */
static void
arena_does_not_grow_by_rounds(void **state)
{
	size_t highest = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct arena_mark m = arena_mark(arena);

		for (int i = 0; i < 10; i++)
			arena_alloc(arena, 5000);
		if (round == 0)
			highest = arena_bytes(arena);
		arena_rewind(arena, m);
	}
	for (int i = 0; i < 10; i++)
		arena_alloc(arena, 5000);
	assert_true(arena_bytes(arena) <= highest * 40);
}

static void
ask_for_too_much(void)
{
	arena_alloc_array(arena, 16, SIZE_MAX / 8);
}

static void
ask_for_all(void)
{
	arena_alloc(arena, SIZE_MAX - 4);
}

static void
break_an_invariant(void)
{
	int one = 1;

	INVARIANT(one == 2);
}

static void
ends_the_program(void **state)
{
	int status;

	(void)state;
	status = status_of(ask_for_too_much);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 70);
	status = status_of(ask_for_all);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 70);
	status = status_of(break_an_invariant);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

#if CCTR_ASAN
static volatile char seen;

static void
write_after_object(void)
{
	char *p = arena_alloc(arena, 5);

	p[5] = 1;
}

static void
read_after_text(void)
{
	const char *p = str_dup(arena, STR("text")).p;

	str_dup(arena, STR("next"));
	seen = p[5];
}

static void
write_after_large_object(void)
{
	char *p = arena_alloc(arena, 3 << 20);

	p[3 << 20] = 1;
}

static void
read_rewound(void)
{
	struct arena_mark m = arena_mark(arena);
	const char *p = str_dup(arena, STR("text")).p;

	arena_rewind(arena, m);
	seen = p[0];
}

static void
write_moved_element(void)
{
	VEC(int) v = {0};
	int *first;

	VEC_PUSH(arena, &v, 1);
	first = v.v;
	for (int i = 0; i < 8; i++)
		VEC_PUSH(arena, &v, i);
	*first = 2;
}

static void
read_moved_text(void)
{
	struct buf b = {.arena = arena};
	const char *p;

	buf_z(&b, "text");
	p = b.p;
	buf_fill(&b, 'x', 1000);
	seen = *p;
}

static void
sanitizer_sees_what_is_not_in_use(void **state)
{
	static void (*const rows[])(void) = {write_after_object, read_after_text,
		write_after_large_object, read_rewound, write_moved_element,
		read_moved_text};

	(void)state;
	str_dup(arena, STR("text"));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (status_of(rows[i]) == 0)
			fail_msg("row %zu is not reported", i);
}
#else
static void
sanitizer_sees_what_is_not_in_use(void **state)
{
	const char *p = str_dup(arena, STR("text")).p;

	(void)state;
	assert_ptr_equal(str_dup(arena, STR("next")).p, p + 5);
}
#endif

/* The first bytes of a buffer may be its caller's. */
static void
buffer_leaves_bytes_of_caller(void **state)
{
	char text[8] = "";
	struct buf b = {.arena = arena, .p = text, .cap = sizeof text};

	(void)state;
	buf_z(&b, "seven");
	buf_z(&b, "and");
	assert_string_equal(b.p, "sevenand");
	text[7] = 'x';
	assert_string_equal(text, "seven");
}

/* ---- str ------------------------------------------------------------------------- */

static void
text_is_of_some_bytes(void **state)
{
	(void)state;
	assert_true(str_is_of(STR(""), "a"));
	assert_true(str_is_of(STR("ab9Z"), STR_ALNUM));
	assert_false(str_is_of(STR("ab-"), STR_ALNUM));
	assert_false(str_is_of(STR("a\xe4"), STR_ALNUM));
	assert_false(str_is_of(str_cut("a\0b", 3), STR_ALNUM));
	assert_false(str_is_of(STR("a"), ""));
}

static void
str_compares(void **state)
{
	static const struct {
		const char *a, *b;
		bool eq, eq_nocase, begins, ends, has;
		int order;
	} rows[] = {
		{"", "", true, true, true, true, true, 0},
		{"a", "", false, false, true, true, true, 1},
		{"", "a", false, false, false, false, false, -1},
		{"abc", "abc", true, true, true, true, true, 0},
		{"abc", "ABC", false, true, false, false, false, 1},
		{"abc", "ab", false, false, true, false, true, 1},
		{"abc", "bc", false, false, false, true, true, -1},
		{"abcbd", "bd", false, false, false, true, true, -1},
		{"ab", "abc", false, false, false, false, false, -1},
		{"a\x80", "a\x7f", false, false, false, false, false, 1},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str a = str_of(rows[i].a), b = str_of(rows[i].b);
		int order = str_order(a, b);

		assert_int_equal(str_eq(a, b), rows[i].eq);
		assert_int_equal(str_is(a, rows[i].b), rows[i].eq);
		assert_int_equal(str_eq_nocase(a, b), rows[i].eq_nocase);
		assert_int_equal(str_begins(a, b), rows[i].begins);
		assert_int_equal(str_ends(a, b), rows[i].ends);
		assert_int_equal(str_has(a, b), rows[i].has);
		assert_int_equal((order > 0) - (order < 0), rows[i].order);
	}
}

/* Letters of ASCII alone; a text in which nothing changes is not copied. */
static void
case_of_letters_changes(void **state)
{
	static const struct {
		const char *text, *lower, *upper;
	} rows[] = {
		{"", "", ""},
		{"az", "az", "AZ"},
		{"aZ@[`{", "az@[`{", "AZ@[`{"},
		{"1_-\xc3\x84\xe4", "1_-\xc3\x84\xe4", "1_-\xc3\x84\xe4"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str s = str_of(rows[i].text), lower = str_lower(arena, s);

		assert_str(lower, rows[i].lower);
		assert_str(str_upper(arena, s), rows[i].upper);
		assert_ptr_equal(str_lower(arena, lower).p, lower.p);
	}
}

/* A slice without bytes may have no address either. */
static void
str_none_is_an_empty_text(void **state)
{
	struct str none = str_of(NULL), empty = STR("");

	(void)state;
	assert_null(none.p);
	assert_true(str_eq(none, empty));
	assert_true(str_eq(empty, none));
	assert_int_equal(str_order(none, empty), 0);
	assert_true(
		str_begins(none, none) && str_ends(none, none) && str_has(none, none));
	assert_int_equal(str_find(none, 'a'), 0);
	assert_int_equal(str_rfind(none, 'a'), 0);
	assert_int_equal(str_search(none, STR("a")), 0);
	assert_str(str_trim(none), "");
	assert_str(str_dup(arena, none), "");
	assert_string_equal(str_z(arena, none), "");
	assert_int_equal(str_int(none), 0);
	assert_true(str_double(none) == 0);
	assert_int_equal(cmake_list_split(arena, none, true).n, 0);
}

static void
str_finds(void **state)
{
	static const struct {
		const char *s;
		char c;
		size_t first, last;
	} rows[] = {
		{"", 'x', 0, 0},
		{"abc", 'x', 3, 3},
		{"axbxc", 'x', 1, 3},
		{"x", 'x', 0, 0},
	};
	static const struct {
		const char *s, *part;
		size_t at;
	} parts[] = {
		{"", "", 0},
		{"abc", "", 0},
		{"abc", "c", 2},
		{"abc", "abcd", 3},
		{"aabaac", "aac", 3},
		{"abc", "x", 3},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_int_equal(str_find(str_of(rows[i].s), rows[i].c), rows[i].first);
		assert_int_equal(str_rfind(str_of(rows[i].s), rows[i].c), rows[i].last);
	}
	for (size_t i = 0; i < ROWS(parts); i++)
		assert_int_equal(str_search(str_of(parts[i].s), str_of(parts[i].part)),
			parts[i].at);
	/* Bytes behind the end are not part of the slice, NUL bytes inside are. */
	assert_int_equal(str_find(str_cut("abc", 2), 'c'), 2);
	assert_int_equal(str_search(str_cut("abc", 2), STR("bc")), 2);
	assert_int_equal(str_find(STR("a\0b"), 'b'), 2);
	assert_false(str_eq(STR("a\0b"), STR("a\0c")));
}

static void
str_trims(void **state)
{
	static const char *const rows[][2] = {
		{"", ""},
		{" \t\r\n", ""},
		{"a", "a"},
		{"  a b\t", "a b"},
		{"\r\na\r\n", "a"},
		{"\va", "\va"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_str(str_trim(str_of(rows[i][0])), rows[i][1]);
}

static void
str_gives_its_lines(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *lines[3];
	} rows[] = {
		{"", 0, {NULL}},
		{"\n", 1, {""}},
		{"a", 1, {"a"}},
		{"a\n", 1, {"a"}},
		{"a\n\nb", 3, {"a", "", "b"}},
		{"a\r\n\r\r\n\rb\r", 3, {"a", "\r", "\rb"}},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_of(rows[i].text), line;
		size_t n = 0;

		while (str_take_crlf_line(&text, &line)) {
			assert_true(n < rows[i].n);
			assert_str(line, rows[i].lines[n++]);
		}
		assert_int_equal(n, rows[i].n);
		assert_int_equal(text.n, 0);
	}
}

static void
str_list_becomes_a_set(void **state)
{
	struct str v[] = {STR("b"), STR("a\x80"), STR("b"), STR("a"), STR("ab")};
	struct str sorted[] = {STR("a"), STR("ab"), STR("a\x80"), STR("b"), STR("b")};
	struct str_list l = {v, ROWS(v)}, none = {NULL, 0};

	(void)state;
	str_list_sort(none);
	str_list_make_set(&none);
	assert_int_equal(none.n, 0);
	str_list_sort(l);
	for (size_t i = 0; i < l.n; i++)
		assert_true(str_eq(l.v[i], sorted[i]));
	str_list_make_set(&l);
	assert_int_equal(l.n, 4);
	for (size_t i = 0; i < l.n; i++)
		assert_true(str_eq(l.v[i], sorted[i]));
}

static void
str_copies_end_with_nul(void **state)
{
	struct str text = STR("some text");
	struct str copy = str_dup(arena, str_cut(text.p, 4));
	struct str made = str_fmt(arena, "%s-%03d-%.*s", "x", 7, STR_ARG(copy));
	char long_text[5000];

	(void)state;
	assert_int_equal(copy.n, 4);
	assert_string_equal(copy.p, "some");
	assert_string_equal(made.p, "x-007-some");
	assert_int_equal(made.n, strlen(made.p));
	memset(long_text, 'y', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	assert_string_equal(str_fmt(arena, "%s", long_text).p, long_text);
	assert_string_equal(str_z(arena, str_cut("abc", 1)), "a");
}

static void
str_reads_numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t limit;
		bool good;
		uint64_t value;
	} rows[] = {
		{"0", 0, true, 0},
		{"1", 0, false, 0},
		{"007", 9, true, 7},
		{"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
		{"18446744073709551616", UINT64_MAX, false, 0},
		{"99999999999999999999999", UINT64_MAX, false, 0},
		{"4294967296", UINT32_MAX, false, 0},
		{"", 9, false, 0},
		{"-1", 9, false, 0},
		{"+1", 9, false, 0},
		{" 1", 9, false, 0},
		{"1 ", 9, false, 0},
		{"1.0", 9, false, 0},
		{"0x1", 9, false, 0},
	};
	static const struct {
		const char *text;
		int value;
	} ints[] = {
		{"", 0},
		{"x", 0},
		{"12", 12},
		{"  -12abc", -12},
		{"+3", 3},
		{"1.9", 1},
		{"2147483647", 2147483647},
		{"2147483648", INT32_MIN},
		{"-4294967298", -2},
		{"9223372036854775808", -1},
		{"-99999999999999999999", 0},
	};
	static const struct {
		const char *text;
		double value;
	} doubles[] = {
		{"", 0},
		{"x", 0},
		{"1.5s", 1.5},
		{" -2e3", -2000},
		{".25", .25},
		{"0x10", 16},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint64_t value = 12345;

		assert_int_equal(
			str_unsigned(str_of(rows[i].text), rows[i].limit, &value),
			rows[i].good);
		assert_true(value == (rows[i].good ? rows[i].value : 12345));
	}
	for (size_t i = 0; i < ROWS(ints); i++)
		assert_int_equal(str_int(str_of(ints[i].text)), ints[i].value);
	for (size_t i = 0; i < ROWS(doubles); i++)
		assert_true(str_double(str_of(doubles[i].text)) == doubles[i].value);
	/* Not a digit further than the slice. */
	assert_int_equal(str_int(str_cut("123", 2)), 12);
	assert_true(str_double(str_cut("1.55", 3)) == 1.5);
}

static void
times_of_any_size(void **state)
{
	const int64_t most = 1000000000000;
	const struct {
		double seconds;
		uint64_t ns;
		int64_t whole;
	} rows[] = {
		{0, 0, 0},
		{-0.5, 0, 0},
		{1.75, 1750000000, 1},
		{-7.9, 0, -7},
		{1e10, UINT64_C(10000000000000000000), 10000000000},
		{99999999999, UINT64_MAX, 99999999999},
		{1e300, UINT64_MAX, most},
		{-1e300, 0, -most},
		{HUGE_VAL, UINT64_MAX, most},
		{-HUGE_VAL, 0, -most},
		{strtod("nan", NULL), 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(seconds_to_ns(rows[i].seconds) == rows[i].ns);
		assert_int_equal(whole_seconds(rows[i].seconds), rows[i].whole);
	}
}

/* ---- vector, buf, map ------------------------------------------------------------ */

static void
vector_grows(void **state)
{
	VEC(uint32_t) v = {0};
	str_vec names = {0};
	struct buf text = {.arena = arena};

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		VEC_PUSH(arena, &v, i * 3);
	assert_int_equal(v.n, 10000);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(v.v[i], i * 3);
	VEC_PUSH(arena, &names, STR("a"));
	VEC_PUSH(arena, &names, (struct str){"bc", 2});
	assert_true(str_list_has(str_vec_list(&names), STR("bc")));
	assert_false(str_list_has(str_vec_list(&names), STR("b")));
	buf_join(&text, (struct str_list){0}, STR(", "));
	assert_true(text.n == 0);
	buf_join(&text, str_vec_list(&names), STR(", "));
	assert_true(str_is(buf_as_str(&text), "a, bc"));
	assert_true(str_is(str_join(arena, str_vec_list(&names), STR("")), "abc"));
	assert_true(str_is(str_join(arena, (struct str_list){0}, STR(",")), ""));
	text.n = 0;
	buf_escaped(&text, STR("a;b\\;"), ";\\");
	assert_true(str_is(buf_as_str(&text), "a\\;b\\\\\\;"));
}

static void
buf_holds_what_was_added(void **state)
{
	struct buf b = {.arena = arena};
	struct str whole;

	(void)state;
	assert_str(buf_as_str(&b), "");
	buf_z(&b, "ab");
	buf_char(&b, '\0');
	buf_str(&b, STR("cd"));
	buf_fill(&b, '.', 3);
	buf_fill(&b, '!', 0);
	buf_fmt(&b, "%d%s", 42, "x");
	buf_str(&b, STR_NONE);
	whole = buf_as_str(&b);
	assert_true(str_eq(whole, STR("ab\0cd...42x")));
	assert_int_equal(whole.p[whole.n], '\0');
	for (int i = 0; i < 100000; i++)
		buf_fmt(&b, "%d,", i % 10);
	assert_int_equal(b.n, 11 + 200000);
	assert_int_equal(strlen(b.p + 3), b.n - 3);
	assert_true(str_begins(buf_as_str(&b), STR("ab\0cd...42x0,1,")));
}

/* Whatever room is left, and however much is to come. */
static void
buf_fmt_at_every_length(void **state)
{
	char text[301];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	for (int n = 0; n < 300; n++) {
		struct buf b = {.arena = arena};
		struct str s = str_fmt(arena, "%.*s", n, text);

		buf_fmt(&b, "%.*s", n, text);
		buf_fmt(&b, "%.*s|", 300 - n, text);
		assert_int_equal(b.n, 301);
		assert_int_equal(strspn(b.p, "x"), 300);
		assert_string_equal(b.p + 300, "|");
		assert_int_equal(s.n, n);
		assert_memory_equal(s.p, text, s.n);
		assert_int_equal(s.p[s.n], '\0');
	}
}

static void
buf_number_as_printf(void **state)
{
	static const uint64_t values[] = {0, 7, 10, 99, 100, 4294967296, UINT64_MAX};
	char text[64];

	(void)state;
	for (size_t i = 0; i < ROWS(values); i++)
		for (int width = 0; width < 30; width++) {
			struct buf b = {.arena = arena};

			buf_number(&b, values[i], (size_t)width);
			snprintf(text, sizeof text, "%*llu", width,
				(unsigned long long)values[i]);
			assert_string_equal(b.p, text);
		}
}

static void
map_finds_what_was_put(void **state)
{
	struct map m = map_in(arena);
	const uint32_t n = 20000;
	char borrowed[8] = "key";

	(void)state;
	assert_int_equal(map_get(&m, STR("absent")), MAP_NONE);
	for (uint32_t i = 0; i < n; i++)
		map_set(&m, str_fmt(arena, "name-%u", i), i);
	for (uint32_t i = 0; i < n; i += 2)
		*map_at(&m, str_fmt(arena, "name-%u", i)) += 1;
	assert_int_equal(m.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(map_get(&m, str_fmt(arena, "name-%u", i)),
			i % 2 == 0 ? i + 1 : i);
	assert_int_equal(map_get(&m, STR("name-")), MAP_NONE);
	assert_int_equal(map_get(&m, STR("")), MAP_NONE);
	map_set(&m, STR_NONE, 7);
	assert_int_equal(map_get(&m, STR("")), 7);
	assert_int_equal(*map_at(&m, STR("new")), MAP_NONE);
	assert_int_equal(m.n, n + 2);
	/* Only the slice counts, not what follows it. */
	map_set(&m, str_cut("keys", 3), 9);
	assert_int_equal(map_get(&m, str_of(borrowed)), 9);
	assert_int_equal(map_get(&m, STR("a\0b")), MAP_NONE);
	map_set(&m, STR("a\0b"), 1);
	assert_int_equal(map_get(&m, STR("a\0c")), MAP_NONE);
	assert_int_equal(map_get(&m, STR("a\0b")), 1);
}

static void
map_numbers_keys_in_order(void **state)
{
	struct str keys[] = {STR("b"), STR("a"), STR("b")};
	struct map m = map_in(arena), set = map_of(arena, (struct str_list){keys, 3});

	(void)state;
	assert_int_equal(map_number(&m, STR("b")), 0);
	assert_int_equal(map_number(&m, STR("a")), 1);
	assert_int_equal(map_number(&m, STR("b")), 0);
	assert_int_equal(set.n, 2);
	assert_true(map_has(&set, STR("a")));
	assert_false(map_has(&set, STR("c")));
	assert_true(map_add(&set, STR("c")));
	assert_false(map_add(&set, STR("c")));
}

static void
map_with_room_does_not_grow(void **state)
{
	struct map m = map_in(arena);
	const uint32_t *slots;
	const uint32_t n = 3000;

	(void)state;
	map_set(&m, STR("first"), 1);
	map_reserve(&m, n + 1);
	slots = m.slots;
	for (uint32_t i = 0; i < n; i++)
		map_set(&m, str_fmt(arena, "name-%u", i), i);
	assert_ptr_equal(m.slots, slots);
	assert_int_equal(map_get(&m, STR("first")), 1);
	map_reserve(&m, 1);
	assert_ptr_equal(m.slots, slots);
}

/* However it got its block. */
static void
memory_is_zero(void **state)
{
	static const size_t sizes[] = {1, 5000, 3 << 20, 100, 1 << 20, 64 << 10};
	struct arena_mark start = arena_mark(arena);

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t k = 0; k < ROWS(sizes); k++) {
			char *p = arena_alloc(arena, sizes[k]);

			for (size_t i = 0; i < sizes[k]; i++)
				assert_int_equal(p[i], 0);
			memset(p, 'x', sizes[k]);
		}
		arena_rewind(arena, start);
	}
}

static void
exact_file_takes_its_size(void **state)
{
	const size_t n = (1 << 20) + 17;
	struct str text;
	char *p = arena_alloc(arena, n + 1);
	size_t before;

	(void)state;
	memset(p, 'a', n);
	assert_true(file_write(arena, "large", ".tmp", str_cut(p, n)));
	before = arena_bytes(arena);
	assert_true(file_read(arena, "large", &text));
	assert_int_equal(text.n, n);
	assert_int_equal(text.p[n], 0);
	assert_true(arena_bytes(arena) - before <= n + 2);
}

/* ---- files ----------------------------------------------------------------------- */

static char folder[64];

static int
enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cctr-test-base-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? set_up_arena(state) : -1;
}

static int
leave_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	return chdir("/") == 0 && system(command) == 0 ? tear_down_arena(state) : -1;
}

static struct str
content(const char *path)
{
	struct str text;

	assert_true(file_read(arena, path, &text));
	assert_int_equal(text.p[text.n], '\0');
	return text;
}

static void
file_read_gives_all_bytes(void **state)
{
	struct buf big = {.arena = arena};
	struct str text;

	(void)state;
	assert_true(file_write(arena, "empty", ".tmp", STR("")));
	assert_int_equal(content("empty").n, 0);
	for (int i = 0; i < 300000; i++)
		buf_char(&big, (char)(i % 256));
	assert_true(file_write(arena, "big", ".tmp", buf_as_str(&big)));
	assert_true(str_eq(content("big"), buf_as_str(&big)));
	/* A file whose size is not known beforehand. */
	assert_true(str_has(content("/proc/self/status"), STR("Pid:")));
	errno = 0;
	assert_false(file_read(arena, "absent", &text));
	assert_int_equal(errno, ENOENT);
	assert_false(file_read(arena, "/", &text));
	assert_int_equal(errno, EISDIR);
}

/* It does not wait for somebody who writes to it. */
static void
file_read_refuses_fifos(void **state)
{
	struct str text;
	int fd;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_false(file_read(arena, "fifo", &text));
	assert_int_equal(errno, EINVAL);
	fd = open("fifo", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0 && write(fd, "x", 1) == 1);
	assert_false(file_read(arena, "fifo", &text));
	assert_int_equal(errno, EINVAL);
	close(fd);
}

static int leased;

static void
give_back_lease(int signal)
{
	(void)signal;
	fcntl(leased, F_SETLEASE, F_UNLCK);
}

/* Servers of files have such leases. The kernel asks the holder for it by SIGIO. */
static void
file_read_waits_for_leases(void **state)
{
	(void)state;
	assert_true(file_write(arena, "leased", ".tmp", STR("text")));
	leased = open("leased", O_RDONLY | O_CLOEXEC);
	assert_true(leased >= 0 && signal(SIGIO, give_back_lease) != SIG_ERR);
	if (fcntl(leased, F_SETLEASE, F_WRLCK) != 0)
		skip(); /* not on this file system */
	assert_str(content("leased"), "text");
	assert_int_equal(fcntl(leased, F_GETLEASE), F_UNLCK);
	signal(SIGIO, SIG_DFL);
	close(leased);
}

/* Who has the old file open keeps the old bytes; nobody ever sees a part. */
static void
file_write_replaces_at_once(void **state)
{
	char old[4] = "";
	int fd;

	(void)state;
	assert_true(file_write(arena, "f", ".tmp", STR("old")));
	fd = open("f", O_RDONLY);
	assert_true(fd >= 0);
	assert_true(file_write(arena, "f", ".tmp", STR("new and longer")));
	assert_int_equal(read(fd, old, sizeof old), 3);
	close(fd);
	assert_memory_equal(old, "old", 3);
	assert_str(content("f"), "new and longer");
	assert_false(path_exists("f.tmp"));
}

static void
file_write_that_fails_changes_nothing(void **state)
{
	(void)state;
	assert_true(file_write(arena, "f", ".tmp", STR("old")));
	assert_int_equal(mkdir("f.tmp", 0777), 0);
	errno = 0;
	assert_false(file_write(arena, "f", ".tmp", STR("new")));
	assert_int_equal(errno, EISDIR);
	assert_str(content("f"), "old");
	/* The temporary file could be written but not renamed: it is taken away. */
	assert_int_equal(mkdir("d", 0777), 0);
	assert_false(file_write(arena, "d", ".tmp", STR("new")));
	assert_int_equal(errno, EISDIR);
	assert_false(path_exists("d.tmp"));
	assert_false(file_write(arena, "absent/f", ".tmp", STR("new")));
	assert_int_equal(errno, ENOENT);
}

/* A full disk, by a limit of the file's size: nothing of the old file is lost. */
static void
file_write_to_a_full_disk(void **state)
{
	struct rlimit old, small;

	(void)state;
	assert_true(file_write(arena, "f", ".tmp", STR("old")));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){2, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	errno = 0;
	assert_false(file_write(arena, "f", ".tmp", STR("new")));
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_str(content("f"), "old");
	assert_false(path_exists("f.tmp"));
}

static void
directories_are_made(void **state)
{
	(void)state;
	assert_true(directory_make(arena, "a/b//c/"));
	assert_true(path_is_directory("a/b/c"));
	assert_true(directory_make(arena, "a/b"));
	assert_true(directory_make(arena, "/"));
	assert_true(file_write(arena, "f", ".tmp", STR("")));
	assert_true(path_exists("f"));
	assert_false(path_is_directory("f"));
	errno = 0;
	assert_false(directory_make(arena, "f"));
	assert_int_equal(errno, EEXIST);
	assert_false(directory_make(arena, "f/g"));
	assert_int_not_equal(errno, 0);
	assert_false(path_exists("absent"));
}

static void
here_is_what_the_shell_says(void **state)
{
	(void)state;
	assert_int_equal(mkdir("real", 0777), 0);
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(chdir("link"), 0);
	setenv("PWD", str_fmt(arena, "%s/link", folder).p, 1);
	assert_str(path_here(arena), str_fmt(arena, "%s/link", folder).p);
	setenv("PWD", "/", 1);
	assert_str(path_here(arena), str_fmt(arena, "%s/real", folder).p);
	setenv("PWD", ".", 1);
	assert_str(path_here(arena), str_fmt(arena, "%s/real", folder).p);
	unsetenv("PWD");
	assert_str(path_here(arena), str_fmt(arena, "%s/real", folder).p);
}

/* ---- paths ----------------------------------------------------------------------- */

static void
paths_become_normal(void **state)
{
	static const char *const rows[][2] = {
		{"", "."},
		{".", "."},
		{"/", "/"},
		{"//", "/"},
		{"/.", "/"},
		{"/..", "/"},
		{"/../a", "/a"},
		{"/a/../..", "/"},
		{"/a/", "/a"},
		{"/a//b/./c", "/a/b/c"},
		{"/a/b/../c", "/a/c"},
		{"/a/../b", "/b"},
		{"a/..", "."},
		{"a/../b", "b"},
		{"..", ".."},
		{"../..", "../.."},
		{"../a/..", ".."},
		{"../../a/../b", "../../b"},
		{"a/../..", ".."},
		{"a/b/../../..", ".."},
		{"..a/..", "."},
		{"a../b", "a../b"},
		{"...", "..."},
		{"./a", "a"},
		{"/..a/../b..", "/b.."},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_str(path_normal(arena, str_of(rows[i][0])), rows[i][1]);
		/* What is normal stays as it is. */
		assert_str(path_normal(arena, str_of(rows[i][1])), rows[i][1]);
	}
}

static void
paths_join(void **state)
{
	static const char *const rows[][3] = {
		{"/a", "b", "/a/b"},
		{"/a/", "b", "/a/b"},
		{"/a", "/b", "/b"},
		{"/a", "../b", "/b"},
		{"/a", "./b/../c", "/a/c"},
		{"/", "b", "/b"},
		{"/a", "", "/a"},
		{"a", "b", "a/b"},
		{"a", "../..", ".."},
		{"", "b", "b"},
		{"", "", "."},
		{"", "../b", "../b"},
		{".", "b", "b"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str path =
			path_join(arena, str_of(rows[i][0]), str_of(rows[i][1]));

		assert_str(path, rows[i][2]);
		assert_int_equal(path.p[path.n], '\0');
	}
}

static void
paths_have_parents_and_names(void **state)
{
	static const char *const rows[][3] = {
		{"/a/b", "/a", "b"},
		{"/a", "/", "a"},
		{"/", "/", ""},
		{"b", "", "b"},
		{"a/b", "a", "b"},
		{"a/", "a", ""},
		{"", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_str(path_parent(str_of(rows[i][0])), rows[i][1]);
		assert_str(path_name(str_of(rows[i][0])), rows[i][2]);
	}
}

/* ---- CMake lists and constants --------------------------------------------------- */

static struct str
joined(struct str_list l)
{
	struct buf b = {.arena = arena};

	for (size_t i = 0; i < l.n; i++)
		buf_fmt(&b, "<%.*s>", STR_ARG(l.v[i]));
	return buf_as_str(&b);
}

static void
lists_split(void **state)
{
	static const struct {
		const char *list, *all, *without_empty;
	} rows[] = {
		{"", "", ""},
		{"a", "<a>", "<a>"},
		{";", "<><>", ""},
		{"a;b", "<a><b>", "<a><b>"},
		{"a;;b;", "<a><><b><>", "<a><b>"},
		{";a", "<><a>", "<a>"},
		{"a\\;b", "<a;b>", "<a;b>"},
		{"a\\;b;c", "<a;b><c>", "<a;b><c>"},
		{"a\\\\;b", "<a\\;b>", "<a\\;b>"},
		{"a\\b;c", "<a\\b><c>", "<a\\b><c>"},
		{"[a;b];c", "<[a;b]><c>", "<[a;b]><c>"},
		{"[[a;b];c];d", "<[[a;b];c]><d>", "<[[a;b];c]><d>"},
		{"[a;b", "<[a;b>", "<[a;b>"},
		{"a];b;c", "<a];b;c>", "<a];b;c>"},
		{"a;b\\", "<a><b\\>", "<a><b\\>"},
		{" a ; b ", "< a >< b >", "< a >< b >"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str list = str_of(rows[i].list);

		assert_str(joined(cmake_list_split(arena, list, true)), rows[i].all);
		assert_str(joined(cmake_list_split(arena, list, false)),
			rows[i].without_empty);
	}
}

enum { LIST_LENGTH = 5 };

/* Counts through all texts of up to LIST_LENGTH of these characters. */
static bool
next_text(char *text)
{
	static const char letters[] = "a;[]\\";

	for (size_t i = 0; i < LIST_LENGTH; i++) {
		const char *at = text[i] ? strchr(letters, text[i]) + 1 : letters;

		if (*at) {
			text[i] = *at;
			return true;
		}
		text[i] = letters[0];
	}
	return false;
}

/* Every short text of the characters that matter, as the installed cmake splits it. */
static void
lists_split_as_cmake_does(void **state)
{
	struct buf script = {.arena = arena}, mine = {.arena = arena};
	char text[LIST_LENGTH + 1] = "";

	(void)state;
	if (system("cmake --version >/dev/null 2>&1") != 0)
		SKIP_TEST("no cmake");
	buf_z(&script, "set(out \"\")\n");
	while (next_text(text)) {
		buf_z(&script, "set(l \"");
		for (const char *p = text; *p; p++)
			buf_fmt(&script, "%s%c", *p == '\\' ? "\\" : "", *p);
		buf_z(&script, "\")\nforeach(e IN LISTS l)\n"
			       "  string(APPEND out \"<${e}>\")\nendforeach()\n"
			       "string(APPEND out \"\\n\")\n");
		buf_str(&mine, joined(cmake_list_split(arena, str_of(text), true)));
		buf_char(&mine, '\n');
	}
	buf_z(&script, "file(WRITE out.txt \"${out}\")\n");
	assert_true(file_write(arena, "l.cmake", ".tmp", buf_as_str(&script)));
	assert_int_equal(system("cmake -P l.cmake"), 0);
	assert_true(str_eq(content("out.txt"), buf_as_str(&mine)));
}

static void
constants_are_known(void **state)
{
	static const struct {
		const char *text;
		bool on, off;
	} rows[] = {
		{"1", true, false},
		{"ON", true, false},
		{"yes", true, false},
		{"True", true, false},
		{"y", true, false},
		{"0", false, true},
		{"", false, true},
		{"off", false, true},
		{"No", false, true},
		{"FALSE", false, true},
		{"n", false, true},
		{"ignore", false, true},
		{"NOTFOUND", false, true},
		{"x-NOTFOUND", false, true},
		{"-NOTFOUND", false, true},
		{"notfound", false, false},
		{"x-notfound", false, false},
		{"xNOTFOUND", false, false},
		{"NOTFOUND-", false, false},
		{"2", false, false},
		{"00", false, false},
		{"01", false, false},
		{" 1", false, false},
		{"onn", false, false},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_int_equal(cmake_is_on(str_of(rows[i].text)), rows[i].on);
		assert_int_equal(cmake_is_off(str_of(rows[i].text)), rows[i].off);
	}
}

#define IN_ARENA(test)                                                                   \
	cmocka_unit_test_setup_teardown(test, set_up_arena, tear_down_arena)
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ARENA(arena_gives_zeroed_aligned_blocks),
		IN_ARENA(arena_blocks_do_not_overlap),
		IN_ARENA(arena_rewind_gives_back),
		IN_ARENA(arena_does_not_grow_by_rounds),
		IN_ARENA(ends_the_program),
		IN_ARENA(sanitizer_sees_what_is_not_in_use),
		IN_ARENA(buffer_leaves_bytes_of_caller),
		IN_ARENA(text_is_of_some_bytes),
		IN_ARENA(str_compares),
		IN_ARENA(case_of_letters_changes),
		IN_ARENA(str_none_is_an_empty_text),
		IN_ARENA(str_finds),
		IN_ARENA(str_trims),
		IN_ARENA(str_gives_its_lines),
		IN_ARENA(str_list_becomes_a_set),
		IN_ARENA(str_copies_end_with_nul),
		IN_ARENA(str_reads_numbers),
		IN_ARENA(times_of_any_size),
		IN_ARENA(vector_grows),
		IN_ARENA(buf_holds_what_was_added),
		IN_ARENA(buf_fmt_at_every_length),
		IN_ARENA(buf_number_as_printf),
		IN_ARENA(map_finds_what_was_put),
		IN_ARENA(map_numbers_keys_in_order),
		IN_ARENA(map_with_room_does_not_grow),
		IN_ARENA(memory_is_zero),
		IN_FOLDER(exact_file_takes_its_size),
		IN_FOLDER(file_read_gives_all_bytes),
		IN_FOLDER(file_read_refuses_fifos),
		IN_FOLDER(file_read_waits_for_leases),
		IN_FOLDER(file_write_replaces_at_once),
		IN_FOLDER(file_write_that_fails_changes_nothing),
		IN_FOLDER(file_write_to_a_full_disk),
		IN_FOLDER(directories_are_made),
		IN_FOLDER(here_is_what_the_shell_says),
		IN_ARENA(paths_become_normal),
		IN_ARENA(paths_join),
		IN_ARENA(paths_have_parents_and_names),
		IN_ARENA(lists_split),
		IN_FOLDER(lists_split_as_cmake_does),
		IN_ARENA(constants_are_known),
	};

	return run_unit_tests("base", tests, NULL, NULL);
}
