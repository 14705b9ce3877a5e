/* feasibility: what a long search cannot decide is said, once. */
#include "compat/resources/feasibility.h"
#include "tests/unit/hard_request.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

static const struct {
	const char *suite; /* HARD stands for the request */
	const char *expected; /* NULL: nothing is said */
} rows[] = {
	{"a; b groups=g:1; c groups=g:999999999; d groups=nope:1", NULL},
	{"a; b groups=HARD; c groups=g:1", "cctr: it is not known whether the resources "
					   "are enough for test b: it is "
					   "tried when nothing else runs"},
	{"a groups=HARD; b groups=HARD; c groups=g:1/HARD",
		"cctr: it is not known whether the resources are enough for test a and 1 "
		"more: they are tried when nothing else runs"},
};

static const char *
with_hard(struct arena *a, const char *suite)
{
	struct str rest = str_of(suite), word = STR("HARD");
	struct buf b = {.arena = a};

	for (;;) {
		size_t at = str_search(rest, word);

		buf_str(&b, str_cut(rest.p, at));
		if (at == rest.n)
			return b.p;
		buf_str(&b, hard_groups(a));
		rest = str_from(rest, at + word.n);
	}
}

static void
warnings_are_said_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct filter everything = {.use_union = false};
		struct pool p = pool_of(a, hard_pool(a).p);
		struct selection s = select_tests(
			a, suite_of(a, with_hard(a, rows[i].suite)), &everything);
		struct diag d = diag_in(a);

		feasibility_warn(&p, &s, &d);
		assert_int_equal(d.errors, 0);
		assert_int_equal(d.entries.n, rows[i].expected != NULL);
		if (d.entries.n)
			assert_string_equal(d.entries.v[0].text.p, rows[i].expected);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warnings_are_said_once),
	};

	return run_unit_tests("feasibility", tests, NULL, NULL);
}
