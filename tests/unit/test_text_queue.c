/* A queue of text: first in, first out, in little memory. */
#include <stdlib.h>

#include "runner/base/poison.h"
#include "runner/base/text_queue.h"
#include "tests/unit/unit.h"

/* Under AddressSanitizer an arena has bytes between its pieces. */
enum { MUCH = 5 * SPOOL_CEILING, MOST = (CCTR_ASAN ? 7 : 6) * SPOOL_CEILING };

/* Every four bytes tell where they stand. */
static void
add_counted(struct text_queue *q, uint32_t *next, size_t bytes)
{
	for (; bytes >= sizeof *next; bytes -= sizeof *next, ++*next)
		text_queue_add(q, (struct str){(const char *)next, sizeof *next});
}

/* Takes n bytes, which are to follow those taken so far. */
static void
take_counted(struct text_queue *q, uint32_t *next, size_t bytes)
{
	while (bytes) {
		struct str text;
		size_t n, at = 0;

		assert_true(text_queue_first(q, &text));
		n = (text.n < bytes ? text.n : bytes) / sizeof *next * sizeof *next;
		assert_true(n > 0);
		for (; at < n; at += sizeof *next, ++*next)
			assert_memory_equal(text.p + at, next, sizeof *next);
		text_queue_take(q, n);
		bytes -= n;
	}
}

static void
test_empty(void **state)
{
	struct text_queue q = text_queue_in("/tmp");
	struct str text;

	(void)state;
	assert_false(text_queue_first(&q, &text));
	text_queue_close(&q);
	text_queue_close(&q);
}

static void
test_order(void **state)
{
	struct text_queue q = text_queue_in("/tmp");
	struct str text;

	(void)state;
	text_queue_add(&q, STR("one"));
	text_queue_add(&q, STR("two"));
	assert_true(text_queue_first(&q, &text));
	assert_true(str_is(text, "onetwo"));
	text_queue_take(&q, 2);
	text_queue_add(&q, STR("three"));
	assert_true(text_queue_first(&q, &text));
	assert_true(str_is(text, "etwo"));
	text_queue_take(&q, 4);
	assert_true(text_queue_first(&q, &text));
	assert_true(str_is(text, "three"));
	text_queue_take(&q, 5);
	assert_false(text_queue_first(&q, &text));
	text_queue_close(&q);
}

/* In a file where there is one, else in memory. */
static void
test_much(void **state)
{
	static const char *const directories[] = {"/tmp", "/proc/none"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct text_queue q = text_queue_in(directories[i]);
		uint32_t added = 0, taken = 0;
		struct str text;

		add_counted(&q, &added, MUCH);
		assert_int_equal(q.grown->spool.file >= 0, i == 0);
		take_counted(&q, &taken, MUCH / 2);
		add_counted(&q, &added, MUCH);
		take_counted(&q, &taken, MUCH + MUCH / 2);
		assert_false(text_queue_first(&q, &text));
		text_queue_close(&q);
	}
}

static void
test_memory(void **state)
{
	struct text_queue q = text_queue_in("/tmp");
	uint32_t added = 0, taken = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		add_counted(&q, &added, MUCH);
		take_counted(&q, &taken, MUCH / 2);
	}
	assert_true(arena_bytes(q.read->arena) < MOST);
	assert_true(arena_bytes(q.grown->arena) < MOST);
	text_queue_close(&q);
}

static void
test_random(void **state)
{
	struct text_queue q = text_queue_in("/tmp");
	uint32_t added = 0, taken = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < 300; i++) {
		add_counted(&q, &added, (size_t)rand() % (SPOOL_CEILING / 2));
		take_counted(
			&q, &taken, (size_t)rand() % (added - taken + 1) * sizeof taken);
	}
	take_counted(&q, &taken, (added - taken) * sizeof taken);
	text_queue_close(&q);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_random),
	};

	return run_unit_tests("text_queue", tests, NULL, NULL);
}
