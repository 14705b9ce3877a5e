/* topology: its name; test_machine and test_affinity show what it reads. */
#include "runner/resources/topology.h"
#include "tests/unit/unit.h"

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
		cmocka_unit_test(says_what_it_is),
	};

	return run_unit_tests("topology", tests, NULL, NULL);
}
