/* batch_groups: which tests may run together, and what a process of them proves. */
#include "runner/batch/batch_groups.h"
#include "tests/unit/unit.h"

enum { TESTS = 12 };
struct world {
	struct arena *a;
	struct test tests[TESTS];
	struct properties properties[TESTS];
	struct selected selected[TESTS];
	struct suite suite;
	struct selection selection;
	uint32_t order[TESTS];
};

static struct world *
world_new(void)
{
	struct arena *a = arena_open();
	struct world *w = NEW(a, struct world);

	w->a = a;
	for (uint32_t i = 0; i < TESTS; i++) {
		struct str *words = NEW_ARRAY(a, struct str, 2);

		words[0] = STR("/bin/program");
		words[1] = str_fmt(a, "--gtest_filter=A.%u", i);
		w->properties[i] = properties_default;
		w->tests[i] = (struct test){.name = str_fmt(a, "A.%u", i),
			.command = {words, 2},
			.directory = STR("/tree"),
			.properties = &w->properties[i]};
		w->selected[i].test = i;
		w->order[i] = TESTS - 1 - i;
	}
	w->suite = (struct suite){.tests = w->tests, .n = TESTS};
	w->selection =
		(struct selection){.suite = &w->suite, .v = w->selected, .n = TESTS};
	return w;
}

static struct batch_groups
build(struct world *w)
{
	return batch_groups_build(w->a,
		&(struct batch_options){
			.selection = &w->selection, .order = w->order, .parallel = 1});
}

static void
all_but_the_case_must_be_the_same(void **state)
{
	struct world *w = world_new();
	uint32_t one = 1;
	struct batch_groups g;

	(void)state;
	w->properties[0].will_fail = true;
	w->properties[1].timeout_s = 3;
	w->properties[1].has_timeout = true;
	w->tests[2].directory = STR("/other");
	w->tests[3].command.v[1] = STR("--gtest_filter=A.*");
	w->selected[4].depends = &one;
	w->selected[4].depends_n = 1;
	w->properties[5].disabled = true;
	w->tests[6].command.v[0] = STR("--gtest_shuffle");
	w->properties[7].pmix = 2;
	w->properties[8].pmix = 2;
	g = build(w);
	for (uint32_t i = 0; i < 6; i++)
		assert_null(g.by_node[i]);
	assert_null(g.by_node[6]); /* the only one with that program */
	assert_null(g.by_node[7]);
	assert_null(g.by_node[8]); /* each has a namespace of its own */
	for (uint32_t i = 9; i < TESTS; i++)
		assert_ptr_equal(g.by_node[i]->group, g.by_node[9]->group);
	assert_int_equal(g.by_node[9]->group->n, TESTS - 9);
	assert_int_equal(batch_group_next(g.by_node[9]->group)->node, TESTS - 1);
	arena_close(w->a);
}

static void
tests_of_different_partitions_run_apart(void **state)
{
	static const uint32_t apart[TESTS] = {1, 1};
	struct world *w = world_new();
	struct batch_groups g = batch_groups_build(
		w->a, &(struct batch_options){.selection = &w->selection,
			      .order = w->order,
			      .parallel = 1,
			      .apart = apart});

	(void)state;
	assert_ptr_equal(g.by_node[0]->group, g.by_node[1]->group);
	assert_int_equal(g.by_node[0]->group->n, 2);
	assert_int_equal(g.by_node[2]->group->n, TESTS - 2);
	arena_close(w->a);
}

static void
catch2_tests_are_named_as_their_cases(void **state)
{
	static const struct {
		const char *name, *word;
		const char *found; /* NULL: none */
	} rows[] = {
		{"pre.a b", "a b", "a b"},
		{"a, [b]", "a\\, \\[b\\]", "a, [b]"},
		{"a", "b", NULL},
		{"a", "a*", NULL},
		{"a,b", "a,b", NULL},
		{"[tag]", "[tag]", NULL},
		{"-a", "-a", NULL},
		{"~a", "~a", NULL},
		{"a ", "a ", NULL},
		{"exclude:a", "exclude:a", NULL},
		{"a\\", "a\\", NULL},
		{"", "", NULL},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str words[] = {STR("/p"), str_of(rows[i].word)};
		struct test t = {.name = str_of(rows[i].name), .command = {words, 2}};
		struct batch_case c;

		assert_int_equal(catch2.find_case(a, &t, &c), rows[i].found != NULL);
		if (rows[i].found)
			assert_string_equal(str_z(a, c.name), rows[i].found);
	}
	arena_close(a);
}

/* What the n first tests of the group become: w(aits), p(roven), a(lone). failed: the
 * report has it as failed; missing: not at all; -1: none. */
static const char *
settle(struct arena *a, struct batch_group *g, size_t n, bool is_good, int failed,
	int missing, const char *last)
{
	static char text[TESTS + 1];
	struct batch_test *v[TESTS] = {NULL};
	struct case_report cases[TESTS] = {{.passed = false}};
	struct batch_report r = {.v = {0}};
	struct batch_end end = {
		.is_good = is_good, .report = &r, .last_begun = str_of(last)};

	for (size_t i = 0; i < n; i++) {
		v[i] = &g->v[i];
		v[i]->state = BATCH_RUNS;
		if ((int)i != missing)
			VEC_PUSH(a, &r.v,
				(struct case_report){.name = v[i]->choice.name,
					.passed = (int)i != failed});
	}
	batch_group_settle(g, v, n, &end, cases);
	for (size_t i = 0; i < n; i++) {
		text[i] = "wrpa"[v[i]->state];
		assert_int_equal(cases[i].passed, v[i]->state == BATCH_PROVEN);
	}
	text[n] = '\0';
	return text;
}

static void
only_a_good_process_proves(void **state)
{
	struct world *w = world_new();
	struct batch_groups groups = build(w);
	struct batch_group *g = groups.by_node[0]->group;
	struct str last = g->v[2].choice.name;

	(void)state;
	assert_int_equal(g->most, TESTS);
	assert_string_equal(settle(w->a, g, 5, true, -1, -1, NULL), "ppppp");
	assert_string_equal(settle(w->a, g, 5, true, -1, 1, NULL), "pappp");
	assert_string_equal(settle(w->a, g, 5, true, 4, -1, NULL), "ppppa");
	assert_string_equal(settle(w->a, g, 5, false, 1, -1, NULL), "wawww");
	assert_string_equal(
		settle(w->a, g, 5, false, -1, -1, str_z(w->a, last)), "wwaww");
	assert_ptr_equal(batch_group_next(g), &g->v[0]);
	/* The reason is not known. */
	assert_string_equal(settle(w->a, g, 10, false, -1, -1, NULL), "wwwwwwwwww");
	assert_int_equal(g->most, 5);
	assert_string_equal(settle(w->a, g, 5, false, -1, -1, NULL), "wwwww");
	assert_int_equal(g->most, 2);
	assert_string_equal(settle(w->a, g, 2, false, -1, -1, NULL), "aa");
	assert_string_equal(settle(w->a, g, 2, true, -1, -1, NULL), "pp");
	assert_int_equal(g->most, 4);
	for (int i = 0; i < 20; i++)
		settle(w->a, g, 4, false, -1, -1, NULL);
	assert_string_equal(settle(w->a, g, 4, false, -1, -1, NULL), "aaaa");
	arena_close(w->a);
}

static void
a_case_that_is_reported_twice_is_not_proven(void **state)
{
	struct world *w = world_new();
	struct batch_groups groups = build(w);
	struct batch_group *g = groups.by_node[0]->group;
	struct batch_test *v[] = {&g->v[0], &g->v[1]};
	struct case_report cases[2];
	struct case_report twice = {.name = v[0]->choice.name, .passed = true};
	struct case_report once = {.name = v[1]->choice.name, .passed = true};
	struct batch_report r = {.v = {0}};
	struct batch_end end = {.is_good = true, .report = &r};

	(void)state;
	for (int i = 0; i < 3; i++)
		VEC_PUSH(w->a, &r.v, twice);
	VEC_PUSH(w->a, &r.v, once);
	v[0]->state = v[1]->state = BATCH_RUNS;
	batch_group_settle(g, v, 2, &end, cases);
	assert_int_equal(v[0]->state, BATCH_ALONE);
	assert_int_equal(v[1]->state, BATCH_PROVEN);
	arena_close(w->a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_but_the_case_must_be_the_same),
		cmocka_unit_test(tests_of_different_partitions_run_apart),
		cmocka_unit_test(catch2_tests_are_named_as_their_cases),
		cmocka_unit_test(only_a_good_process_proves),
		cmocka_unit_test(a_case_that_is_reported_twice_is_not_proven),
	};

	return run_unit_tests("batch_groups", tests, NULL, NULL);
}
