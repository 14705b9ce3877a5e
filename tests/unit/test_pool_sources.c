/* pool_sources: names, numbered instances, what is missing, more slots. */
#include "runner/resources/pool_sources.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

static const struct {
	const char *word;
	bool is_type, is_id;
} words[] = {
	{"gpus", true, true},
	{"_a9", true, true},
	{"9a", false, true},
	{"Gpus", false, false},
	{"a-b", false, false},
	{"", false, false},
};

static void
names_are_those_that_tests_can_ask_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(words); i++) {
		assert_int_equal(
			pool_is_type_name(str_of(words[i].word)), words[i].is_type);
		assert_int_equal(pool_is_id(str_of(words[i].word)), words[i].is_id);
	}
}

static void
types_and_ids_stay_in_order(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "b x=3");

	(void)state;
	pool_number_instances(a, pool_add_type(a, &p, STR("c")), 11, 2);
	pool_number_instances(a, pool_add_type(a, &p, STR("a")), 0, 1);
	assert_string_equal(pool_line(a, &p),
		"a; b x=3; c 0=2 1=2 10=2 2=2 3=2 4=2 5=2 6=2 7=2 8=2 9=2");
	pool_number_instances(a, pool_add_type(a, &p, STR("c")), 1, 5);
	assert_int_equal(p.n, 3);
	assert_string_equal(pool_line(a, &p), "a; b x=3; c 0=5");
	arena_close(a);
}

/* A type that is there stays, be it without instances. */
static void
only_missing_types_are_added(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "cpus 7=1; gpus");
	struct pool more = pool_of(a, "cpus 0=1 1=1; gpus 0=1; mem 0=9");

	(void)state;
	pool_add_missing(a, &p, &more);
	assert_string_equal(pool_line(a, &p), "cpus 7=1; gpus; mem 0=9");
	arena_close(a);
}

static void
slots_are_multiplied_or_left(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "gpus 0=2 1=4294967295");

	(void)state;
	assert_false(pool_oversubscribe(&p.types[0], 2));
	assert_string_equal(pool_line(a, &p), "gpus 0=2 1=4294967295");
	assert_true(pool_oversubscribe(&p.types[0], 1));
	p.types[0].v[1].slots = 0;
	assert_true(pool_oversubscribe(&p.types[0], 3));
	assert_string_equal(pool_line(a, &p), "gpus 0=6 1=0");
	arena_close(a);
}

static void
nodes_are_joined_and_one_is_kept(void **state)
{
	struct arena *a = arena_open();
	struct str nodes[] = {STR("n2"), STR("n1"), STR("n3")};
	struct pool parts[] = {pool_of(a, "cpus 0=1; gpus 0=2 1=2"), pool_of(a, ""),
		pool_of(a, "gpus 0=4; mem 0=9")};
	struct pool p = pool_join(a, nodes, parts, ROWS(parts)), none;

	(void)state;
	assert_string_equal(pool_line(a, &p), "cpus 0=1; gpus 0=2 1=2 0@2=4; mem 0@2=9");
	pool_keep_node(&p, 2);
	assert_string_equal(pool_line(a, &p), "cpus; gpus 0=4; mem 0=9");
	assert_int_equal(p.nodes_n, 1);
	assert_true(str_is(p.nodes[0], "n3"));
	none = pool_join(a, nodes, parts, 0);
	assert_int_equal(none.n + none.nodes_n, 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_that_tests_can_ask_for),
		cmocka_unit_test(types_and_ids_stay_in_order),
		cmocka_unit_test(only_missing_types_are_added),
		cmocka_unit_test(slots_are_multiplied_or_left),
		cmocka_unit_test(nodes_are_joined_and_one_is_kept),
	};

	return run_unit_tests("pool_sources", tests, NULL, NULL);
}
