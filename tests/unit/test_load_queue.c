/* The worker with the smallest load, while loads change. */
#include "runner/remote/load_queue.h"
#include "tests/unit/unit.h"

static void
least_is_first(void **state)
{
	static const struct {
		struct {
			uint32_t worker;
			uint64_t load;
		} set[4];
		size_t n;
		uint32_t least;
	} rows[] = {
		{{{0, 0}}, 0, MAP_NONE},
		{{{2, 5}}, 1, 2},
		{{{2, 5}, {1, 7}}, 2, 2},
		{{{2, 5}, {1, 5}}, 2, 1},
		{{{2, 5}, {1, 7}, {2, 9}}, 3, 1},
		{{{2, 5}, {1, 7}, {2, LOAD_NONE}}, 3, 1},
		{{{1, 7}, {1, LOAD_NONE}}, 2, MAP_NONE},
		{{{1, 7}, {0, 8}, {1, LOAD_NONE}, {1, 6}}, 4, 1},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct load_queue *q = load_queue_new(a, 3);

		for (size_t k = 0; k < rows[i].n; k++)
			load_queue_set(q, rows[i].set[k].worker, rows[i].set[k].load);
		assert_int_equal(load_queue_least(q), rows[i].least);
		assert_int_equal(load_queue_least(q), rows[i].least);
		arena_close(a);
	}
}

/* As a search of all loads says, however many entries are out of date. */
static void
least_of_many_changes(void **state)
{
	enum { WORKERS = 5, CHANGES = 2000 };
	uint64_t loads[WORKERS], random = 1;
	struct arena *a = arena_open();
	struct load_queue *q = load_queue_new(a, WORKERS);

	(void)state;
	for (size_t i = 0; i < WORKERS; i++)
		loads[i] = LOAD_NONE;
	for (size_t i = 0; i < CHANGES; i++) {
		uint32_t worker, least = MAP_NONE;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		worker = (uint32_t)(random >> 33) % WORKERS;
		loads[worker] = random >> 60 ? random >> 61 : LOAD_NONE;
		load_queue_set(q, worker, loads[worker]);
		for (uint32_t k = 0; k < WORKERS; k++)
			if (loads[k] != LOAD_NONE &&
				(least == MAP_NONE || loads[k] < loads[least]))
				least = k;
		if (random >> 40 & 1)
			assert_int_equal(load_queue_least(q), least);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_is_first),
		cmocka_unit_test(least_of_many_changes),
	};

	return run_unit_tests("load_queue", tests, NULL, NULL);
}
