/* advice: what attempts in memory suggest, and when they suggest nothing. */
#include "runner/history/advice.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

enum { TESTS_MOST = 8, ATTEMPTS = 5 };

struct fixture {
	struct arena *a;
	struct properties properties[TESTS_MOST];
	struct test tests[TESTS_MOST];
	struct suite suite;
	struct history_of_test of[TESTS_MOST];
	struct history_content content;
	struct advice_options o;
};

static struct fixture *
fixture_of(struct arena *a, size_t tests)
{
	struct fixture *f = NEW(a, struct fixture);

	f->a = a;
	for (size_t i = 0; i < tests; i++) {
		f->properties[i] = properties_default;
		f->tests[i] = (struct test){
			.name = str_fmt(a, "t%zu", i), .properties = &f->properties[i]};
	}
	f->suite = (struct suite){.tests = f->tests, .n = tests};
	f->content = (struct history_content){.tests = f->of};
	f->o = (struct advice_options){.slots = 2, .default_limit_s = 1500};
	return f;
}

/* The attempts of the test: n that passed alike. */
static void
add(struct fixture *f, size_t test, size_t n, double seconds, double processors)
{
	struct history_of_test *t = &f->of[test];

	t->v = NEW_ARRAY(f->a, struct history_record, n);
	t->n = n;
	for (size_t i = 0; i < n; i++)
		t->v[i].attempt = (struct history_attempt){.verdict = STR("passed"),
			.wall_us = (uint64_t)(seconds * 1e6),
			.processor_us = (uint64_t)(seconds * processors * 1e6)};
}

/* "kind:test=value" of each piece of advice. */
static const char *
advice_for(struct fixture *f, size_t *unknown)
{
	static const char *const kinds[] = {[ADVICE_LIMIT] = "limit",
		[ADVICE_PROCESSORS] = "processors",
		[ADVICE_MEMORY] = "memory",
		[ADVICE_COST] = "cost"};
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(f->a, &f->suite, &everything);
	struct advice_list l = advice_of(f->a, &s, &f->content, &f->o);
	struct buf text = {.arena = f->a};

	for (size_t i = 0; i < l.v.n; i++)
		buf_fmt(&text, "%s%s:%zu=%g", i ? " " : "", kinds[l.v.v[i].kind],
			l.v.v[i].test, l.v.v[i].value);
	*unknown = l.unknown;
	return str_z(f->a, buf_as_str(&text));
}

static void
limits(void **state)
{
	static const struct {
		double seconds, declared, by_default; /* declared below 0: none */
		const char *advice;
	} rows[] = {
		{0.01, -1, 1500, "limit:0=10"},
		{1, -1, 0, "limit:0=10"},
		{2.1, -1, 1500, "limit:0=20"},
		{24, -1, 1500, "limit:0=120"},
		{25, -1, 1500, ""},
		{740, -1, 1500, ""},
		{760, -1, 1500, "limit:0=7200"},
		{1, 100, 1500, "limit:0=10"},
		{1, 90, 1500, ""},
		{1, 2, 1500, ""},
		{1, 1.9, 1500, "limit:0=10"},
		{1, 0, 1500, ""},
		{90000, -1, 1500, ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct fixture *f = fixture_of(a, 1);
		size_t unknown;
		const char *got;

		add(f, 0, ATTEMPTS, rows[i].seconds, 0);
		f->properties[0].has_timeout = rows[i].declared >= 0;
		f->properties[0].timeout_s = rows[i].declared;
		f->o.default_limit_s = rows[i].by_default;
		got = advice_for(f, &unknown);
		if (strcmp(got, rows[i].advice) != 0 || unknown)
			fail_msg("row %zu: %s", i, got);
		arena_close(a);
	}
}

/* One attempt of many that took far longer changes no limit. */
static void
one_is_far_off(void **state)
{
	struct arena *a = arena_open();
	struct fixture *f = fixture_of(a, 1);
	size_t unknown;

	(void)state;
	add(f, 0, 30, 1, 0);
	f->of[0].v[7].attempt.wall_us = 100000000;
	assert_string_equal(advice_for(f, &unknown), "limit:0=10");
	arena_close(a);
}

static void
too_few_attempts(void **state)
{
	struct arena *a = arena_open();
	struct fixture *f = fixture_of(a, 4);
	size_t unknown;

	(void)state;
	add(f, 0, ATTEMPTS - 1, 1, 3);
	add(f, 1, ATTEMPTS, 1, 1);
	f->of[1].v[2].attempt.verdict = STR("failed");
	add(f, 2, ATTEMPTS, 1, 1);
	f->properties[2].disabled = true;
	assert_string_equal(advice_for(f, &unknown), "");
	assert_int_equal(unknown, 3);
	arena_close(a);
}

static void
processors(void **state)
{
	static const struct {
		double seconds, used;
		int declared;
		bool is_serial;
		const char *advice;
	} rows[] = {
		{1, 1, 1, false, ""},
		{1, 1.4, 1, false, ""},
		{1, 1.6, 1, false, "processors:0=2"},
		{1, 3.8, 1, false, "processors:0=4"},
		{1, 3.8, 1, true, ""},
		{1, 3.8, 4, false, ""},
		{1, 2.1, 4, false, ""},
		{1, 1.9, 4, false, "processors:0=2"},
		{1, 0.1, 4, false, "processors:0=1"},
		{1, 0.1, 1, false, ""},
		{0.09, 4, 1, false, ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct fixture *f = fixture_of(a, 1);
		size_t unknown;
		const char *got;

		add(f, 0, ATTEMPTS, rows[i].seconds, rows[i].used);
		f->properties[0].processors = rows[i].declared;
		f->properties[0].run_serial = rows[i].is_serial;
		f->properties[0].has_timeout = true;
		f->properties[0].timeout_s = 30;
		got = advice_for(f, &unknown);
		if (strcmp(got, rows[i].advice) != 0)
			fail_msg("row %zu: %s", i, got);
		arena_close(a);
	}
}

/* Two tests at a time, on a machine of 1000 MiB. */
static void
memory(void **state)
{
	static const struct {
		unsigned mib[3], slots;
		const char *advice;
	} rows[] = {
		{{600, 100, 100}, 2, ""},
		{{600, 400, 100}, 2, "memory:0=704"},
		{{600, 510, 100}, 2, "memory:0=704 memory:1=576"},
		{{950, 10, 10}, 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct fixture *f = fixture_of(a, 3);
		size_t unknown;
		const char *got;

		f->o.memory_bytes = (uint64_t)1000 << 20;
		f->o.slots = rows[i].slots;
		for (size_t t = 0; t < 3; t++) {
			add(f, t, ATTEMPTS, 100, 0);
			for (size_t k = 0; k < ATTEMPTS; k++)
				f->of[t].v[k].attempt.peak_bytes =
					(uint64_t)rows[i].mib[t] << 20;
		}
		got = advice_for(f, &unknown);
		if (strcmp(got, rows[i].advice) != 0)
			fail_msg("row %zu: %s", i, got);
		arena_close(a);
	}
}

/* Six tests with two slots: the long one should not be the last. */
static void
costs(void **state)
{
	static const struct {
		double seconds[6], declared;
		size_t slots;
		const char *advice;
	} rows[] = {
		{{50, 50, 50, 50, 50, 200}, 0, 2, "cost:5=200"},
		{{200, 50, 50, 50, 50, 50}, 0, 2, ""},
		{{50, 50, 50, 50, 50, 200}, 1, 2, ""},
		{{50, 50, 50, 50, 50, 200}, 0, 1, ""},
		{{30, 30, 30, 30, 200, 200}, 0, 3, "cost:4=200 cost:5=200"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct fixture *f = fixture_of(a, 6);
		size_t unknown;
		const char *got;

		f->o.slots = rows[i].slots;
		f->properties[5].cost = rows[i].declared;
		for (size_t t = 0; t < 6; t++) {
			add(f, t, ATTEMPTS, rows[i].seconds[t], 0);
			f->properties[t].has_timeout = true;
		}
		got = advice_for(f, &unknown);
		if (strcmp(got, rows[i].advice) != 0)
			fail_msg("row %zu: %s", i, got);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(one_is_far_off),
		cmocka_unit_test(too_few_attempts),
		cmocka_unit_test(processors),
		cmocka_unit_test(memory),
		cmocka_unit_test(costs),
	};

	return run_unit_tests("advice", tests, NULL, NULL);
}
