/* text_compare: the diff of what counts, and what differs from run to run. */
#include "compat/compare/text_compare.h"
#include "tests/unit/unit.h"

static const struct {
	const char *first, *second, *again; /* again: NULL for none */
	size_t different, own;
	const char *diff; /* NULL: as it may be */
} rows[] = {
	{"a\nb\n", "a\nb\n", NULL, 0, 0, ""},
	{"a\nb\n", "a\nc\n", NULL, 1, 0, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
	{"", "a\n", NULL, 1, 0, "@@ -0,0 +1 @@\n+a\n"},
	{"1\n2\n3\n4\n5\nx\n", "1\n2\n3\n4\n5\n", NULL, 1, 0,
		"@@ -3,4 +3,3 @@\n 3\n 4\n 5\n-x\n"},
	/* in the same words */
	{"pid 12 ok\n", "pid 99 ok\n", "pid 34 ok\n", 0, 1, ""},
	{"pid 12 ok\n", "pid 123 ok\n", "pid 125 ok\n", 0, 1, ""},
	{"pid 12 ok\n", "pid 99 bad\n", "pid 34 ok\n", 1, 0, NULL},
	{"pid 12 ok\n", "", "pid 34 ok\n", 1, 0, NULL},
	{"pid 12 ok\n", "pid 13 ok\n", "pid 12 ok\n", 1, 0, NULL},
	/* as many lines as it likes */
	{"a\nb\n", "a\n1\n2\nb\n", "a\nx\nb\n", 0, 1, ""},
	/* somewhere else */
	{"a\npid 12\nb\nc\n", "a\npid 13\nb\nd\n", "a\npid 14\nb\nc\n", 1, 1,
		"@@ -1,4 +1,4 @@\n a\n pid 12\n b\n-c\n+d\n"},
};

static struct str_list
split(struct arena *a, const char *text)
{
	str_vec v = {0};
	struct str rest = str_of(text), line;

	while (str_take_line(&rest, &line))
		VEC_PUSH(a, &v, line);
	return str_vec_list(&v);
}

static void
rows_hold(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str_list again = split(a, rows[i].again ? rows[i].again : "");
		struct text_comparison c = text_compare(a, split(a, rows[i].first),
			split(a, rows[i].second), rows[i].again ? &again : NULL);

		assert_int_equal(c.different, rows[i].different);
		assert_int_equal(c.own, rows[i].own);
		if (rows[i].diff)
			assert_string_equal(str_z(a, c.diff), rows[i].diff);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_hold)};

	return run_unit_tests("text_compare", tests, open_arena, close_arena);
}
