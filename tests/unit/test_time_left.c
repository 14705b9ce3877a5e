/* time_left, and running: what the rest of a run will take. */
#include "runner/report/time_left.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

#define SECOND 1000000000u

struct fixture {
	struct plan *plan;
	struct running running;
	struct time_left left;
	struct attempt attempts[8];
};

/* times: seconds of the tests; a guess ends with "?". */
static struct fixture *
fixture_of(struct arena *a, const char *text, const char *times, size_t slots)
{
	struct fixture *f = NEW(a, struct fixture);
	struct filter everything = {.use_union = false};
	const struct suite *suite = suite_of(a, text);
	struct selection *s = NEW(a, struct selection);
	struct expected *e = NEW_ARRAY(a, struct expected, suite->n);
	struct str rest = str_of(times);
	struct plan_options o = {.parallel = slots ? slots : 1};
	const struct test *culprit = NULL;

	for (size_t i = 0; i < suite->n; i++) {
		struct str time = str_take(&rest, ' ');

		e[i].is_guess = str_ends(time, STR("?"));
		e[i].seconds = str_double(time);
	}
	*s = select_tests(a, suite, &everything);
	f->plan = plan_build(a, s, &o, &culprit);
	f->running = running_of(a, suite->n);
	f->left = time_left_of(a, f->plan, e, slots);
	for (node_id i = 0; i < suite->n; i++)
		f->attempts[i] =
			(struct attempt){.node = i, .test = f->plan->nodes[i].test};
	return f;
}

static void
tell(struct fixture *f, enum event_kind kind, node_id node, unsigned seconds)
{
	struct event e = {.kind = kind, .attempt = &f->attempts[node]};

	running_note(&f->running, &e, (uint64_t)seconds * SECOND);
	if (kind == EVENT_START)
		time_left_begin(&f->left, node);
}

static void
assert_left(struct fixture *f, unsigned seconds, double expected)
{
	double got = time_left_seconds(&f->left, &f->running, (uint64_t)seconds * SECOND);

	if (got < expected - 1e-9 || got > expected + 1e-9)
		fail_msg(
			"after %u s: %g s are left, expected %g", seconds, got, expected);
}

static void
work_is_shared_by_slots(void **state)
{
	struct fixture *f = fixture_of(*state, "a; b; c; d", "4 4 4 4", 2);

	assert_left(f, 0, 8);
	tell(f, EVENT_START, 0, 10);
	tell(f, EVENT_START, 1, 10);
	assert_left(f, 12, 6);
	tell(f, EVENT_END, 0, 13);
	tell(f, EVENT_START, 2, 13);
	assert_left(f, 13, (1 + 4 + 4) / 2.0);
	/* who runs for longer than expected leaves no less than nothing */
	assert_left(f, 99, 4);
	tell(f, EVENT_END, 1, 99);
	tell(f, EVENT_END, 2, 99);
	tell(f, EVENT_START, 3, 100);
	tell(f, EVENT_END, 3, 104);
	assert_left(f, 104, 0);
}

static void
the_longest_test_is_a_bound(void **state)
{
	struct fixture *f = fixture_of(*state, "a; b; c", "1 9 1", 4);

	assert_left(f, 0, 9);
	tell(f, EVENT_START, 1, 0);
	assert_left(f, 2, 7);
	tell(f, EVENT_END, 1, 2);
	assert_left(f, 2, 1);
	/* without a limit nothing else is one */
	f = fixture_of(*state, "a; b; c", "1 9 1", 0);
	assert_left(f, 0, 9);
}

static void
wide_and_serial_tests_take_more(void **state)
{
	assert_left(fixture_of(*state, "a slots=2; b", "4 4", 2), 0, 6);
	assert_left(fixture_of(*state, "a slots=9; b", "4 4", 2), 0, 6);
	assert_left(fixture_of(*state, "a serial; b", "4 4", 4), 0, 5);
}

static void
guesses_tell_nothing(void **state)
{
	assert_left(fixture_of(*state, "a; b", "1? 1?", 1), 0, -1);
	assert_left(fixture_of(*state, "a; b", "1 1?", 1), 0, -1);
	assert_left(fixture_of(*state, "a; b; c", "1 1 1?", 1), 0, 3);
}

/* In the order of their starts, whichever ends first, and once each. */
static void
those_that_run_are_in_order(void **state)
{
	struct fixture *f = fixture_of(*state, "a; b; c", "1 1 1", 3);
	static const node_id all[] = {2, 0, 1};
	node_id at;

	for (unsigned i = 0; i < 3; i++)
		tell(f, EVENT_START, all[i], i);
	at = f->running.first;
	for (unsigned i = 0; i < 3; i++, at = f->running.v[at].after)
		assert_int_equal(at, all[i]);
	assert_int_equal(at, MAP_NONE);
	tell(f, EVENT_END, 0, 3);
	assert_int_equal(f->running.v[2].after, 1);
	assert_int_equal(f->running.v[1].before, 2);
	/* another attempt */
	tell(f, EVENT_START, 2, 7);
	assert_int_equal(f->running.n, 2);
	assert_int_equal(f->running.first, 1);
	assert_int_equal(f->running.last, 2);
	assert_true(running_seconds(&f->running.v[2], 9ull * SECOND) == 2);
	assert_true(running_seconds(&f->running.v[2], 1) == 0);
	tell(f, EVENT_END, 1, 9);
	tell(f, EVENT_END, 2, 9);
	assert_int_equal(f->running.first, MAP_NONE);
	assert_int_equal(f->running.last, MAP_NONE);
	assert_int_equal(f->running.n, 0);
}

int
main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_arena, close_arena)
	const struct CMUnitTest tests[] = {
		TEST(work_is_shared_by_slots),
		TEST(the_longest_test_is_a_bound),
		TEST(wide_and_serial_tests_take_more),
		TEST(guesses_tell_nothing),
		TEST(those_that_run_are_in_order),
	};

	return run_unit_tests("time_left", tests, NULL, NULL);
}
