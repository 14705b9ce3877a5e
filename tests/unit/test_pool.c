/* pool: all or nothing, the instances of ctest, and what comes back. */
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

enum { HOLDERS = 8 };

static struct resource_groups
groups_of(struct arena *a, const char *text)
{
	return text_groups(a, str_of(text));
}

/* "id,id/id": the instances of each group. */
static void
write_grant(struct buf *out, const struct pool *p, const struct grant *grant)
{
	for (size_t g = 0; g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++) {
			const struct grant_unit *u = &grant->v[g].v[k];

			buf_fmt(out, "%s%.*s",
				k   ? ","
				: g ? "/"
				    : "",
				STR_ARG(p->types[u->type].v[u->instance].id));
		}
}

/* ---- one request, an idle pool --------------------------------------------------- */

static const char four[] = "crypto_chips card0=4; gpus 0=2 1=4 2=2 3=1";

static const struct {
	const char *pool, *groups, *expected; /* NULL: the whole pool is too small */
} requests[] = {
	/* ctest(1), "RESOURCE_GROUPS": two groups with gpus:2, one with more */
	{four, "gpus:2/gpus:2/gpus:4,gpus:1,crypto_chips:2", "0/2/1,3,card0"},
	{four, "gpus:2/gpus:2", "1/1"},
	{four, "gpus:2/gpus:4,gpus:1,crypto_chips:2", "0/1,2,card0"},
	{four, "gpus:3", "1"},
	{four, "crypto_chips:1,gpus:1/crypto_chips:3", "card0,1/card0"},
	{four, "nope:1", NULL},
	{four, "gpus:1,nope:0", NULL},
	{four, "gpus:5", NULL},
	{four, "crypto_chips:5/gpus:1", NULL},
	{four, "gpus:0", "1"},
	{"gpus a=1 b=1", "gpus:1,gpus:1", "a,b"},
	{"gpus a=1 b=1", "gpus:1,gpus:1,gpus:1", NULL},
	{"gpus", "gpus:0", NULL},
	{"", "gpus:1", NULL},
};

static void
requests_get_the_instances_of_ctest(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(requests); i++) {
		struct arena *a = arena_open();
		struct pool p = pool_of(a, requests[i].pool);
		struct resource_groups g = groups_of(a, requests[i].groups);
		struct grant grant = {.v = NULL};
		struct buf got = {.arena = a};
		uint32_t blocking;
		bool could = pool_could_fit(&p, a, &g);

		if (could != (requests[i].expected != NULL))
			fail_msg("row %zu: could fit: %d", i, could);
		assert_int_equal(pool_take(&p, a, &g, &grant, &blocking), could);
		if (could) {
			write_grant(&got, &p, &grant);
			if (!str_is(buf_as_str(&got), requests[i].expected))
				fail_msg("row %zu: got %s", i, got.p);
		}
		arena_close(a);
	}
}

/* Groups without requirements hold nothing, and are there. */
static void
empty_groups_are_granted(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, four);
	struct resource_group none[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
	struct resource_groups g = {.v = none, .n = 3};
	struct grant grant = {.v = NULL};
	uint32_t blocking;

	(void)state;
	assert_true(pool_could_fit(&p, a, &g));
	assert_true(pool_take(&p, a, &g, &grant, &blocking));
	assert_int_equal(grant.n, 3);
	assert_int_equal(grant.v[2].n, 0);
	pool_return(&p, &grant);
	arena_close(a);
}

/* ---- one after the other --------------------------------------------------------- */

/* Holder h takes groups, or gives back (groups NULL); then what is held of each type. */
struct step {
	size_t holder;
	const char *groups;
	const char *expected; /* "=instances", or the type that blocks */
	const char *held;
};

static const struct step steps[] = {
	{0, "gpus:2", "=1", "0 2 0 0"},
	{1, "gpus:2", "=3", "0 2 0 2"},
	{2, "gpus:7", "gpus", "0 2 0 2"},
	{2, "gpus:6,threads:1", "threads", "0 2 0 2"},
	{2, "gpus:6", "=1", "0 8 0 2"},
	{3, "gpus:4,gpus:4", "=3,0", "4 8 0 6"},
	{4, "gpus:3", "gpus", "4 8 0 6"},
	{4, "gpus:2,threads:2", "=3,x", "4 8 0 8"},
	{5, "gpus:1", "gpus", "4 8 0 8"},
	{5, "gpus:0", "=0", "4 8 0 8"},
	{5, NULL, "", "4 8 0 8"},
	{3, NULL, "", "0 8 0 4"},
	{5, "gpus:1/gpus:4", "=3/0", "4 8 0 5"},
	{4, NULL, "", "4 8 0 3"},
	{2, NULL, "", "4 2 0 3"},
	{1, NULL, "", "4 2 0 1"},
	{0, NULL, "", "4 0 0 1"},
	{5, NULL, "", "0 0 0 0"},
};

static void
check_step(struct arena *a, struct pool *p, struct grant *grants, size_t i)
{
	const struct step *s = &steps[i];
	struct grant *grant = &grants[s->holder];
	struct buf got = {.arena = a}, held = {.arena = a};
	uint32_t blocking = MAP_NONE;

	if (!s->groups) {
		pool_return(p, grant);
		buf_z(&got, "");
	} else {
		struct resource_groups g = groups_of(a, s->groups);

		*grant = (struct grant){.v = NULL};
		if (pool_take(p, a, &g, grant, &blocking)) {
			buf_char(&got, '=');
			write_grant(&got, p, grant);
		} else {
			buf_str(&got, blocking == MAP_NONE ? STR("threads")
							   : p->types[blocking].name);
		}
	}
	for (size_t k = 0; k < p->types[0].n; k++)
		buf_fmt(&held, "%s%d", k ? " " : "", (int)p->types[0].v[k].held);
	if (!str_is(buf_as_str(&got), s->expected) || !str_is(buf_as_str(&held), s->held))
		fail_msg("step %zu: got \"%s\", held \"%s\"", i, got.p, held.p);
}

static void
what_is_held_is_not_given_again(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "gpus 0=4 1=8 2=0 3=8; threads x=2");
	struct grant grants[HOLDERS] = {{NULL, 0}};

	(void)state;
	for (size_t i = 0; i < ROWS(steps); i++) {
		uint64_t released = p.types[0].released;

		/* a type that the pool lacks is found before anything is packed */
		if (i == 3)
			p.n = 1;
		check_step(a, &p, grants, i);
		p.n = 2;
		assert_int_equal(p.types[0].released > released, steps[i].groups == NULL);
	}
	assert_int_equal(p.types[0].holders, 0);
	assert_int_equal(p.types[1].v[0].held, 0);
	arena_close(a);
}

/* A grant that came back is written again in place: the arena does not grow. */
static void
grants_are_used_again(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "gpus 0=4 1=8 2=0 3=8");
	struct resource_groups g = groups_of(a, "gpus:2,gpus:3/gpus:1"),
			       large = groups_of(a, "gpus:8/gpus:8");
	struct grant grant = {.v = NULL}, other = {.v = NULL};
	struct grant_group *v;
	struct arena_mark before, after;
	uint32_t blocking;

	(void)state;
	assert_true(pool_take(&p, a, &g, &grant, &blocking));
	assert_false(pool_take(&p, a, &large, &other, &blocking));
	v = other.v;
	before = arena_mark(a);
	for (int i = 0; i < 1000; i++)
		assert_false(pool_take(&p, a, &large, &other, &blocking));
	pool_return(&p, &grant);
	for (int i = 0; i < 1000; i++) {
		assert_true(pool_take(&p, a, &large, &other, &blocking));
		pool_return(&p, &other);
	}
	after = arena_mark(a);
	assert_ptr_equal(other.v, v);
	assert_ptr_equal(after.block, before.block);
	assert_int_equal(after.used, before.used);
	arena_close(a);
}

static void
types_are_found_by_name(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "a x=1; b x=1; bb x=1; c x=1; d x=1");

	(void)state;
	for (uint32_t i = 0; i < p.n; i++)
		assert_int_equal(pool_type(&p, p.types[i].name), i);
	assert_int_equal(pool_type(&p, STR("")), MAP_NONE);
	assert_int_equal(pool_type(&p, STR("ba")), MAP_NONE);
	assert_int_equal(pool_type(&p, STR("e")), MAP_NONE);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_get_the_instances_of_ctest),
		cmocka_unit_test(empty_groups_are_granted),
		cmocka_unit_test(what_is_held_is_not_given_again),
		cmocka_unit_test(grants_are_used_again),
		cmocka_unit_test(types_are_found_by_name),
	};

	return run_unit_tests("pool", tests, NULL, NULL);
}
