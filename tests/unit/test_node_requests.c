/* node_requests: `nodes:N` in RESOURCE_GROUPS is a number of whole nodes. */
#include "compat/resources/node_requests.h"
#include "compat/resources/resource_groups.h"
#include "tests/unit/unit.h"

/* groups: of the first test; the second has none. */
static struct selection
select_two(struct arena *a, const char *groups, int nodes)
{
	struct properties *p = NEW(a, struct properties);
	struct test *tests = NEW_ARRAY(a, struct test, 2);
	struct suite *suite = NEW(a, struct suite);
	struct selection s = {
		.suite = suite, .v = NEW_ARRAY(a, struct selected, 2), .n = 2};

	*p = properties_default;
	p->nodes = nodes;
	assert_int_equal(resource_groups_parse(a, str_of(groups), &p->resource_groups),
		GROUPS_RIGHT);
	tests[0] = (struct test){.name = STR("first"), .properties = p};
	tests[1] = (struct test){.name = STR("other"), .properties = &properties_default};
	*suite = (struct suite){.tests = tests, .n = 2};
	s.v[1].test = 1;
	return s;
}

/* "nodes, groups" of the first test, or its defect. */
static const char *
first_text(struct arena *a, const struct selection *s)
{
	const struct properties *p = s->suite->tests[0].properties;
	struct buf b = {.arena = a};

	if (p->defect.n)
		return str_z(a, p->defect);
	buf_fmt(&b, "%d", p->nodes);
	for (size_t i = 0; i < p->resource_groups.n; i++)
		for (size_t k = 0; k < p->resource_groups.v[i].n; k++)
			buf_fmt(&b, "%s%.*s:%d", k ? "," : " ",
				STR_ARG(p->resource_groups.v[i].v[k].type),
				(int)p->resource_groups.v[i].v[k].slots);
	return b.p;
}

static void
nodes_are_counted(void **state)
{
	static const struct {
		const char *groups;
		int nodes; /* CCTR_NODES */
		const char *expected;
	} rows[] = {
		{"nodes:2", 1, "2"},
		{"nodes:1", 1, "1"},
		{"nodes:2,gpus:3", 1, "2 gpus:3"},
		{"gpus:3,nodes:2;cpus:4", 1, "2 gpus:3 cpus:4"},
		{"nodes:2;gpus:3", 1, "2 gpus:3"},
		{"2,nodes:1,gpus:3", 1, "2 gpus:3 gpus:3"},
		{"nodes:3", 3, "3"},
		{"nodes:2", 3, "RESOURCE_GROUPS requests 2 nodes, but CCTR_NODES is 3."},
		{"nodes:1", 3, "RESOURCE_GROUPS requests 1 nodes, but CCTR_NODES is 3."},
		{"2,nodes:2147483647", 1,
			"RESOURCE_GROUPS requests more than 2147483647 nodes."},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct selection s = select_two(*state, rows[i].groups, rows[i].nodes);
		const struct suite *declared = s.suite;

		assert_true(node_requests_are_there(&s));
		node_requests_count(*state, &s);
		assert_string_equal(first_text(*state, &s), rows[i].expected);
		assert_false(node_requests_are_there(&s));
		assert_ptr_equal(
			s.suite->tests[1].properties, declared->tests[1].properties);
	}
}

static void
others_are_left(void **state)
{
	struct selection s = select_two(*state, "gpus:2,node:3;nodes_:1", 2);

	assert_false(node_requests_are_there(&s));
	assert_string_equal(first_text(*state, &s), "2 gpus:2,node:3 nodes_:1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_counted),
		cmocka_unit_test(others_are_left),
	};

	return run_unit_tests("node_requests", tests, open_arena, close_arena);
}
