/*
 * CMake's expressions: every case of tests/cases/regex, whose results are those of cmake
 * and ctest themselves (regenerate.py there), and what does not fit into a line.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "compat/format/regex.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

static const char folder[] = "tests/cases/regex";

/* ---- the cases ------------------------------------------------------------------- */

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c - 'a' + 10;
}

static struct str
decode(struct arena *a, struct str s)
{
	struct buf out = {.arena = a};

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '%' && i + 2 < s.n) {
			buf_char(&out, (char)(hex_digit(s.p[i + 1]) << 4 |
					       hex_digit(s.p[i + 2])));
			i += 2;
		} else {
			buf_char(&out, s.p[i]);
		}
	return str_dup(a, buf_as_str(&out));
}

/* What a case expects, in the form of the file but decoded: "no", "is..." and groups, or
 * "error ...". */
static struct str
actual(struct arena *a, struct match_set *set, struct str re, struct str text)
{
	struct buf out = {.arena = a};
	struct str why;
	const struct pattern *p = match_set_get(set, re, &why);
	struct match m;

	if (!p->matcher)
		return str_fmt(a, "error %.*s", STR_ARG(why));
	if (!match_find(p->matcher, text, 0, &m))
		return STR("no");
	buf_fmt(&out, m.groups[0].n ? "is %.*s" : "is", STR_ARG(m.groups[0]));
	for (size_t i = 1; i < m.n; i++)
		if (m.groups[i].n)
			buf_fmt(&out, "\n%zu %.*s", i, STR_ARG(m.groups[i]));
	return buf_as_str(&out);
}

static struct str
next_line(struct str *rest)
{
	size_t n = str_find(*rest, '\n');
	struct str line = str_cut(rest->p, n);

	*rest = str_from(*rest, n < rest->n ? n + 1 : n);
	return line;
}

static void
check_case(struct arena *a, struct match_set *set, struct str block, size_t *wrong)
{
	struct str re = STR_NONE, text = STR_NONE, got;
	struct buf expected = {.arena = a};

	while (block.n) {
		struct str line = next_line(&block);
		struct str rest = decode(a, str_from(line, line.n < 3 ? line.n : 3));

		if (str_begins(line, STR("#")))
			continue;
		if (str_begins(line, STR("re")))
			re = rest;
		else if (str_begins(line, STR("on")))
			text = rest;
		else
			buf_fmt(&expected, "%s%.*s", expected.n ? "\n" : "",
				STR_ARG(decode(a, line)));
	}
	got = actual(a, set, re, text);
	if (str_eq(got, buf_as_str(&expected)))
		return;
	++*wrong;
	print_error("[%.*s] on [%.*s]\nexpected: %.*s\nis:       %.*s\n", STR_ARG(re),
		STR_ARG(text), STR_ARG(buf_as_str(&expected)), STR_ARG(got));
}

/* Returns the number of cases. */
static size_t
check_file(struct arena *a, struct match_set *set, const char *name, size_t *wrong)
{
	struct str text;
	size_t n = 0;

	assert_true(file_read(a, str_fmt(a, "%s/%s", folder, name).p, &text));
	while (text.n) {
		size_t end = str_search(text, STR("\n\n"));

		check_case(a, set, str_cut(text.p, end), wrong);
		text = str_from(text, end + 2 < text.n ? end + 2 : text.n);
		n++;
	}
	return n;
}

static void
cases_are_as_cmake_has_them(void **state)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);
	DIR *d = opendir(folder);
	struct dirent *e;
	size_t n = 0, wrong = 0;

	(void)state;
	assert_non_null(d);
	while ((e = readdir(d)))
		if (str_ends(str_of(e->d_name), STR(".txt")))
			n += check_file(a, set, e->d_name, &wrong);
	closedir(d);
	assert_true(n >= 600);
	assert_int_equal(wrong, 0);
	match_set_close(set);
	arena_close(a);
}

/* ---- sizes ----------------------------------------------------------------------- */

/* The largest patterns that CMake compiles; one more repetition is too big. */
static const struct {
	const char *unit;
	size_t most;
} sizes[] = {
	{"a", 65523},
	{".", 21842},
	{"[ab]", 10921},
	{"\\.", 13105},
	{"a*", 8190},
	{"a+", 8190},
	{"b?", 4680},
	{"^?", 5460},
	{"a|", 8190},
	{"|", 10920},
	{"[a-z]", 2184},
};

static struct str
repeated(struct arena *a, const char *unit, size_t n)
{
	struct buf out = {.arena = a};

	for (size_t i = 0; i < n; i++)
		buf_z(&out, unit);
	return buf_as_str(&out);
}

static void
too_big_is_refused(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(sizes); i++) {
		struct regex_tree out;
		struct str why = STR_NONE;

		assert_true(regex_parse(
			a, repeated(a, sizes[i].unit, sizes[i].most), &out, &why));
		assert_false(regex_parse(
			a, repeated(a, sizes[i].unit, sizes[i].most + 1), &out, &why));
		assert_string_equal(
			why.p, "RegularExpression::compile(): Expression too big.\n");
	}
	arena_close(a);
}

static void
a_pattern_ends_at_a_nul(void **state)
{
	struct arena *a = arena_open();
	struct regex_tree tree;
	struct str why;

	(void)state;
	assert_true(regex_parse(a, str_cut("ab\0(", 4), &tree, &why));
	assert_true(str_is(regex_tree_pcre2(a, &tree), "ab"));
	assert_true(regex_parse(a, STR_NONE, &tree, &why));
	assert_int_equal(regex_tree_pcre2(a, &tree).n, 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_are_as_cmake_has_them),
		cmocka_unit_test(too_big_is_refused),
		cmocka_unit_test(a_pattern_ends_at_a_nul),
	};

	return run_unit_tests("regex", tests, NULL, NULL);
}
