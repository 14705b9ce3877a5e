/* processors: as many as the process may use. */
#include <sched.h>

#include "runner/process/processors.h"
#include "tests/unit/unit.h"

static void
counts_what_the_process_may_use(void **state)
{
	cpu_set_t before, one;
	int first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	assert_int_equal(processors_count(), CPU_COUNT(&before));
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(processors_count(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(processors_count(), CPU_COUNT(&before));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_the_process_may_use),
	};

	return run_unit_tests("processors", tests, NULL, NULL);
}
