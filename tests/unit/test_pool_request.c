/* pool_request: RESOURCE_GROUPS, and PROCESSORS where the pool counts them. */
#include "compat/resources/resource_groups.h"
#include "runner/resources/pool_request.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

static const struct {
	const char *pool;
	int processors;
	const char *groups, *request; /* '/' between groups */
} rows[] = {
	{"cpus 0=1 1=1 2=1 3=1", 1, "", "cpus:1"},
	{"cpus 0=1 1=1 2=1 3=1", 3, "", "cpus:1 cpus:1 cpus:1"},
	{"cpus 0=1 1=1", 9, "", "cpus:1 cpus:1"},
	{"cpus 0=3", 2, "", "cpus:1 cpus:1"},
	{"cpus 0=0", 2, "", "cpus:1"},
	{"cpus", 1, "", "cpus:1"},
	{"cpus 0=1 1=1 2=1", 1, "gpus:2", "gpus:2/cpus:1"},
	{"cpus 0=1 1=1 2=1", 1, "cpus:1", "cpus:1"},
	{"cpus 0=1 1=1 2=1", 3, "cpus:1;gpus:1", "cpus:1/gpus:1/cpus:1 cpus:1"},
	{"cpus 0=1 1=1 2=1", 9, "cpus:1,cpus:1", "cpus:1 cpus:1/cpus:1"},
	{"cpus 0=1 1=1 2=1", 1, "2,cpus:1", "cpus:1/cpus:1"},
	/* more than there are stay more than there are */
	{"cpus 0=1", 1, "cpus:4", "cpus:4"},
	{"gpus 0=1", 4, "gpus:1", "gpus:1"},
};
/* Of listed types each slot is an instance. */
static const struct {
	const char *pool, *groups, *request;
} listed[] = {
	{"g 0=4; p* 1=1 2=1 3=1", "p:2", "p:1 p:1"},
	{"g 0=4; p* 1=1 2=1 3=1", "g:2,p:2,g:1,p:1", "g:2 p:1 p:1 g:1 p:1"},
	{"g 0=4; p* 1=1 2=1 3=1", "2,p:2", "p:1 p:1/p:1 p:1"},
	{"g 0=4; p* 1=1 2=1 3=1", "p:0", ""},
	{"p* 1=1 2=1", "p:999999", "p:1 p:1 p:1"},
	{"p* 1=1 2=1", "q:2", "q:2"},
	{"p 1=1 2=1", "p:2", "p:2"},
};

static const char *
shown_request(struct arena *a, const struct resource_groups *g)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			buf_fmt(&b, "%s%.*s:%llu",
				k   ? " "
				: i ? "/"
				    : "",
				STR_ARG(g->v[i].v[k].type),
				(unsigned long long)g->v[i].v[k].slots);
	return b.p ? b.p : "";
}

static void
processors_are_a_group(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct pool pool = pool_of(a, rows[i].pool);
		struct properties p = {.processors = rows[i].processors};
		struct resource_groups g;

		assert_int_equal(resource_groups_parse(
					 a, str_of(rows[i].groups), &p.resource_groups),
			GROUPS_RIGHT);
		pool.counts_processors = true;
		g = pool_request(a, &pool, &p);
		assert_string_equal(shown_request(a, &g), rows[i].request);
		pool.counts_processors = false;
		g = pool_request(a, &pool, &p);
		assert_ptr_equal(g.v, p.resource_groups.v);
		assert_int_equal(g.n, p.resource_groups.n);
		assert_int_equal(pool_processors_besides(NULL, 0, &p), 0);
	}
	arena_close(a);
}

static void
processors_are_summed(void **state)
{
	struct pool pool = pool_of(*state, "cpus 0=1 1=3; gpus 0=9");

	assert_int_equal(pool_processors(&pool), 0);
	assert_int_equal(pool_processors(NULL), 0);
	pool.counts_processors = true;
	assert_int_equal(pool_processors(&pool), 4);
	pool = pool_of(*state, "gpus 0=9");
	pool.counts_processors = true;
	assert_int_equal(pool_processors(&pool), 0);
}

static void
listed_slots_are_instances(void **state)
{
	for (size_t i = 0; i < ROWS(listed); i++) {
		struct pool pool = pool_of(*state, listed[i].pool);
		struct properties p = {.processors = 1};
		struct resource_groups g;

		assert_int_equal(resource_groups_parse(*state, str_of(listed[i].groups),
					 &p.resource_groups),
			GROUPS_RIGHT);
		g = pool_request(*state, &pool, &p);
		assert_string_equal(shown_request(*state, &g), listed[i].request);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processors_are_a_group),
		cmocka_unit_test_setup_teardown(
			processors_are_summed, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			listed_slots_are_instances, open_arena, close_arena),
	};

	return run_unit_tests("pool_request", tests, NULL, NULL);
}
