/* scheduler: processors that tests have to themselves, and groups without a pool. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/sim/simulator.h"

static void
affinity_caps_slots(void **state)
{
	struct arena *a = arena_open();
	struct world w = world_of(a, "a slots=4; b slots=4", 8, "");
	struct scheduler_options o = {.parallel = 8, .affinity_cpus = 2};
	struct properties *p = (struct properties *)w.plan->nodes[0].test->properties;
	struct scheduler *s;

	(void)state;
	p->processor_affinity = true;
	s = scheduler_new(a, w.plan, &o);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 0);
	assert_int_equal(scheduler_slots_used(s), 2);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 1);
	assert_int_equal(scheduler_slots_used(s), 6);
	arena_close(a);
}

/* a and b have PROCESSOR_AFFINITY. */
static struct scheduler *
two_with_affinity(struct arena *a, const char *suite, struct scheduler_options o)
{
	struct world w = world_of(a, suite, o.parallel, "");

	for (node_id i = 0; i < 2; i++)
		((struct properties *)w.plan->nodes[i].test->properties)
			->processor_affinity = true;
	return scheduler_new(a, w.plan, &o);
}

static void
affinity_waits_for_processors(void **state)
{
	struct arena *a = arena_open();
	struct scheduler *s = two_with_affinity(a, "a slots=2; b slots=2; c; d slots=2",
		(struct scheduler_options){.parallel = 8, .affinity_cpus = 3});
	struct action at;

	(void)state;
	at = scheduler_next(s, SIZE_MAX);
	assert_int_equal(at.node, 0);
	assert_int_equal(at.processors, 2);
	for (node_id i = 2; i < 4; i++) {
		at = scheduler_next(s, SIZE_MAX);
		assert_int_equal(at.node, i);
		assert_int_equal(at.processors, 0);
	}
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(s, 2);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(s, 0);
	at = scheduler_next(s, SIZE_MAX);
	assert_int_equal(at.kind, ACT_START);
	assert_int_equal(at.node, 1);
	assert_int_equal(at.processors, 2);
	arena_close(a);
}

/* The others have processors to themselves where there are some, and do not wait. */
static void
all_are_pinned_while_there_is_room(void **state)
{
	struct arena *a = arena_open();
	struct scheduler *s = two_with_affinity(a, "a slots=2; b slots=2; c; d slots=2",
		(struct scheduler_options){
			.parallel = 8, .affinity_cpus = 3, .pins_all = true});
	struct action at;

	(void)state;
	assert_int_equal(scheduler_next(s, SIZE_MAX).processors, 2);
	at = scheduler_next(s, SIZE_MAX);
	assert_int_equal(at.node, 2);
	assert_int_equal(at.processors, 1);
	at = scheduler_next(s, SIZE_MAX);
	assert_int_equal(at.node, 3);
	assert_int_equal(at.processors, 0);
	scheduler_ended(s, 3);
	scheduler_ended(s, 0);
	at = scheduler_next(s, SIZE_MAX);
	assert_int_equal(at.node, 1);
	assert_int_equal(at.processors, 2);
	arena_close(a);
}

static void
groups_without_a_pool_run_one_at_a_time(void **state)
{
	struct arena *a = arena_open();
	struct world w = world_of(a, "a groups=g:1; b groups=h:2 lock=l; c; d", 8, "");
	struct scheduler_options o = {.parallel = 8, .one_with_groups = true};
	struct scheduler *s = scheduler_new(a, w.plan, &o);

	(void)state;
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 0);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 2);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 3);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(s, 0);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 1);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(affinity_caps_slots),
		cmocka_unit_test(affinity_waits_for_processors),
		cmocka_unit_test(all_are_pinned_while_there_is_room),
		cmocka_unit_test(groups_without_a_pool_run_one_at_a_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
