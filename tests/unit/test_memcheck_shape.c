/* compat/memcheck_shape: what it finds is what CMake's regular expressions find. */
#include "compat/dashboard/memcheck/memcheck_shape.h"
#include "compat/format/regex.h"
#include "tests/unit/unit.h"

static void
finds(void **state)
{
	static const struct {
		const char *shape, *line;
		const char *taken; /* NULL: it is not there */
	} rows[] = {
		{"abc", "xabcx", ""},
		{"abc", "ab", NULL},
		{"abc", "", NULL},
		{"a*b", "xxa--b", ""},
		{"a*b", "ab", ""},
		{"a*b", "ba", NULL},
		{"a*a", "a", NULL},
		{"a#b", "a1,2b", ""},
		{"a#b", "ab", NULL},
		{"a#", "xa9", ""},
		{"a#", "a", NULL},
		{"== *# b", "== 12 b", ""},
		{"== *# b", "== b", NULL},
		{"== *# b", "==1 b", NULL},
		{"== *# b", "== x b 3 b", ""},
		{"{*}x", "abxcx", "abxc"},
		{"a{*} on*", "a b on c on d", " b on c"},
		{"a{*} on*", "a on", ""},
		{"a{*} on*", "a no", NULL},
		{"a {b*} c #", "a bb c 1 c x", "bb"},
		{"a {b*} c #", "a bb c 1 c 2", "bb c 1"},
		{"a * {b*c}", "a  b1 b2 c c x", "b2 c c"},
		{"a * {b}", "a b", NULL},
		{"a {@}* end", "a word more end", "word"},
		{"a {@}* end", "a  end", ""},
		{"== {^~*}", "== A == Bc d", "Bc d"},
		{"== {^~*}", "== A", NULL},
		{"{Direct} of *", "x Direct of", NULL},
		{"{Direct} of *", "x Direct of ", "Direct"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str taken;
		bool found =
			memcheck_shape_find(rows[i].shape, str_of(rows[i].line), &taken);

		if (found != (rows[i].taken != NULL))
			fail_msg("%s in \"%s\"", rows[i].shape, rows[i].line);
		if (found && !str_is(taken, rows[i].taken))
			fail_msg("%s in \"%s\" takes \"%.*s\"", rows[i].shape,
				rows[i].line, STR_ARG(taken));
	}
}

static void
a_line_ends_at_a_nul(void **state)
{
	(void)state;
	assert_true(memcheck_shape_find("a", STR("xa\0"), NULL));
	assert_false(memcheck_shape_find("a", STR("x\0a"), NULL));
	assert_false(memcheck_shape_find("a*b", STR("a\0b"), NULL));
}

/* Shapes and what they stand for, on lines made of their own pieces. */
static const struct {
	const char *shape, *regex;
} pairs[] = {
	{"== *# bytes in # blocks", "== .*[0-9,]+ bytes in [0-9,]+ blocks"},
	{"== *Syscall param * uninitialised", "== .*Syscall param .* uninitialised"},
	{"== {Invalid *} of size #", "== (Invalid .*) of size [0-9,]+"},
	{"== * {Potential * hazard}", "== .* (Potential .* hazard)"},
	{"== Program {@}* on", "== Program ([^ ]*).* on"},
	{"== {^~*}", "== ([A-Z][a-z].*)"},
	{"Sanitizer: {*} on*", "Sanitizer: (.*) on.*"},
	{"Sanitizer: {*} (pid=*)", "Sanitizer: (.*) \\(pid=.*\\)"},
};
static const char *const fragments[] = {"== ", "=", " ", "1", ",23", " bytes in ",
	" blocks", "Syscall param ", " uninitialised", "Invalid ", " of size ",
	"Potential ", " hazard", "Program ", " on", "Sanitizer: ", " (pid=", ")", "Ab",
	"B", "x", "4"};

static struct str
random_line(struct buf *b, uint64_t *seed)
{
	b->n = 0;
	for (size_t i = 0, n = 1 + (*seed >> 33) % 14; i < n; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		buf_z(b, fragments[(*seed >> 33) % ROWS(fragments)]);
	}
	return buf_as_str(b);
}

static void
finds_what_the_expression_finds(void **state)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);
	struct buf line = {.arena = a};
	uint64_t seed = 7;
	size_t hits = 0;

	(void)state;
	for (size_t i = 0; i < ROWS(pairs); i++) {
		const struct pattern *p =
			match_set_get(set, str_of(pairs[i].regex), NULL);

		for (size_t k = 0; k < 20000; k++) {
			struct str text = random_line(&line, &seed), taken, wanted;
			struct match m;
			bool found = memcheck_shape_find(pairs[i].shape, text, &taken);

			if (found != match_find(p->matcher, text, 0, &m))
				fail_msg("%s in \"%s\"", pairs[i].shape, text.p);
			hits += found;
			wanted = found && m.n > 1 ? m.groups[1] : STR("");
			if (found && !str_eq(taken, wanted))
				fail_msg("%s in \"%s\" takes \"%.*s\"", pairs[i].shape,
					text.p, STR_ARG(taken));
		}
	}
	assert_true(hits > 1000);
	match_set_close(set);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds),
		cmocka_unit_test(a_line_ends_at_a_nul),
		cmocka_unit_test(finds_what_the_expression_finds),
	};

	return run_unit_tests("memcheck_shape", tests, NULL, NULL);
}
