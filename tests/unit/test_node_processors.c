/* The processors of nodes, as agents say them. */
#include "runner/remote/node_processors.h"

#include "tests/unit/unit.h"

/* Two cores with two threads each: processors 0 and 2, and 1 and 3. */
static struct field_numbers
places_of_cores(struct arena *a)
{
	static struct layout_place v[] = {
		{0, {7, 0, 0, 0, 0}},
		{1, {9, 0, 0, 0, 0}},
		{2, {7, 0, 0, 0, 0}},
		{3, {9, 0, 0, 0, 0}},
	};

	return node_processors_list(a, &(struct layout){.v = v, .n = ROWS(v)});
}

static void
agents_of_one_node_share(void **state)
{
	struct arena *a = *state;
	struct node_processors *n = node_processors_new(a, false);
	struct field_numbers places = places_of_cores(a), fewer = places;
	struct affinity *f = node_processors_of(n, "h", places);
	struct processors first = node_processors_take(f, a, 1, NULL), second;

	fewer.n /= 2;
	assert_ptr_equal(node_processors_of(n, "h", places_of_cores(a)), f);
	assert_ptr_not_equal(node_processors_of(n, "other", places), f);
	assert_ptr_not_equal(node_processors_of(n, "h", fewer), f);
	second = node_processors_take(f, a, 1, NULL);
	assert_int_equal(first.v[0], 0);
	assert_int_equal(second.v[0], 1);
}

static void
tests_get_what_is_free(void **state)
{
	struct arena *a = *state;
	struct affinity *f = node_processors_of(
		node_processors_new(a, false), "h", places_of_cores(a));
	struct processors all = node_processors_take(f, a, 64, NULL);

	assert_int_equal(all.n, 4);
	assert_int_equal(node_processors_take(f, a, 1, NULL).n, 0);
	affinity_return(f, all);
	assert_int_equal(node_processors_take(f, a, 0, NULL).n, 0);
	assert_int_equal(node_processors_take(f, a, 3, NULL).n, 3);
	assert_int_equal(node_processors_take(f, a, 2, NULL).n, 0);
}

static void
topology_comes_back(void **state)
{
	struct arena *a = *state;
	struct affinity *f =
		node_processors_of(node_processors_new(a, true), "h", places_of_cores(a));
	struct processors wide = node_processors_take(f, a, 2, NULL), one;

	assert_int_equal(wide.v[0], 0);
	assert_int_equal(wide.v[1], 1); /* a core each */
	affinity_return(f, wide);
	one = node_processors_take(f, a, 1, NULL);
	assert_int_equal(one.v[0], 0);
	assert_int_equal(
		node_processors_take(f, a, 1, NULL).v[0], 1); /* not the core of 0 */
}

static void
processors_are_near(void **state)
{
	static const bool second[] = {false, true, false, true};
	struct arena *a = *state;
	struct affinity *f =
		node_processors_of(node_processors_new(a, true), "h", places_of_cores(a));

	assert_int_equal(node_processors_take(f, a, 1, second).v[0], 1);
	assert_int_equal(node_processors_take(f, a, 1, second).v[0], 3);
	assert_int_equal(node_processors_take(f, a, 1, second).v[0], 0);
}

static void
other_numbers_are_refused(void **state)
{
	static unsigned half[] = {0, 0, 0, 0}, twice[] = {3, 0, 0, 0, 0, 3, 0, 0, 0, 0},
			large[] = {PROCESSORS_MOST, 0, 0, 0, 0};
	const struct field_numbers rows[] = {
		{half, ROWS(half)}, {twice, ROWS(twice)}, {large, ROWS(large)}};
	struct node_processors *n = node_processors_new(*state, true);

	for (size_t i = 0; i < ROWS(rows); i++)
		assert_null(node_processors_of(n, "h", rows[i]));
	assert_int_equal(
		affinity_all(node_processors_of(n, "h", (struct field_numbers){NULL, 0})),
		0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_arena, close_arena)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(agents_of_one_node_share),
		TEST(tests_get_what_is_free),
		TEST(topology_comes_back),
		TEST(processors_are_near),
		TEST(other_numbers_are_refused),
	};

	return run_unit_tests("node_processors", tests, NULL, NULL);
}
