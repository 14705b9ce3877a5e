/*
 * suite_build with a reader of its own: what is applied to which test, in which order, is
 * written down in the labels; what the texts mean is not this module's business.
 *
 * A case is a script of one-letter calls and the expected dump, so that a row reads like
 * the test file it stands for.
 */
#include <stdio.h>
#include <string.h>

#include "runner/model/suite.h"
#include "tests/unit/unit.h"

/* Appends "NAME=value" to the labels; BAD refuses, SAY warns and accepts. */
static bool
note_set(const struct property_reader *r, struct arena *a, struct properties *p,
	struct str name, struct str value, struct diag *d)
{
	struct str *v = NEW_ARRAY(a, struct str, p->labels.n + 1);

	(void)r;
	for (size_t i = 0; i < p->labels.n; i++)
		v[i] = p->labels.v[i];
	v[p->labels.n] = str_fmt(a, "%.*s=%.*s", STR_ARG(name), STR_ARG(value));
	p->labels = (struct str_list){v, p->labels.n + 1};
	if (str_is(name, "SAY"))
		diag_warning(d, NO_PLACE, "said %.*s", STR_ARG(value));
	return str_is(name, "BAD") ? diag_error(d, NO_PLACE, "bad") : true;
}

static void
note_finish(const struct property_reader *r, struct arena *a, struct properties *p)
{
	(void)r;
	(void)a;
	p->cost += 1;
}

static const struct suite_words words = {.properties = "PROPERTIES",
	.directory = "WORKING_DIRECTORY",
	.backtrace = "_BACKTRACE_TRIPLES",
	.labels = "LABELS",
	.bad_test = "add_test called with incorrect number of arguments",
	.bad_properties = "set_tests_properties unknown error."};
static const struct property_reader reader = {.words = &words,
	.dropped_text = "Ignore test: ",
	.set = note_set,
	.finish = note_finish};

struct row {
	const char *script, *tests, *diag;
};

/*
 * Script: one call per line. "@d" enters directory d, "+" add_test, "="
 * set_tests_properties,
 * "#" labels of the directory, "$" environment, "!" a message, "*" properties of the last
 * test. Words are parted by blanks,
 * "_" is the empty word.
 * Tests: "name(command)directory{properties}" and a line break.
 * Diag: "F(atal)|W(arning)|M(essage):line:text" and a line break.
 */
static const struct row rows[] = {
	{"", "", ""},
	{"@/b\n+ a x", "a(x)/b{}\n", ""},
	{"@/b\n+ a x 1 _ 2", "a(x|1||2)/b{}\n", ""},
	{"@/b\n+ a", "", "F:2:add_test called with incorrect number of arguments\n"},
	{"@/b\n+\n+ a x", "a(x)/b{}\n",
		"F:2:add_test called with incorrect number of arguments\n"},
	/* names may repeat; a call means all that are loaded so far, in every directory
	 */
	{"@/b\n+ a x\n@/c\n+ a y\n= a PROPERTIES K 1\n+ a z",
		"a(x)/b{K=1}\na(y)/c{K=1}\na(z)/c{}\n", ""},
	{"@/b\n+ a x\n= b PROPERTIES K 1", "a(x)/b{}\n", ""},
	{"@/b\n+ a x\n= b PROPERTIES BAD 1", "a(x)/b{}\n", ""},
	/* property by property, and each for the names in order */
	{"@/b\n+ a x\n= a a PROPERTIES K 1 L 2", "a(x)/b{K=1 K=1 L=2 L=2}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES K 1 L", "a(x)/b{K=1}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES K PROPERTIES", "a(x)/b{K=PROPERTIES}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES", "a(x)/b{}\n", ""},
	{"@/b\n+ a x\n= PROPERTIES K 1", "a(x)/b{}\n", ""},
	{"@/b\n+ a x\n= a K 1", "a(x)/b{}\n",
		"F:3:set_tests_properties unknown error.\n"},
	{"@/b\n=", "", "F:2:set_tests_properties unknown error.\n"},
	/* a refusal is one error of the call; what the reader says otherwise is kept */
	{"@/b\n+ a x\n= a PROPERTIES BAD 1 K 2", "a(x)/b{BAD=1}\n",
		"F:3:set_tests_properties unknown error.\n"},
	{"@/b\n+ a x\n! one\n= a PROPERTIES SAY hi\n! two", "a(x)/b{SAY=hi}\n",
		"M:3:one\nW:0:said hi\nM:5:two\n"},
	/* directories label the tests that are there at that moment */
	{"@/b\n+ a x\n# l\n+ b x", "a(x)/b{LABELS=l}\nb(x)/b{}\n", ""},
	{"@/b\n+ a x\n@/c\n+ b x\n# l\n@/b\n# m n",
		"a(x)/b{LABELS=m LABELS=n}\nb(x)/c{LABELS=l}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES WORKING_DIRECTORY rel\n# l", "a(x)rel{}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES WORKING_DIRECTORY _\n# l", "a(x){}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES WORKING_DIRECTORY /c\n@/c\n# l",
		"a(x)/c{LABELS=l}\n", ""},
	{"@/c\n# l\n@/b\n+ a x", "a(x)/b{}\n", ""},
	/* sources without set_tests_properties: names need not be unique there */
	{"@/b\n+ a x\n* K 1\n+ a y\n* K 2 L 3 M", "a(x)/b{K=1}\na(y)/b{K=2 L=3}\n", ""},
	{"@/b\n+ a x\n* BAD 1 K 2", "a(x)/b{BAD=1}\n",
		"F:3:set_tests_properties unknown error.\n"},
	/* a backtrace is made of triples, or the one before stays */
	{"@/b\n+ a x\n= a PROPERTIES _BACKTRACE_TRIPLES /f;1;c;/g;2;\n+ b x",
		"a(x)/b{}^/f;1;c;/g;2;\nb(x)/b{}\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES _BACKTRACE_TRIPLES /f;1;c _BACKTRACE_TRIPLES /h;;",
		"a(x)/b{}^/h;;\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES _BACKTRACE_TRIPLES /f;1;c _BACKTRACE_TRIPLES /h;1",
		"a(x)/b{}^/f;1;c\n", ""},
	{"@/b\n+ a x\n= a PROPERTIES _BACKTRACE_TRIPLES [/f;1];1;c _BACKTRACE_TRIPLES _",
		"a(x)/b{}^[/f;1];1;c\n", ""},
	/* directories: a test that moves after the first labels */
	{"@/b\n+ a x\n# l\n= a PROPERTIES WORKING_DIRECTORY /c\n# m\n@/c\n# n\n+ b x\n# "
	 "o",
		"a(x)/c{LABELS=l LABELS=n LABELS=o}\nb(x)/c{LABELS=o}\n", ""},
	/* the environment and the file's own messages, in order */
	{"@/b\n$ X 1\n$ Y\n$ X _", "$X=1\n$Y\n$X=\n", ""},
	{"@/b\n! one\n+ a\n! two", "",
		"M:2:one\nF:3:add_test called with incorrect number of "
		"arguments\nM:4:two\n"},
};

static struct str_list
words_of(struct arena *a, struct str line)
{
	str_vec v = {0};

	while ((line = str_trim(line)).n) {
		size_t n = str_find(line, ' ');
		struct str word = str_cut(line.p, n);

		VEC_PUSH(a, &v, str_is(word, "_") ? STR("") : word);
		line = str_from(line, n);
	}
	return str_vec_list(&v);
}

static enum declaration_kind
kind_of(char c)
{
	static const char letters[] = "+=#$!*";
	const char *at = strchr(letters, c);

	assert_non_null(at);
	return (enum declaration_kind)(at - letters);
}

static struct declarations
script(struct arena *a, const char *text)
{
	struct declarations out = {0};
	struct str rest = str_of(text), directory = STR("");
	unsigned line = 0;

	while (rest.n) {
		size_t n = str_find(rest, '\n');
		struct place *place = NEW(a, struct place);
		struct str words = str_cut(rest.p + 1, n - 1);

		place->line = ++line;
		if (*rest.p == '@')
			directory = words;
		else
			VEC_PUSH(a, &out.list,
				(struct declaration){.kind = kind_of(*rest.p),
					.message = DIAG_CMAKE_MESSAGE,
					.words = words_of(a, words),
					.directory = directory,
					.place = place});
		rest = str_from(rest, n < rest.n ? n + 1 : n);
	}
	return out;
}

static void
dump_list(struct buf *b, struct str_list l, char between)
{
	for (size_t i = 0; i < l.n; i++) {
		if (i)
			buf_char(b, between);
		buf_str(b, l.v[i]);
	}
}

static const char *
dump_tests(struct arena *a, const struct suite *s)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < s->n; i++) {
		buf_fmt(&b, "%.*s(", STR_ARG(s->tests[i].name));
		dump_list(&b, s->tests[i].command, '|');
		buf_fmt(&b, ")%.*s{", STR_ARG(s->tests[i].directory));
		dump_list(&b, s->tests[i].properties->labels, ' ');
		buf_char(&b, '}');
		if (s->tests[i].backtrace.n)
			buf_char(&b, '^');
		buf_str(&b, s->tests[i].backtrace);
		buf_char(&b, '\n');
	}
	for (size_t i = 0; i < s->environment_n; i++) {
		const struct environment_change *e = &s->environment[i];

		buf_fmt(&b, "$%.*s%s%.*s\n", STR_ARG(e->name), e->unset ? "" : "=",
			STR_ARG(e->value));
	}
	return b.p;
}

static const char *
dump_diag(struct arena *a, const struct diag *d)
{
	static const char kinds[DIAG_KINDS] = {[DIAG_WARNING] = 'W',
		[DIAG_CMAKE_FATAL] = 'F',
		[DIAG_CMAKE_MESSAGE] = 'M'};
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < d->entries.n; i++)
		buf_fmt(&b, "%c:%u:%.*s\n", kinds[d->entries.v[i].kind],
			d->entries.v[i].at.line, STR_ARG(d->entries.v[i].text));
	return b.p;
}

static void
builds_what_the_calls_mean(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct declarations from = script(a, rows[i].script);
		struct suite *s = suite_build(a, &from, &reader, &d);

		assert_string_equal(dump_tests(a, s), rows[i].tests);
		assert_string_equal(dump_diag(a, &d), rows[i].diag);
		arena_close(a);
	}
}

static void
finishes_owned_properties_once(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations from =
		script(a, "@/b\n+ a x\n+ b x\n= a a PROPERTIES K 1 L 2\n# l\n+ c x");
	struct suite *s = suite_build(a, &from, &reader, &d);

	(void)state;
	assert_int_equal(s->n, 3);
	assert_true(s->tests[0].properties->cost == 1);
	assert_true(s->tests[1].properties->cost == 1);
	assert_ptr_equal(s->tests[2].properties, &properties_default);
	assert_int_equal(s->tests[2].properties->processors, 1);
	assert_int_equal(s->tests[2].properties->skip_return_code, -1);
	arena_close(a);
}

/* What is dropped has its place among the tests, and no call finds it by its name. */
static void
dropped_tests_are_not_reached(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations from =
		script(a, "@/b\n+ a x\n+ b x\n= a b PROPERTIES SAY 1 BAD 2");
	struct str names[] = {STR("a"), STR("b")};
	struct property_reader dropping = reader;
	struct suite *s;

	(void)state;
	dropping.dropped_names = (struct str_list){names, 2};
	s = suite_build(a, &from, &dropping, &d);
	assert_int_equal(s->n, 2);
	assert_ptr_equal(s->tests[0].properties, &properties_default);
	assert_int_equal(d.errors, 0);
	assert_int_equal(d.entries.n, 2);
	assert_true(str_is(d.entries.v[1].text, "Ignore test: b\n"));
	arena_close(a);
}

/* In 4.1 and 4.2 nothing follows a refused call. */
static void
a_refusal_may_end_all(void **state)
{
	static const char text[] = "@/b\n+ a x\n= a PROPERTIES BAD 1\n+ b x\n! two";
	struct arena *a = arena_open();
	struct diag d = diag_in(a), of_ended = diag_in(a);
	struct declarations all = script(a, text), some = script(a, text);
	struct property_reader ending = reader;

	(void)state;
	assert_int_equal(suite_build(a, &all, &reader, &d)->n, 2);
	assert_int_equal(d.entries.n, 2);
	assert_false(all.is_stopped);
	ending.refusal_ends = true;
	assert_int_equal(suite_build(a, &some, &ending, &of_ended)->n, 1);
	assert_int_equal(of_ended.entries.n, 1);
	assert_true(some.is_stopped);
	arena_close(a);
}

/* A test without properties costs its record and nothing else; its working directory and
 * the names of tests that do not exist cost nothing either. */
static void
plain_tests_are_small(void **state)
{
	enum { TESTS = 20000 };
	struct arena *text = arena_open(), *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations from = {0};
	struct place place = {.line = 1};

	(void)state;
	for (int i = 0; i < TESTS; i++) {
		struct str *w = NEW_ARRAY(text, struct str, 4);

		w[0] = str_fmt(text, "test%d", i);
		w[1] = STR("PROPERTIES");
		w[2] = STR("WORKING_DIRECTORY");
		w[3] = STR("/elsewhere");
		VEC_PUSH(text, &from.list,
			(struct declaration){.words = {w, 2},
				.directory = STR("/b"),
				.place = &place});
		VEC_PUSH(text, &from.list,
			(struct declaration){.kind = DECLARE_PROPERTIES,
				.words = {w, 4},
				.place = &place});
	}
	assert_int_equal(suite_build(a, &from, &reader, &d)->n, TESTS);
	assert_in_range(arena_bytes(a), 1, TESTS * (sizeof(struct test) + 64) + 65536);
	arena_close(a);
	arena_close(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_what_the_calls_mean),
		cmocka_unit_test(finishes_owned_properties_once),
		cmocka_unit_test(dropped_tests_are_not_reached),
		cmocka_unit_test(a_refusal_may_end_all),
		cmocka_unit_test(plain_tests_are_small),
	};

	return run_unit_tests("suite", tests, NULL, NULL);
}
