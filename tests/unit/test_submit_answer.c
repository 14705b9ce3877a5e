/* compat/submit_answer and compat/xml_read: what a dashboard says. */
#include "compat/dashboard/submit/submit_answer.h"
#include "runner/base/xml_read.h"
#include "tests/unit/unit.h"

static void
test_answers(void **state)
{
	static const struct {
		const char *body;
		bool is_refused, has_build, warns, has_error;
		const char *build, *message;
	} rows[] = {
		{"", false, false, false, false, "", ""},
		{"hello", false, false, false, false, "", ""},
		{"a Warning, an eRRoR", false, false, true, true, "", ""},
		{"<cdash><status>OK</status><buildId>7</buildId></cdash>", false, true,
			false, false, "7", ""},
		{"<cdash><status>success</status></cdash>", false, true, false, false, "",
			""},
		{"<cdash><status>WARNING</status><message>m</message></cdash>", true,
			false, true, false, "", "m"},
		{"<cdash><status></status></cdash>", true, false, false, false, "", ""},
		{"<cdash><status> OK</status></cdash>", true, false, false, false, "",
			""},
		{"<cdash><Status>no</Status></cdash>", false, true, false, false, "", ""},
		{"<cdash><status>OK<x/>K</status></cdash>", true, false, false, false, "",
			""},
		{"<cdash><message>a &lt;b&gt;\n<![CDATA[<c>]]>&#x41;</message></cdash>",
			false, true, false, false, "", "a <b>\n<c>A"},
		{"<cdash><buildId>1</buildId><buildId/></cdash>", false, true, false,
			false, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct submit_answer answer = submit_answer_read(a, str_of(rows[i].body));

		assert_int_equal(answer.is_refused, rows[i].is_refused);
		assert_int_equal(answer.has_build, rows[i].has_build);
		assert_int_equal(answer.warns, rows[i].warns);
		assert_int_equal(answer.has_error, rows[i].has_error);
		assert_true(str_is(answer.build, rows[i].build));
		assert_true(str_is(answer.message, rows[i].message));
		assert_null(answer.fault.text);
		arena_close(a);
	}
}

static void
nothing(void *context, struct str text)
{
	(void)context, (void)text;
}

/* Expat's words, in Expat's lines. */
static void
test_mistakes(void **state)
{
	static const struct xml_events events = {
		.begin = nothing, .text = nothing, .end = nothing};
	static const struct {
		const char *text, *error;
		size_t line;
	} rows[] = {
		{"<a/>", NULL, 1},
		{"<a>\n</b>", "mismatched tag", 2},
		{"<a>", "no element found", 1},
		{"", "no element found", 1},
		{"  \n", "no element found", 2},
		{"<a></a>x", "junk after document element", 1},
		{"<a></a>\n<b/>", "junk after document element", 2},
		{"x<a/>", "not well-formed (invalid token)", 1},
		{"\n{<a/>", "not well-formed (invalid token)", 2},
		{"<a b='1' b='2'/>", "duplicate attribute", 1},
		{"<a b=1/>", "not well-formed (invalid token)", 1},
		{"<a b='1' c='2' d='3' e='4' f='5' g='6' h='7' i='8' j='9' b='0'/>",
			"duplicate attribute", 1},
		{"<a b='1' c='2' d='3' e='4' f='5' g='6' h='7' i='8' j='9' j='0'/>",
			"duplicate attribute", 1},
		{"<a b='1' c='2' d='3' e='4' f='5' g='6' h='7' i='8' j='9' k='0'/>", NULL,
			1},
		{"<a/>\n<\077xml version='1.0'\077>", "junk after document element", 2},
		{"<a b='<'/>", "not well-formed (invalid token)", 1},
		{"<a\n b='1'", "unclosed token", 1},
		{"<a>&nbsp;</a>", "undefined entity", 1},
		{"<a>&#0;</a>", "reference to invalid character number", 1},
		{"<a>&#x110000;</a>", "reference to invalid character number", 1},
		{"<a>&amp</a>", "not well-formed (invalid token)", 1},
		{"<a>& b</a>", "not well-formed (invalid token)", 1},
		{"<a>]]></a>", "not well-formed (invalid token)", 1},
		{"<a><![CDATA[x</a>", "unclosed CDATA section", 1},
		{"<a><!-- x</a>", "unclosed token", 1},
		{" <\077xml version='1.0'\077><a/>",
			"XML or text declaration not at start of entity", 1},
		{"<\077xml version='1.0'\077>\n<!DOCTYPE a>\n<a/><!-- c --><\077p x\077>",
			NULL, 1},
		{"<a>\001</a>", "not well-formed (invalid token)", 1},
		{"<a><b></a></b>", "mismatched tag", 1},
		{"<a>\n\n<b>\n</a>", "mismatched tag", 4},
		{"<a b='1'c='2'/>", "not well-formed (invalid token)", 1},
		{"<a/ >", "not well-formed (invalid token)", 1},
		{"</a>", "not well-formed (invalid token)", 1},
		{"<1/>", "not well-formed (invalid token)", 1},
		{"<a><", "unclosed token", 1},
		{"<a>\n</a", "unclosed token", 2},
		{"<a>&lt;&gt;&amp;&quot;&apos;&#65;</a>", NULL, 1},
		{"<a/></a>", "not well-formed (invalid token)", 1},
		{"<", "unclosed token", 1},
		{"<a", "unclosed token", 1},
		{"<a/><", "unclosed token", 1},
		{"<br />\n<b>Warning</b>", "junk after document element", 2},
		{"a b", "syntax error", 1},
		{"<a>\377</a>", "not well-formed (invalid token)", 1},
		{"<a>x&", "unclosed token", 1},
		{"<!DOCTYPE a", "no element found", 1},
		{"<a></a\n>", NULL, 1},
		{"<a><!x></a>", "not well-formed (invalid token)", 1},
		{"<a><\0771\077></a>", "not well-formed (invalid token)", 1},
		{"\357\273\277<a/>", NULL, 1},
		{"<a/>\n\n", NULL, 1},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct xml_fault fault = xml_read(str_of(rows[i].text), &events);

		if (rows[i].error && fault.text)
			assert_string_equal(fault.text, rows[i].error);
		assert_int_equal(fault.text == NULL, rows[i].error == NULL);
		assert_int_equal(fault.line, rows[i].line);
		arena_close(a);
	}
}

/* Text that no C string has. */
static void
test_nul_outside(void **state)
{
	static const struct xml_events events = {
		.begin = nothing, .text = nothing, .end = nothing};
	static const struct str texts[] = {{"abc\0", 4}, {"<a/>\0", 5}, {"<a/>x\0", 6}};

	(void)state;
	for (size_t i = 0; i < ROWS(texts); i++) {
		struct arena *a = arena_open();
		assert_string_equal(xml_read(texts[i], &events).text,
			"not well-formed (invalid token)");
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_nul_outside),
	};

	return run_unit_tests("submit_answer", tests, NULL, NULL);
}
