/* request_class: equal requests are one class. Of many classes, those with similar
 * amounts share a coarse class. */
#include "runner/schedule/request_class.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

/* Tests "t0 groups=mem:1" to mem:most, and as many again. */
static struct plan
plan_of_amounts(struct arena *a, unsigned most)
{
	struct buf text = {.arena = a};
	struct suite *s;
	struct plan p;

	for (unsigned i = 0; i < 2 * most; i++)
		buf_fmt(&text, "%st%u groups=mem:%u", i ? ";" : "", i, 1 + i % most);
	s = suite_of(a, text.p);
	p = (struct plan){.nodes = NEW_ARRAY(a, struct node, s->n), .n = s->n};
	for (size_t i = 0; i < s->n; i++)
		p.nodes[i].test = &s->tests[i];
	return p;
}

static const struct {
	unsigned most; /* amounts */
	size_t classes, coarse;
} rows[] = {
	{1, 1, 1},
	{FINE_CLASSES_MOST, FINE_CLASSES_MOST, FINE_CLASSES_MOST},
	/* 1 to 8; 10, 12 to 18; 20, 24 to 36; 40, 48 to 72; and so on */
	{FINE_CLASSES_MOST + 1, FINE_CLASSES_MOST + 1, 8 + 5 + 5 + 5},
	{1024, 1024, 8 + 6 * 5 + 4},
};

static void
similar_amounts_are_a_coarse_class(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct pool pool = pool_of(a, "mem 0=4096");
		struct scheduler_options o = {.parallel = 4, .pool = &pool};
		struct plan p = plan_of_amounts(a, rows[i].most);
		struct request_classes *c = request_classes_build(a, &p, &o);

		assert_int_equal(c->v.n, rows[i].classes);
		assert_int_equal(c->coarse_n, rows[i].coarse);
		for (size_t k = 0; k < p.n; k++)
			assert_int_equal(c->of[k], k % rows[i].most);
	}
	arena_close(a);
}

/* However many classes share a coarse one, each requests its own amount. */
static void
amounts_stay_exact(void **state)
{
	struct arena *a = arena_open();
	struct pool pool = pool_of(a, "mem 0=4096");
	struct scheduler_options o = {.parallel = 4, .pool = &pool};
	struct plan p = plan_of_amounts(a, 1024);
	struct request_classes *c = request_classes_build(a, &p, &o);

	(void)state;
	for (size_t i = 0; i < c->v.n; i++) {
		assert_int_equal(c->v.v[i].needs_n, 1);
		assert_int_equal(c->v.v[i].needs[0].total, i + 1);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(similar_amounts_are_a_coarse_class),
		cmocka_unit_test(amounts_stay_exact),
	};

	return run_unit_tests("request_class", tests, NULL, NULL);
}
