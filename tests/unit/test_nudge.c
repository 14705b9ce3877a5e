/* nudge: when the rest of a message is asked for. */
#include "runner/remote/nudge.h"
#include "tests/unit/unit.h"

#define MS 1000000u

static void
the_rest_gets_time(void **state)
{
	struct nudge n = {0};

	(void)state;
	assert_false(nudge_is_due(&n, 1000u * MS));
	nudge_heard(&n, 1000u * MS, true);
	assert_false(nudge_is_due(&n, 1000u * MS));
	assert_true(nudge_is_due(&n, 1001u * MS));
	assert_false(nudge_is_due(&n, 1001u * MS));
	nudge_heard(&n, 1002u * MS, false);
	assert_false(nudge_is_due(&n, 9000u * MS));
}

/* Where nothing comes for an hour, that is known by silence. */
static void
nudges_become_rare(void **state)
{
	struct nudge n = {0};
	uint64_t now_ns = MS;
	size_t sent = 0;

	(void)state;
	nudge_heard(&n, now_ns, true);
	for (; now_ns < 60000u * (uint64_t)MS; now_ns += MS)
		sent += nudge_is_due(&n, now_ns);
	assert_in_range(sent, 60, 75);
	nudge_heard(&n, now_ns, true);
	assert_true(nudge_is_due(&n, now_ns + MS));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rest_gets_time),
		cmocka_unit_test(nudges_become_rare),
	};

	return run_unit_tests("nudge", tests, NULL, NULL);
}
