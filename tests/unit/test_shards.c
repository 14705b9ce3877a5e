/*
 * shards: tables of small suites, and random suites, each split and selected again by
 * select_tests: no test is lost, and none that another one needs.
 */
#include "compat/format/regex.h"
#include "runner/schedule/shards.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

struct split {
	struct selection s;
	struct shards shards;
};

static struct split
split(struct arena *a, const struct suite *suite, const struct filter *f, uint32_t n)
{
	struct split made = {.s = select_tests(a, suite, f)};

	made.shards = shards_plan(a, &made.s, f, expected_times(a, &made.s, NULL), n);
	return made;
}

/* ---- small suites ---------------------------------------------------------------- */

/* Costs are times. shards: a digit for each test, "*" for one that each shard adds. */
static const struct {
	const char *suite;
	uint32_t n;
	const char *shards;
} rows[] = {
	{"", 3, ""},
	{"a", 1, "0"},
	{"a; b; c; d", 2, "0101"},
	{"a; b", 4, "01"},
	/* the longest first, each where there is least */
	{"a cost=1; b cost=2; c cost=3; d cost=4", 2, "0110"},
	{"a cost=9; b cost=1; c cost=1; d cost=1", 2, "0111"},
	{"a cost=-1; b cost=-1; c cost=-1; d cost=-1", 2, "0101"},
	/* DEPENDS, tests of one name */
	{"a; b; c after=a; d after=c", 2, "0100"},
	{"a; b; a; c", 2, "0101"},
	{"a; b; c after=x", 3, "012"},
	/* fixtures are added; those that use them stay together */
	{"s setup=F; u needs=F; v needs=F; c cleanup=F; d; e", 2, "*00*11"},
	{"s setup=F; u needs=F; v needs=F; c cleanup=F; d", 3, "*01*2"},
	{"s setup=F; u needs=F; v needs=F; w needs=F; d", 2, "*0101"},
	{"s setup=F; a; b", 2, "010"},
	/* setups and cleanups of a fixture that is not required */
	{"s setup=F; a; b; c cleanup=F", 2, "0110"},
	{"s setup=F; u needs=F disabled; a", 2, "010"},
	/* a setup that needs another fixture */
	{"s setup=F needs=G; t setup=G; u needs=F; d", 2, "**01"},
	/* a setup that only itself requires is a test as others are */
	{"s setup=F needs=F; a; b", 2, "010"},
	{"s setup=F needs=G; t setup=G needs=F; a; b", 2, "0011"},
	/* DEPENDS on a setup: of the own fixture, of another one */
	{"s setup=F; u needs=F after=s; v needs=F; w needs=F; d", 2, "*0101"},
	{"s setup=F; u needs=F; v needs=F; w needs=F after=d; d", 2, "*1100"},
	{"s setup=F; u needs=F; v needs=F; w needs=F; d after=s; e", 2, "*00001"},
	{"s setup=F after=d; u needs=F; v needs=F; w needs=F; d; e", 2, "*00001"},
	/* cleanups of the same fixture may wait for its setups */
	{"s setup=F; c cleanup=F after=s; u needs=F; v needs=F; w needs=F", 2, "**010"},
	/* a helper whose name another test has */
	{"s setup=F; s; u needs=F; v needs=F; w needs=F; d", 2, "000001"},
};

static void
tests_are_split(void **state)
{
	struct filter f = {.use_union = false};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct split made = split(a, suite_of(a, rows[i].suite), &f, rows[i].n);
		struct buf got = {.arena = a};

		buf_z(&got, "");
		for (size_t k = 0; k < made.s.n; k++)
			buf_char(&got, made.shards.of[k] == SHARD_EVERY
					       ? '*'
					       : (char)('0' + made.shards.of[k]));
		if (!str_is(buf_as_str(&got), rows[i].shards))
			fail_msg("row %zu: %s, not %s", i, got.p, rows[i].shards);
		arena_close(a);
	}
}

static uint64_t
key_of(const char *suite, uint32_t n)
{
	struct arena *a = arena_open();
	struct filter f = {.use_union = false};
	uint64_t key = split(a, suite_of(a, suite), &f, n).shards.key;

	arena_close(a);
	return key;
}

static void
keys_tell_splits_apart(void **state)
{
	uint64_t key = key_of("a; b; c", 2);

	(void)state;
	assert_true(key == key_of("a; b; c", 2));
	assert_true(key == key_of("a cost=1; b; c", 2));
	assert_false(key == key_of("a cost=1; b cost=1; c cost=9", 2));
	assert_false(key == key_of("a; b; c", 3));
	assert_false(key == key_of("a; b; d", 2));
	assert_false(key == key_of("a; bc; ", 2));
}

/* ---- random suites --------------------------------------------------------------- */

struct dice {
	uint64_t seed;
};

static unsigned
draw(struct dice *d, unsigned n)
{
	d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(d->seed >> 33) % n;
}

/* Names of tests that serve no fixture repeat now and then; DEPENDS makes circles. */
static const char *
write_suite(struct arena *a, struct dice *d)
{
	struct buf out = {.arena = a};
	unsigned n = 1 + draw(d, 24), fixtures = 1 + draw(d, 4);

	for (unsigned i = 0; i < n; i++) {
		bool serves = draw(d, 3) == 0;

		buf_fmt(&out, "%s%c%u cost=%u", i ? "; " : "", serves ? 's' : 't',
			serves || draw(d, 9) ? i : draw(d, n), 1 + draw(d, 20));
		if (!draw(d, 6))
			buf_fmt(&out, " after=%c%u", draw(d, 4) ? 't' : 's', draw(d, n));
		if (!draw(d, 3))
			buf_fmt(&out, " needs=F%u", draw(d, fixtures));
		if (serves && draw(d, 3))
			buf_fmt(&out, " setup=F%u", draw(d, fixtures));
		if (serves && draw(d, 2))
			buf_fmt(&out, " cleanup=F%u", draw(d, fixtures));
		if (!draw(d, 15))
			buf_z(&out, " disabled");
	}
	return buf_as_str(&out).p;
}

struct world {
	struct arena *a;
	const char *text;
	struct suite *suite;
	struct filter f;
	struct split made;
	bool *runs; /* by shard, then by index of the whole selection */
};

#define REQUIRE(w, condition)                                                            \
	do {                                                                             \
		if (!(condition))                                                        \
			fail_msg("%s: %s in %u", #condition, (w)->text,                  \
				(w)->made.shards.n);                                     \
	} while (0)

/* Selects each shard, as a run does. */
static void
select_shards(struct world *w)
{
	const struct selection *s = &w->made.s;
	uint32_t *index = NEW_ARRAY(w->a, uint32_t, w->suite->n);

	w->runs = NEW_ARRAY(w->a, bool, s->n * w->made.shards.n);
	for (uint32_t i = 0; i < s->n; i++)
		index[s->v[i].test] = i + 1;
	for (uint32_t k = 0; k < w->made.shards.n; k++) {
		struct filter f = w->f;
		bool *accepted = NEW_ARRAY(w->a, bool, w->suite->n);
		struct selection one;

		for (size_t i = 0; i < s->n; i++)
			accepted[s->v[i].test] = w->made.shards.of[i] == k;
		f.accepted = accepted;
		one = select_tests(w->a, w->suite, &f);
		for (size_t i = 0; i < one.n; i++) {
			REQUIRE(w, index[one.v[i].test]);
			w->runs[k * s->n + index[one.v[i].test] - 1] = true;
		}
	}
}

/* A test that waits for others runs in no shard without them. */
static void
check_test(struct world *w, size_t i)
{
	const struct selection *s = &w->made.s;
	uint32_t of = w->made.shards.of[i];
	size_t shards = 0;

	for (uint32_t k = 0; k < w->made.shards.n; k++) {
		const bool *runs = w->runs + k * s->n;

		shards += runs[i];
		REQUIRE(w, of == SHARD_EVERY || runs[i] == (of == k));
		for (size_t d = 0; runs[i] && d < s->v[i].must_pass_n; d++)
			REQUIRE(w, runs[s->v[i].must_pass[d]]);
		for (size_t d = 0; runs[i] && of != SHARD_EVERY && d < s->v[i].depends_n;
			d++)
			REQUIRE(w, runs[s->v[i].depends[d]]);
	}
	REQUIRE(w, shards >= 1);
}

static void
check_sums(struct world *w)
{
	const struct shards *r = &w->made.shards;
	uint64_t us = 0, most = 0;
	size_t tests = 0;

	for (uint32_t k = 0; k < r->n; k++) {
		us += r->us[k];
		tests += r->tests[k];
		most = r->us[k] > most ? r->us[k] : most;
	}
	REQUIRE(w, us == r->total_us && tests == r->own);
	/* What every list schedule keeps. */
	REQUIRE(w, most <= r->total_us / r->n + r->longest_us + 1);
}

static void
check_world(unsigned seed, struct match_set *patterns)
{
	struct arena *a = arena_open();
	struct dice d = {seed};
	struct world w = {.a = a, .text = write_suite(a, &d)};
	struct str why;

	w.suite = suite_of(a, w.text);
	if (!draw(&d, 4))
		w.f.exclude_fixture_setup = match_set_get(patterns, STR("F[01]"), &why);
	if (!draw(&d, 4))
		w.f.exclude_fixture_cleanup = match_set_get(patterns, STR("F[02]"), &why);
	if (!draw(&d, 3))
		w.f.include_name = match_set_get(patterns, STR("[0-4]"), &why);
	w.made = split(a, w.suite, &w.f, 1 + draw(&d, 6));
	REQUIRE(&w,
		split(a, w.suite, &w.f, w.made.shards.n).shards.key == w.made.shards.key);
	select_shards(&w);
	for (size_t i = 0; i < w.made.s.n; i++)
		check_test(&w, i);
	check_sums(&w);
	arena_close(a);
}

static void
no_test_is_lost(void **state)
{
	struct match_set *patterns = match_set_open(*state, regex_parse);

	for (unsigned seed = 1; seed <= 20000; seed++)
		check_world(seed, patterns);
	match_set_close(patterns);
}

/* Without groups: the bound of the longest first against the least that is possible. */
static void
times_are_balanced(void **state)
{
	struct filter f = {.use_union = false};

	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct arena *a = arena_open();
		struct dice d = {seed};
		struct buf text = {.arena = a};
		uint32_t n = 2 + draw(&d, 8);
		struct shards r;
		uint64_t least, most = 0;

		for (unsigned i = 0; i < 200; i++)
			buf_fmt(&text, "t%u cost=%u;", i, 1 + draw(&d, 300));
		r = split(a, suite_of(a, text.p), &f, n).shards;
		least = r.total_us / n;
		least = r.longest_us > least ? r.longest_us : least;
		for (uint32_t k = 0; k < n; k++)
			most = r.us[k] > most ? r.us[k] : most;
		assert_true(3 * n * most <= (4 * n - 1) * (least + n));
		assert_int_equal(r.own, 200);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tests_are_split),
		cmocka_unit_test(keys_tell_splits_apart),
		cmocka_unit_test_setup_teardown(no_test_is_lost, open_arena, close_arena),
		cmocka_unit_test(times_are_balanced),
	};

	return run_unit_tests("shards", tests, NULL, NULL);
}
