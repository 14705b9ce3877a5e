/* topology: as many processors as the process may use, with hwloc or without. */
#include <sched.h>

#include "runner/resources/topology.h"
#include "tests/unit/unit.h"

static void
counts_what_the_process_may_use(void **state)
{
	cpu_set_t before, one;
	int first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	assert_int_equal(topology_processors(), CPU_COUNT(&before));
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(topology_processors(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(topology_processors(), CPU_COUNT(&before));
}

static void
says_what_it_is(void **state)
{
	struct arena *a = arena_open();
	struct str name = topology_name(a);

	(void)state;
	assert_true(str_is(name, "none") || str_begins(name, STR("hwloc ")));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_the_process_may_use),
		cmocka_unit_test(says_what_it_is),
	};

	return run_unit_tests("topology", tests, NULL, NULL);
}
