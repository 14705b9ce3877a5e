/* The lexer alone: what each text is cut into, and where its errors are. */
#include "manifests/cmake/cmake_lex.h"
#include "tests/unit/unit.h"

/* "name(kind|text|...) ...": u unquoted, q quoted, b bracket; capital: to be expanded. */
static struct str
shown(struct arena *a, const struct cmake_file *f)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < f->calls.n; i++) {
		const struct cmake_invocation *c = &f->calls.v[i];

		buf_fmt(&b, "%s%u:%.*s(", i ? " " : "", c->line, STR_ARG(c->name));
		for (uint32_t k = 0; k < c->n; k++) {
			const struct cmake_argument *x = &f->arguments.v[c->first + k];

			buf_fmt(&b, "%s%c", k ? "|" : "",
				(x->is_plain ? "uqb" : "UQB")[x->kind]);
			buf_str(&b, x->text);
		}
		buf_char(&b, ')');
	}
	return buf_as_str(&b);
}

static const struct {
	const char *text, *want;
} rows[] = {
	{"", ""},
	{"  # x", ""},
	{"a()", "1:a()"},
	{"\n\na ( )\nB_1()", "3:a() 4:B_1()"},
	{"a(b \"c d\" [[e]])", "1:a(ub|qc d|be)"},
	{"a(\"\" [[]])", "1:a(q|b)"},
	{"a(b;c $d \"$e\" \"\\;\" f@ \"g@\")", "1:a(Ub;c|U$d|Q$e|Q\\;|Uf@|Qg@)"},
	{"a([[${b}]] [=[]]]=])", "1:a(b${b}|b]])"},
	{"a([[\nb\n]])", "1:a(bb\n)"},
	{"a(\"b\\\nc\")", "1:a(Qbc)"},
	{"a(\"b\\\\\nc\")", "1:a(Qb\\\\\nc)"},
	{"a(b(c)d)", "1:a(ub|u(|uc|u)|ud)"},
	{"a((()))", "1:a(u(|u(|u)|u))"},
	{"a(b#c\nd)", "1:a(ub|ud)"},
	{"a(b #[[ c\n]] d)", "1:a(ub|ud)"},
	{"a(-Db=\"c d\" e)", "1:a(U-Db=\"c d\"|ue)"},
	{"a($(b) $(b)c)", "1:a(U$(b)|U$(b)c)"},
	{"a([b [=c [= ])", "1:a(u[b|u[=c|U[|u=|u])"},
	{"a(b[[c]])", "1:a(ub[[c]])"},
	{"a(\\\" \\  b\\#)", "1:a(U\\\"|U\\ |Ub\\#)"},
	{"a(\r\n\"b\r\nc\"\r\n)\r\n", "1:a(qb\nc)"},
	{"\xEF\xBB\xBF"
	 "a()",
		"1:a()"},
	{"#[=[ a() ]=]\nb()", "2:b()"},
	{"#[ a()\nb()", "2:b()"},
	{"#[[a]] #b\nc()", "2:c()"},
};

static bool
lex_whole(struct arena *a, struct str text, struct cmake_file *out, struct diag *d)
{
	struct cmake_lexer l;

	*out = (struct cmake_file){.path = STR("f")};
	return cmake_lexer_open(&l, a, out->path, text, d) &&
	       cmake_lexer_take(&l, a, out, SIZE_MAX);
}

static void
texts_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct cmake_file f;

		assert_true(lex_whole(a, str_of(rows[i].text), &f, &d));
		assert_int_equal(d.errors, 0);
		if (!str_is(shown(a, &f), rows[i].want))
			fail_msg("%s is %.*s", rows[i].text, STR_ARG(shown(a, &f)));
		arena_close(a);
	}
}

static const struct {
	const char *text;
	unsigned line;
	const char *said, *kept;
} errors[] = {
	{"a()\nb", 2,
		"Unexpected end of file.\nParse error.  Function missing opening \"(\".",
		"1:a()"},
	{"a(\n\n", 1,
		"Parse error.  Function missing ending \")\".  End of file reached.", ""},
	{"a() b()", 1,
		"Parse error.  Expected a newline, got identifier with text \"b\".",
		"1:a()"},
	{"\n[[a]]", 2,
		"Parse error.  Expected a command name, got bracket argument with text "
		"\"a\".",
		""},
	{"\n1", 2,
		"Parse error.  Expected a command name, got unquoted argument with text "
		"\"1\".",
		""},
	{"a(\"\n", 2,
		"Parse error.  Function missing ending \")\".  Instead found "
		"unterminated "
		"string with text \"\n\".",
		""},
	{"a([[b]]c)", 1,
		"Syntax Error in cmake code at column 8\nArgument not separated from "
		"preceding token by whitespace.",
		""},
	{"a(b[[]])\nc(\"d\"[[]])", 2,
		"Syntax Error in cmake code at column 6\nArgument not separated from "
		"preceding token by whitespace.",
		"1:a(ub[[]])"},
	{"\xFE\xFF", 0, "File starts with a Byte-Order-Mark that is not UTF-8.", ""},
};

static void
errors_say_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(errors); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct cmake_file f;
		const struct diag_entry *entry;

		assert_false(lex_whole(a, str_of(errors[i].text), &f, &d));
		assert_int_equal(d.entries.n, 1);
		entry = &d.entries.v[0];
		assert_int_equal(entry->kind, DIAG_CMAKE_FATAL);
		assert_int_equal(entry->at.line, errors[i].line);
		assert_true(str_is(entry->at.file, "f"));
		if (!str_is(entry->text, errors[i].said))
			fail_msg("%s: %.*s", errors[i].text, STR_ARG(entry->text));
		assert_true(str_is(shown(a, &f), errors[i].kept));
		arena_close(a);
	}
}

static void
words_together_are_warned_about(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct cmake_file f;

	(void)state;
	assert_true(lex_whole(a, STR("a(\"b\"c \"d\"\"e\")"), &f, &d));
	assert_int_equal(d.errors, 0);
	assert_int_equal(d.entries.n, 2);
	assert_int_equal(d.entries.v[0].kind, DIAG_CMAKE_AUTHOR);
	assert_true(str_is(shown(a, &f), "1:a(qb|uc|qd|qe)"));
	arena_close(a);
}

/* In the text of the error it stands from 4.2 on. */
static void
nul_is_shown_where_asked(void **state)
{
	const struct str want[] = {STR("Parse error.  Expected a command name, got "
				       "bad character with text \"\"."),
		STR("Parse error.  Expected a command name, got bad character with text "
		    "\"\0\".")};

	(void)state;
	for (int shows = 0; shows <= 1; shows++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct cmake_file f = {0};
		struct cmake_lexer l;

		assert_true(cmake_lexer_open(&l, a, STR("f"), str_cut("a()\0\n", 5), &d));
		l.shows_nul = shows;
		assert_false(cmake_lexer_take(&l, a, &f, SIZE_MAX));
		assert_true(str_eq(d.entries.v[0].text, want[shows]));
		arena_close(a);
	}
}

/* A large file is cut in place: the table is all that it costs. */
static void
large_tables_are_not_doubled(void **state)
{
	enum { CALLS = 100000 };
	struct arena *a = arena_open(), *tables = arena_open();
	struct buf text = {.arena = a};
	struct diag d = diag_in(a);
	struct cmake_file f;

	(void)state;
	for (int i = 0; i < CALLS; i++)
		buf_fmt(&text, "add_test(t%d \"/bin/true\" [[%d]])\n", i, i);
	assert_true(lex_whole(tables, buf_as_str(&text), &f, &d));
	assert_int_equal(f.calls.n, CALLS);
	assert_int_equal(f.arguments.n, 3 * CALLS);
	assert_true(str_is(f.arguments.v[3 * CALLS - 1].text, "99999"));
	assert_true(arena_bytes(tables) <
		    CALLS * (sizeof *f.calls.v + 3 * sizeof *f.arguments.v) * 5 / 4);
	arena_close(tables);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_cut),
		cmocka_unit_test(errors_say_where),
		cmocka_unit_test(words_together_are_warned_about),
		cmocka_unit_test(nul_is_shown_where_asked),
		cmocka_unit_test(large_tables_are_not_doubled),
	};

	return run_unit_tests("cmake_lex", tests, NULL, NULL);
}
