/* select: numbers, filters, fixtures. Expectations were observed with ctest 3.25.1. */
#include <stdio.h>
#include <stdlib.h>

#include "compat/format/regex.h"
#include "runner/model/select.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

struct chosen {
	struct arena *arena;
	struct match_set *patterns;
	struct suite *suite;
	struct selection s;
};

static void
set_range(struct arena *a, struct number_range *r, struct str text)
{
	struct str s[3];

	for (size_t i = 0; i < 3; i++)
		s[i] = text_piece(&text, ',');
	r->is_given = true;
	r->start = s[0].n ? str_int(s[0]) : RANGE_DEFAULT;
	r->end = s[1].n ? str_int(s[1]) : RANGE_DEFAULT;
	r->stride = s[2].n ? str_double(s[2]) : RANGE_DEFAULT;
	r->extra = NEW_ARRAY(a, int, text.n);
	while (text.n)
		r->extra[r->extra_n++] = str_int(text_piece(&text, ','));
}

static void
add_pattern(struct arena *a, struct pattern_list *l, const struct pattern *p)
{
	const struct pattern **v = NEW_ARRAY(a, const struct pattern *, l->n + 1);

	for (size_t i = 0; i < l->n; i++)
		v[i] = l->v[i];
	v[l->n++] = p;
	l->v = v;
}

static void
set_option(struct chosen *c, struct filter *f, struct str option, struct str value)
{
	struct str why;

	if (str_is(option, "-I")) {
		set_range(c->arena, &f->range, value);
	} else if (str_is(option, "ignore")) {
		f->ignore_names = text_list(c->arena, value);
	} else if (str_is(option, "without")) {
		f->without_names = text_list(c->arena, value);
	} else if (str_is(option, "--test")) {
		f->tests = text_list(c->arena, value);
	} else if (str_is(option, "rerun")) {
		f->only_numbers = true;
		f->numbers = NEW_ARRAY(c->arena, unsigned, value.n + 1);
		while (value.n)
			f->numbers[f->numbers_n++] =
				(unsigned)str_int(text_piece(&value, ','));
	} else {
		const struct pattern *p = match_set_get(c->patterns, value, &why);

		if (str_is(option, "-R"))
			f->include_name = p;
		else if (str_is(option, "-E"))
			f->exclude_name = p;
		else if (str_is(option, "-L"))
			add_pattern(c->arena, &f->include_labels, p);
		else if (str_is(option, "-LE"))
			add_pattern(c->arena, &f->exclude_labels, p);
		else if (str_is(option, "-FS"))
			f->exclude_fixture_setup = p;
		else if (str_is(option, "-FC"))
			f->exclude_fixture_cleanup = p;
		else
			fail_msg("no such option: %.*s", STR_ARG(option));
	}
}

/* "option=value option=value", and "-U" alone. */
static struct chosen
choose(const char *suite, const char *options)
{
	struct chosen c = {.arena = arena_open()};
	struct filter f = {.use_union = false};
	struct str rest = str_of(options);

	c.patterns = match_set_open(c.arena, regex_parse);
	c.suite = suite_of(c.arena, suite);
	while (rest.n) {
		struct str one = text_piece(&rest, ' '), option = text_piece(&one, '=');

		if (str_is(option, "-U"))
			f.use_union = true;
		else if (str_is(option, "--with-depends"))
			f.with_depends = true;
		else
			set_option(&c, &f, option, one);
	}
	c.s = select_tests(c.arena, c.suite, &f);
	return c;
}

static void
forget(struct chosen *c)
{
	match_set_close(c->patterns);
	arena_close(c->arena);
}

static struct str
name_of(const struct chosen *c, size_t i)
{
	return c->suite->tests[c->s.v[i].test].name;
}

static void
assert_text(const struct buf *got, const char *expected, const char *suite,
	const char *options)
{
	if (!str_is(buf_as_str(got), expected))
		fail_msg("\"%s\" of \"%s\": got \"%.*s\", expected \"%s\"", options,
			suite, STR_ARG(buf_as_str(got)), expected);
}

/* ---- numbers --------------------------------------------------------------------- */

static const char ten[] = "ok1; fail1; x1; ok2; skip1; x2; ok3; fail2; x3; ok4";
static const char labelled[] =
	"a label=blue,red; b label=red; c; d label=blue; e label=blue,green,red";
#define ALL "1 2 3 4 5 6 7 8 9 10"

static const struct {
	const char *suite, *options, *expected; /* number, and name where it tells more */
} numbers[] = {
	{ten, "", ALL},
	{ten, "-E=x", "1 2 3 4 5 6 7"},
	{ten, "-E=x -R=ok|fail|x", "1 2 4 7 8 10"},
	{ten, "ignore=fail1,nobody", "1 2 3 4 5 6 7 8 9"},
	{ten, "-R=zz", ""},
	/* -I counts the tests that pass the patterns */
	{ten, "-R=ok|fail|skip -I=2,3", "2 4"},
	{ten, "-R=ok|fail|skip -I=5,2", "1 2 4 5 7 8 10"},
	{ten, "-R=ok|fail -I=3,3,1,6,2,9", "2 4 10"},
	{ten, "-R=ok -I=4", "10"},
	{ten, "-R=ok -I=5", "1 4 7 10"},
	{ten, "-R=zz -I=3,5", ""},
	{ten, "-E=x -I=3,4", "3 4"},
	{ten, "-E=x -R=ok|x -I=2,4", "4 7 10"},
	/* ranges */
	{ten, "-I=3", "3 4 5 6 7 8 9 10"},
	{ten, "-I=,3", "1 2 3"},
	{ten, "-I=-1,3", "1 2 3"},
	{ten, "-I=2,-1", "2 3 4 5 6 7 8 9 10"},
	{ten, "-I=-5,3", "1 2 3"},
	{ten, "-I=0,5", "1 2 3 4 5"},
	/* billions of numbers */
	{ten, "-I=2147483648,3", "1 2 3"},
	{ten, "-I=8,2147483647", "8 9 10"},
	{ten, "-I=2147483648,3,1e-9", "1 2 3"},
	{ten, "-I=2,8,2", "2 4 6 8"},
	{ten, "-I=2,8,1.5", "2 3 5 6 8"},
	{ten, "-I=1,10,2.5", "1 3 6 8"},
	{ten, "-I=1,5,0.3", "1 2 3 4"},
	{ten, "-I=1,5,-1", "1 2 3 4 5"},
	{ten, "-I=1,10,3.999999", "1 4 8"},
	{ten, "-I=1,10,1e30", "1"},
	{ten, "-I=3,100", "3 4 5 6 7 8 9 10"},
	{ten, "-I=1,1,,5,5,4", "1 4 5"},
	{ten, "-I=1,5,,1", "1 2 3 4 5"},
	/* numbers that no test has still filter, no numbers do not */
	{ten, "-I=20,30", ""},
	{ten, "-I=0,0", ""},
	{ten, "-I=-2,-2", ""},
	{ten, "-I=0,0,0,40", ""},
	{ten, "-I=0,0,-1,40", ""},
	{ten, "-I=11", ALL},
	{ten, "-I=5,2", ALL},
	{ten, "-I=0,0,0", ALL},
	{ten, "-I=2,-3", ALL},
	{ten, "-I=1,5,0", ALL},
	{ten, "-I=5,8,-0.5", ALL},
	{ten, "-I=0,0,0,4,7", "4 7"},
	{ten, "-I=5,8,-2,1", "1"},
	/* -U: absolute numbers, or-ed; no numbers let everything pass */
	{ten, "-R=ok -I=3,5 -U", "1 3 4 5 7 10"},
	{ten, "-R=ok -I=5 -U", "1 4 5 6 7 8 9 10"},
	{ten, "-R=ok -I=0,0,0,3,5 -U", "1 3 4 5 7 10"},
	{ten, "-R=zz -I=3,5 -U", "3 4 5"},
	{ten, "-R=zz -I=5,2 -U", ALL},
	{ten, "-R=ok -U", ALL},
	{ten, "-E=x -R=ok|x -I=3,4 -U", "1 3 4 7 10"},
	{ten, "-E=x -I=3,4 -U", "1 2 3 4 5 6 7"},
	/* labels */
	{labelled, "-L=red", "1 2 5"},
	{labelled, "-L=red -L=blue", "1 5"},
	{labelled, "-L=^red$ -L=b.ue -L=green", "5"},
	{labelled, "-LE=red", "3 4"},
	{labelled, "-LE=red -LE=blue", "2 3 4"},
	{labelled, "-LE=red -L=blue", "4"},
	{labelled, "-L=red -I=2,3", "2 5"},
	{labelled, "-L=red -I=2,3 -U", "1 2 3 5"},
	{labelled, "-L=red -E=b", "1 4"},
	{labelled, "-L=red -E=b -R=[abcde] -I=2,2", "5"},
	{labelled, "-L=red -E=b -R=[abcde] -I=2,2 -U", "1 2 5"},
	/* --test names tests exactly, and the other options must select them, too */
	{ten, "--test=x1,ok4", "3 10"},
	{ten, "--test=x,o", ""},
	{ten, "--test=x1,ok4 -R=ok", "10"},
	{ten, "--test=x1,ok4 -I=3,5", "3"},
	{ten, "--test=x1,ok4 -R=ok -I=3,5 -U", "3 10"},
	{labelled, "--test=b,c rerun=2,4", "2"},
	/* --rerun-failed looks at nothing but the numbers, and what loading dropped */
	{labelled, "rerun=2,4", "2 4"},
	{labelled, "rerun=4,2,4", "2 4"},
	{labelled, "rerun=2,4 -R=a -L=red -I=1,1", "2 4"},
	{labelled, "rerun=2,4 -E=b", "2 4"},
	{labelled, "rerun=0,9", ""},
	{labelled, "rerun= -R=a", "1 2 3 4 5"},
};

static void
filters_choose_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(numbers); i++) {
		struct chosen c = choose(numbers[i].suite, numbers[i].options);
		struct buf got = {.arena = c.arena};

		for (size_t k = 0; k < c.s.n; k++)
			buf_fmt(&got, "%s%u", k ? " " : "", c.s.v[k].number);
		assert_text(
			&got, numbers[i].expected, numbers[i].suite, numbers[i].options);
		forget(&c);
	}
}

#define CHAIN "a; b after=a; c after=b,gone; d; e after=d disabled"
#define TWICE "a; a; b after=a; s setup=F after=x; u needs=F; x"

/* --with-depends */
static void
dependencies_are_added(void **state)
{
	static const struct {
		const char *suite, *options, *expected;
	} rows[] = {
		{CHAIN, "-R=c", "3"},
		{CHAIN, "-R=c --with-depends", "1 2 3"},
		{CHAIN, "-R=b --with-depends", "1 2"},
		{CHAIN, "rerun=3 --with-depends", "1 2 3"},
		{CHAIN, "--test=c --with-depends", "1 2 3"},
		{CHAIN, "-I=3,3 --with-depends", "1 2 3"},
		{CHAIN, "-R=a|e --with-depends", "1 5"},
		{CHAIN, "-R=c -E=a --with-depends", "2 3"},
		{CHAIN, "-R=c -E=b --with-depends", "3"},
		{CHAIN, "-R=c without=a --with-depends", "2 3"},
		{"a label=l; b after=a", "-R=b -LE=l --with-depends", "2"},
		{"a after=b; b after=a; c", "-R=a --with-depends", "1 2"},
		{TWICE, "-R=b --with-depends", "1 3"},
		{TWICE, "-R=u --with-depends", "4 5 6"},
		{"a needs=F; b after=a; s setup=F", "-R=b --with-depends", "1 2 3"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct chosen c = choose(rows[i].suite, rows[i].options);
		struct buf got = {.arena = c.arena};

		for (size_t k = 0; k < c.s.n; k++)
			buf_fmt(&got, "%s%u", k ? " " : "", c.s.v[k].number);
		assert_text(&got, rows[i].expected, rows[i].suite, rows[i].options);
		forget(&c);
	}
}

/* A test keeps its name when numbers shift. */
static void
dropped_tests_shift_numbers(void **state)
{
	struct chosen c = choose(labelled, "rerun=2,4 -E=b");

	(void)state;
	assert_true(str_is(name_of(&c, 0), "c"));
	assert_true(str_is(name_of(&c, 1), "e"));
	assert_int_equal(c.s.loaded, 4);
	forget(&c);
}

/* Strides are exact products, not sums that drift. */
static void
strides_do_not_drift(void **state)
{
	static const struct {
		double stride;
		size_t n;
	} rows[] = {{1.1, 2727}, {1.3, 2307}, {0.3, 2999}, {3.333, 900}, {1.7, 1765},
		{1.15, 2608}, {1.16, 2586}};
	struct buf names = {.arena = arena_open()};

	(void)state;
	for (int i = 0; i < 3000; i++)
		buf_fmt(&names, "t%d;", i);
	for (size_t i = 0; i < ROWS(rows); i++) {
		char options[40];
		struct chosen c;

		snprintf(options, sizeof options, "-I=1,3000,%g", rows[i].stride);
		c = choose(names.p, options);
		assert_int_equal(c.s.n, rows[i].n);
		forget(&c);
	}
	arena_close(names.arena);
}

/* ---- fixtures -------------------------------------------------------------------- */

/* clang-format off */
static const char fixtures[] =
	"u1 needs=A,B; cleanA cleanup=A after=zzz; setA1 setup=A needs=C; setA2 setup=A;"
	"setB setup=A,B after=u0,plain,u0; cleanB cleanup=B needs=A;"
	"setC setup=C disabled needs=D; setD setup=D; plain; u0 needs=A after=u1";
static const char disabled[] =
	"user needs=F after=x,s2,user2,x; s2 setup=F; s1 setup=F; c1 cleanup=F disabled;"
	"user2 needs=F disabled; c2 cleanup=F after=s2; s3 setup=F disabled;"
	"c3 cleanup=F,G; self after=s0; noset needs=nofixture";
static const char twins[] = "a; b after=a; a setup=F; u needs=F";

static const struct {
	const char *suite, *options, *expected; /* names with their DEPENDS */
} expansions[] = {
	{fixtures, "",
		"u1<setA1,setA2,setB cleanA<zzz,u1,cleanB,u0,setA1,setA2,setB setA1<setC setA2 "
		"setB<u0,plain,u0 cleanB<setA1,setA2,setB,u1 setC setD plain "
		"u0<u1,setA1,setA2,setB"},
	{fixtures, "-R=u1",
		"u1<setA1,setA2,setB cleanA<zzz,u1,cleanB,setA1,setA2,setB setA1<setC setA2 "
		"setB<u0,plain,u0 cleanB<setA1,setA2,setB,u1 setC"},
	{fixtures, "-R=u0",
		"cleanA<zzz,u0,setA1,setA2,setB setA1<setC setA2 setB<u0,plain,u0 setC "
		"u0<u1,setA1,setA2,setB"},
	{fixtures, "-R=u0|u1",
		"u1<setA1,setA2,setB cleanA<zzz,u1,u0,cleanB,setA1,setA2,setB setA1<setC setA2 "
		"setB<u0,plain,u0 cleanB<setA1,setA2,setB,u1 setC u0<u1,setA1,setA2,setB"},
	{fixtures, "-R=cleanB",
		"cleanA<zzz,cleanB,setA1,setA2,setB setA1<setC setA2 setB<u0,plain,u0 "
		"cleanB<setA1,setA2,setB setC"},
	{fixtures, "-R=u1 -FS=A -FC=A",
		"u1<setA1,setA2,setB setB<u0,plain,u0 cleanB<setA1,setA2,setB,u1"},
	{fixtures, "-R=u1 -FS=A",
		"u1<setA1,setA2,setB cleanA<zzz,u1,cleanB,setB setB<u0,plain,u0 "
		"cleanB<setA1,setA2,setB,u1"},
	{fixtures, "-R=u1|setA1 -FS=A",
		"u1<setA1,setA2,setB cleanA<zzz,u1,cleanB,setA1,setB setA1<setC "
		"setB<u0,plain,u0 cleanB<setA1,setA2,setB,u1 setC"},
	{fixtures, "-R=u1|cleanA -FS=. -FC=.", "u1<setA1,setA2,setB cleanA<zzz,u1"},
	{fixtures, "-R=u1 -FS=. -FC=.", "u1<setA1,setA2,setB"},
	{disabled, "-R=^user$",
		"user<x,s2,user2,x,s1,s3 s2 s1 c1<user,s2,s1 c2<s2,user,s1 s3 c3<user,s2,s1"},
	{disabled, "-R=user2", "user2"},
	{disabled, "-R=c3", "c3"},
	{disabled, "-R=noset", "noset"},
	/* of setups with one name only the first is added */
	{twins, "-R=u", "a u<a"},
	{twins, "", "a b<a a u<a"},
};
/* clang-format on */

static void
fixtures_add_tests_and_dependencies(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(expansions); i++) {
		struct chosen c = choose(expansions[i].suite, expansions[i].options);
		struct buf got = {.arena = c.arena};

		for (size_t k = 0; k < c.s.n; k++) {
			const struct str_list *d = &c.s.v[k].depends_names;

			buf_fmt(&got, "%s%.*s", k ? " " : "", STR_ARG(name_of(&c, k)));
			for (size_t n = 0; n < d->n; n++)
				buf_fmt(&got, "%c%.*s", n ? ',' : '<', STR_ARG(d->v[n]));
		}
		assert_text(&got, expansions[i].expected, expansions[i].suite,
			expansions[i].options);
		forget(&c);
	}
}

static void
additions_are_noted(void **state)
{
	const struct addition expected[] = {
		{false, STR("setA1"), STR("A")},
		{false, STR("setA2"), STR("A")},
		{false, STR("setB"), STR("A")},
		{true, STR("cleanA"), STR("A")},
		{true, STR("cleanB"), STR("B")},
		{false, STR("setC"), STR("C")},
	};
	struct chosen c = choose(fixtures, "ignore=plain -R=u1");

	(void)state;
	assert_int_equal(c.s.additions.n, ROWS(expected));
	for (size_t i = 0; i < ROWS(expected); i++) {
		const struct addition *is = &c.s.additions.v[i];

		if (is->is_cleanup != expected[i].is_cleanup ||
			!str_eq(is->test, expected[i].test) ||
			!str_eq(is->fixture, expected[i].fixture))
			fail_msg("addition %zu: %.*s", i, STR_ARG(is->test));
	}
	assert_int_equal(c.s.largest_number, 7);
	assert_int_equal(c.s.longest_name, 6);
	forget(&c);
}

/* Which tests a test waits for, and whose failure keeps it from running, by number. */
static const struct {
	const char *suite, *options, *test, *depends, *must_pass;
} graphs[] = {
	{fixtures, "-R=u1", "u1", "3 4 5", "3 4 5"},
	{fixtures, "-R=u1", "cleanA", "1 3 4 5 6", ""},
	{fixtures, "-R=u1", "setB", "", ""},
	{fixtures, "", "setB", "9 10", ""},
	{fixtures, "-R=u1 -FS=.", "u1", "", ""},
	/* by name, not by number */
	{disabled, "-R=^user$", "user", "2 3 7", "3 2 7"},
	{disabled, "", "user", "2 3 5 7", "3 2 7"},
	/* a dependency is the first of its name, a failure is that of any */
	{twins, "", "b", "1", ""},
	{twins, "", "u", "1", "1 3"},
	{twins, "-I=2,4", "b", "3", ""},
	{"a after=a", "", "a", "1", ""},
};

static void
assert_numbers(const struct chosen *c, const uint32_t *v, size_t n, size_t row,
	const char *expected)
{
	struct buf got = {.arena = c->arena};

	for (size_t i = 0; i < n; i++)
		buf_fmt(&got, "%s%u", i ? " " : "", c->s.v[v[i]].number);
	assert_text(&got, expected, graphs[row].suite, graphs[row].test);
}

static void
names_become_edges(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(graphs); i++) {
		struct chosen c = choose(graphs[i].suite, graphs[i].options);
		size_t k = 0;

		while (k < c.s.n && !str_is(name_of(&c, k), graphs[i].test))
			k++;
		assert_true(k < c.s.n);
		assert_numbers(
			&c, c.s.v[k].depends, c.s.v[k].depends_n, i, graphs[i].depends);
		assert_numbers(&c, c.s.v[k].must_pass, c.s.v[k].must_pass_n, i,
			graphs[i].must_pass);
		forget(&c);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_choose_numbers),
		cmocka_unit_test(dependencies_are_added),
		cmocka_unit_test(dropped_tests_shift_numbers),
		cmocka_unit_test(strides_do_not_drift),
		cmocka_unit_test(fixtures_add_tests_and_dependencies),
		cmocka_unit_test(additions_are_noted),
		cmocka_unit_test(names_become_edges),
	};

	return run_unit_tests("select", tests, NULL, NULL);
}
