/* slow_watch: what is due, and when. */
#include "runner/run/slow_watch.h"
#include "tests/unit/unit.h"

static void
first_added_is_first_due(void **state)
{
	struct slow_watch w = {.arena = arena_open(), .after_ns = 100};
	struct slow_entry e;

	(void)state;
	assert_true(slow_watch_due(&w) == UINT64_MAX);
	slow_watch_add(&w, 7, 10, 10);
	slow_watch_add(&w, 3, 20, 20);
	assert_true(slow_watch_due(&w) == 110);
	assert_false(slow_watch_next(&w, 109, &e));
	assert_true(slow_watch_next(&w, 110, &e));
	assert_int_equal(e.node, 7);
	assert_int_equal(e.began_ns, 10);
	assert_false(slow_watch_next(&w, 110, &e));
	slow_watch_add(&w, 7, 10, 110); /* again */
	assert_true(slow_watch_next(&w, 500, &e));
	assert_int_equal(e.node, 3);
	assert_true(slow_watch_next(&w, 500, &e));
	assert_int_equal(e.began_ns, 10);
	assert_false(slow_watch_next(&w, UINT64_MAX, &e));
	arena_close(w.arena);
}

static void
nothing_is_due_without_a_time(void **state)
{
	struct slow_watch never = {.arena = arena_open()};
	struct slow_watch too_late = {.arena = never.arena, .after_ns = UINT64_MAX};
	struct slow_entry e;

	(void)state;
	slow_watch_add(&never, 1, 5, 5);
	slow_watch_add(&too_late, 1, 5, 5);
	assert_false(slow_watch_next(&never, UINT64_MAX, &e));
	assert_false(slow_watch_next(&too_late, UINT64_MAX, &e));
	arena_close(never.arena);
}

/* Room does not grow with the number of tests that have run. */
static void
room_is_used_again(void **state)
{
	struct slow_watch w = {.arena = arena_open(), .after_ns = 50};
	struct slow_entry e;

	(void)state;
	for (uint64_t now = 0, expected = 0; now < 100000; now++) {
		slow_watch_add(&w, (node_id)now, now, now);
		while (slow_watch_next(&w, now, &e))
			assert_int_equal(e.node, expected++);
	}
	assert_true(w.v.cap < 1000);
	arena_close(w.arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_added_is_first_due),
		cmocka_unit_test(nothing_is_due_without_a_time),
		cmocka_unit_test(room_is_used_again),
	};

	return run_unit_tests("slow_watch", tests, NULL, NULL);
}
