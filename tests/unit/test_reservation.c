/* reservation: shadow times and what is extra, from the expected ends of what runs. */
#include <math.h>

#include "runner/lease/lease_terms.h"
#include "runner/resources/pool_sources.h"
#include "runner/schedule/reservation.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

enum { TESTS = 8, NEEDS = 4, PARALLEL = 4 };

/* runs: "slots:expected" of tests that started at 0; needs: "slots:expected", of which
 * one with "!" may have nothing beside it; not_before: of the first need; made: "shadow
 * time/extra slots". */
static const struct {
	const char *runs, *needs;
	double now_s, not_before_s;
	const char *made;
} rows[] = {
	{"3:10 1:5", "2:7", 0, 0, "10/2"},
	/* what ends first is enough */
	{"1:10 3:5", "2:7", 0, 0, "5/1"},
	/* tests that end together */
	{"2:5 2:5", "4:1", 0, 0, "5/0"},
	/* the second fits when the first one has ended, or beside it */
	{"3:10 1:5", "2:7 4:3", 0, 0, "10/2 17/0"},
	{"3:10 1:5", "2:7 2:3", 0, 0, "10/2 10/0"},
	/* the second would fit earlier, but is not first */
	{"4:10", "4:5 1:1", 0, 0, "10/0 15/3"},
	/* alone */
	{"1:5 1:8", "1:2!", 0, 0, "8/0"},
	{"1:5 1:8", "1:2! 1:1", 0, 0, "8/0 10/3"},
	/* a lock is held for longer */
	{"3:10 1:12", "1:1", 0, 12, "12/3"},
	/* later than expected: as much later as it has been running */
	{"4:5", "1:1", 9, 0, "18/3"},
	/* too large for what there is */
	{"1:5", "5:1 1:1", 0, 0, "?/0 ?/0"},
};

static bool
no_test_waits(const void *context, uint32_t type)
{
	(void)context;
	(void)type;
	return false;
}

static double
number(struct str *text, char end)
{
	return str_double(text_piece(text, end));
}

static void
start_all(struct reservations *r, const char *runs)
{
	struct str rest = str_of(runs);

	for (uint32_t rank = 0; rest.n; rank++) {
		struct str one = text_piece(&rest, ' ');
		size_t slots = (size_t)number(&one, ':');

		reservations_started(r, (struct holder){.rank = rank,
						.expected_s = str_double(one),
						.slots = slots});
	}
}

static size_t
needs_of(const char *text, struct need *needs)
{
	struct str rest = str_of(text);
	size_t n = 0;

	for (; rest.n; n++) {
		struct str one = text_piece(&rest, ' ');

		needs[n] = (struct need){.slots = (size_t)number(&one, ':')};
		needs[n].is_alone = one.p[one.n - 1] == '!';
		one.n -= needs[n].is_alone;
		needs[n].expected_s = str_double(one);
	}
	return n;
}

static void
needs_get_the_first_time_at_which_they_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct reservations *r =
			reservations_new(a, TESTS, NULL, PARALLEL, NEEDS);
		const struct reservation *made = reservations_made(r);
		struct need needs[NEEDS];
		size_t n = needs_of(rows[i].needs, needs);
		struct buf got = {.arena = a};

		start_all(r, rows[i].runs);
		needs[0].not_before_s = rows[i].not_before_s;
		reservations_make(r, needs, n, rows[i].now_s);
		for (size_t k = 0; k < n; k++) {
			buf_z(&got, k ? " " : "");
			if (isfinite(made[k].shadow_s))
				buf_fmt(&got, "%g", made[k].shadow_s);
			else
				buf_z(&got, "?");
			buf_fmt(&got, "/%zu", made[k].extra_slots);
		}
		if (!str_is(buf_as_str(&got), rows[i].made))
			fail_msg("row %zu: got \"%.*s\"", i, (int)got.n, got.p);
		arena_close(a);
	}
}

/* As many tests with a slot each end after 1, 2, ... seconds, and start in another order;
 * a test that needs k slots has them after k seconds. */
static void
many_end_in_order(void **state)
{
	enum { STEP = 7 }; /* has no divisor in common with the numbers */
	static const uint32_t numbers[] = {32, 33, 60};

	(void)state;
	for (size_t i = 0; i < ROWS(numbers); i++)
		for (uint32_t k = 1; k <= numbers[i]; k++) {
			uint32_t n = numbers[i];
			struct arena *a = arena_open();
			struct reservations *r = reservations_new(a, n, NULL, n, NEEDS);
			struct need need = {.slots = k, .expected_s = 1};

			for (uint32_t rank = 0; rank < n; rank++)
				reservations_started(
					r, (struct holder){.rank = rank,
						   .expected_s = 1 + rank * STEP % n,
						   .slots = 1});
			reservations_make(r, &need, 1, 0);
			assert_float_equal(reservations_made(r)->shadow_s, k, 0);
			assert_int_equal(reservations_made(r)->extra_slots, 0);
			arena_close(a);
		}
}

/* Test 0 has both slots until 100 and lends one until `back_s`; test 1 has that one until
 * 20. When does a test that needs one have it? */
static void
what_is_lent_is_needed_again(void **state)
{
	static const struct {
		double back_s, shadow_s;
	} lends[] = {{0, 20}, {10, 100}, {20, 100}, {30, 20}, {200, 20}};
	static const node_id order[] = {0, 1};
	struct lease_tests none = {.wait_for = no_test_waits};

	(void)state;
	for (size_t i = 0; i < ROWS(lends); i++) {
		struct arena *a = arena_open();
		struct pool pool = pool_of(a, "g x=1 y=1");
		struct reservations *r =
			reservations_new(a, TESTS, &pool, PARALLEL, NEEDS);
		struct leases *l = leases_new(a, &pool, TESTS, 8, none);
		struct lease_request q = {.seconds = lends[i].back_s};
		struct resource_groups one, both;
		struct grant own = {.v = NULL}, other = {.v = NULL};
		struct need need = {.slots = 1, .expected_s = 5, .groups = &one};
		uint32_t blocking;
		const char *why;

		assert_true(lease_terms_read(a, STR("g"), &one, &why));
		assert_true(lease_terms_read(a, STR("g,g"), &both, &why));
		assert_true(pool_take(&pool, a, &both, &own, &blocking));
		leases_begin(l, 0, &own, 1, 0);
		q.wanted = one;
		assert_int_equal(leases_ask(l, 0, LEASE_LEND, &q).status, LEASE_GRANTED);
		assert_true(pool_take(&pool, a, &one, &other, &blocking));
		reservations_set_leases(r, order, l);
		reservations_started(
			r, (struct holder){.expected_s = 100, .slots = 1, .grant = &own});
		reservations_started(r, (struct holder){.rank = 1,
						.expected_s = 20,
						.slots = 1,
						.grant = &other});
		reservations_make(r, &need, 1, 1);
		if (reservations_made(r)[0].shadow_s != lends[i].shadow_s)
			fail_msg("row %zu: %g", i, reservations_made(r)[0].shadow_s);
		assert_int_equal(pool.types[0].holders, 3);
		arena_close(a);
	}
}

static void
what_has_ended_holds_nothing(void **state)
{
	struct reservations *r = reservations_new(*state, TESTS, NULL, PARALLEL, NEEDS);
	struct need need = {.slots = 4, .expected_s = 1};

	start_all(r, "1:10 1:20 2:30");
	reservations_ended(r, 2);
	reservations_ended(r, 0);
	assert_true(reservations_end(r, 1, 5) == 20);
	reservations_make(r, &need, 1, 5);
	assert_true(reservations_made(r)->shadow_s == 20);
}

static void
tests_beyond_the_shadow_time_take_of_what_is_extra(void **state)
{
	struct reservations *r = reservations_new(*state, TESTS, NULL, PARALLEL, NEEDS);
	struct need need = {.slots = 2, .expected_s = 7};

	start_all(r, "3:10");
	reservations_make(r, &need, 1, 0);
	assert_false(reservations_allow(r, 0, 3, NULL));
	assert_true(reservations_allow(r, 0, 1, NULL));
	reservations_charge(r, 0, 1, NULL);
	assert_int_equal(reservations_made(r)->extra_slots, 1);
	assert_false(reservations_allow(r, 0, 2, NULL));
	need.is_alone = true;
	reservations_make(r, &need, 1, 0);
	assert_false(reservations_allow(r, 0, 1, NULL));
}

/* Of one instance with four slots the running test holds three, and the reserved one will
 * hold two: two are extra. */
static void
so_it_is_with_the_pool(void **state)
{
	struct arena *a = *state;
	struct pool pool = pool_of(a, "gpus 0=4");
	struct resource_groups three = text_groups(a, str_of("gpus:3"));
	struct resource_groups two = text_groups(a, str_of("gpus:2"));
	struct reservations *r = reservations_new(a, TESTS, &pool, PARALLEL, NEEDS);
	struct need need = {.slots = 1, .expected_s = 7, .groups = &two};
	struct grant held = {NULL, 0}, small = {NULL, 0}, large = {NULL, 0};
	struct pool other = pool_of(a, "gpus 0=4");
	uint32_t blocking;

	assert_true(pool_take(&pool, a, &three, &held, &blocking));
	reservations_started(r,
		(struct holder){.rank = 0, .expected_s = 10, .slots = 1, .grant = &held});
	reservations_make(r, &need, 1, 0);
	assert_true(reservations_made(r)->shadow_s == 10);
	assert_true(pool_take(&other, a, &three, &large, &blocking));
	pool_return(&other, &large);
	assert_true(pool_take(&other, a, &two, &small, &blocking));
	assert_false(reservations_allow(r, 0, 1, &large));
	assert_true(reservations_allow(r, 0, 1, &small));
	reservations_charge(r, 0, 1, &small);
	assert_false(reservations_allow(r, 0, 1, &small));
	assert_int_equal(pool.types[0].v[0].held, 3);
}

/* The running test holds two of the first node's four processors, the reserved one will
 * hold all of them: meanwhile two are free. */
static void
the_pool_stays_as_it_is(void **state)
{
	struct arena *a = *state;
	struct str names[] = {STR("n0"), STR("n1")};
	struct pool parts[] = {pool_of(a, "cpus 0=4"), pool_of(a, "gpus 0=1")};
	struct pool pool = pool_join(a, names, parts, 2);
	struct resource_groups two = text_groups(a, str_of("cpus:2"));
	struct resource_groups four = text_groups(a, str_of("cpus:4"));
	struct reservations *r = reservations_new(a, TESTS, &pool, PARALLEL, NEEDS);
	struct need need = {.slots = 1, .expected_s = 7, .groups = &four};
	struct grant held = {NULL, 0}, beside = {NULL, 0};
	uint32_t blocking;

	assert_true(pool_take(&pool, a, &two, &held, &blocking));
	reservations_started(r,
		(struct holder){.rank = 0, .expected_s = 10, .slots = 1, .grant = &held});
	reservations_make(r, &need, 1, 0);
	assert_true(reservations_made(r)->shadow_s == 10);
	assert_true(pool_take(&pool, a, &two, &beside, &blocking));
}

/* Whether the node is here may change after the copy of the pool was made. */
static void
nodes_that_are_away_are_not_reserved(void **state)
{
	struct arena *a = *state;
	struct str names[] = {STR("n0"), STR("n1")};
	struct pool parts[] = {pool_of(a, "cpus 0=1"), pool_of(a, "cpus 0=1")};
	struct pool pool = pool_join(a, names, parts, 2);
	struct resource_groups one = text_groups(a, str_of("cpus:1"));
	struct reservations *r = reservations_new(a, TESTS, &pool, PARALLEL, NEEDS);
	struct need needs[] = {{.slots = 1, .expected_s = 7, .groups = &one},
		{.slots = 1, .expected_s = 7, .groups = &one}};
	struct grant held = {NULL, 0};
	uint32_t blocking;

	assert_true(pool_take(&pool, a, &one, &held, &blocking));
	reservations_started(r,
		(struct holder){.rank = 0, .expected_s = 10, .slots = 1, .grant = &held});
	pool_set_presence(a, &pool, 1, POOL_NODE_AWAY);
	reservations_make(r, needs, 2, 0);
	assert_true(reservations_made(r)[0].shadow_s == 10);
	assert_true(reservations_made(r)[1].shadow_s == 17);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_get_the_first_time_at_which_they_fit),
		cmocka_unit_test(many_end_in_order),
		cmocka_unit_test(what_is_lent_is_needed_again),
		cmocka_unit_test_setup_teardown(
			what_has_ended_holds_nothing, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			tests_beyond_the_shadow_time_take_of_what_is_extra, open_arena,
			close_arena),
		cmocka_unit_test_setup_teardown(
			so_it_is_with_the_pool, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			the_pool_stays_as_it_is, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			nodes_that_are_away_are_not_reserved, open_arena, close_arena),
	};

	return run_unit_tests("reservation", tests, NULL, NULL);
}
