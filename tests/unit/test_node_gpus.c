/* The GPUs of nodes, and which processors are near them. */
#include "runner/remote/node_gpus.h"

#include "tests/unit/unit.h"

static struct str_list
list_of(struct arena *a, const char *text)
{
	struct str rest = str_of(text);
	str_vec v = {0};

	while (rest.n)
		VEC_PUSH(a, &v, str_take(&rest, ' '));
	return str_vec_list(&v);
}

static void
near_is_what_is_near_one_of_them(void **state)
{
	static const struct {
		const char *gpus, *ids;
		const char *near; /* NULL: not known */
	} rows[] = {
		{"1100 0011", "0", "1100"},
		{"1100 0011", "1", "0011"},
		{"1100 0011", "0 1", "1111"},
		{"1100 0011", "1 7", "0011"},
		{"1100 0011", "7", NULL},
		{"1100 0011", "card0", NULL},
		{"1100 0011", "", NULL},
		{"110 00110", "0 1", NULL},
		{"", "0", NULL},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		const bool *near = node_gpus_near(
			a, list_of(a, rows[i].gpus), list_of(a, rows[i].ids), 4);

		assert_int_equal(near != NULL, rows[i].near != NULL);
		for (size_t k = 0; near && k < 4; k++)
			assert_int_equal(near[k], rows[i].near[k] == '1');
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_arena, close_arena)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(near_is_what_is_near_one_of_them),
	};

	return run_unit_tests("node_gpus", tests, NULL, NULL);
}
