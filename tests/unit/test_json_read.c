/* JSON as ctest reads it: the tree with its places, and what is refused in which words.
 */
#include "compat/format/json_place.h"
#include "compat/format/json_read.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004 };

/* "NAME:@PLACE" and the value: a text in quotes, a number as ctest prints it. */
static void
dump_value(struct arena *a, struct buf *b, const struct json_value *v)
{
	if (v->name.n)
		buf_fmt(b, "%.*s:", STR_ARG(v->name));
	buf_fmt(b, "@%zu", v->at);
	if (v->kind == JSON_STRING)
		buf_fmt(b, "'%.*s'", STR_ARG(v->text));
	else if (v->kind < JSON_ARRAY)
		buf_fmt(b, "%.*s", STR_ARG(json_value_text(a, v)));
	else
		buf_char(b, v->kind == JSON_ARRAY ? '[' : '{');
	for (const struct json_value *m = v->first; m; m = m->next)
		dump_value(a, b, m);
	if (v->kind >= JSON_ARRAY)
		buf_char(b, v->kind == JSON_ARRAY ? ']' : '}');
}

static struct str
read_as(struct arena *a, unsigned version, enum json_reader reader, struct str text)
{
	struct dialect dialect = dialect_of(version);
	struct json_document d = json_read(a, &dialect, reader, text);
	struct buf b = {.arena = a};

	if (d.root)
		dump_value(a, &b, d.root);
	for (size_t i = 0; !d.root && i < d.faults_n; i++)
		buf_fmt(&b, "%zu %.*s|", d.faults[i].at, STR_ARG(d.faults[i].why));
	return b.n ? buf_as_str(&b) : STR("");
}

#define NO_VALUE "Syntax error: value, object or array expected."
#define NO_KEY "Missing '}' or object member name"
#define EXTRA "Extra non-whitespace after JSON value."
#define NO_CONTAINER "A valid JSON document must be either an array or an object value."

static const struct {
	unsigned version;
	enum json_reader reader;
	const char *text, *result;
} rows[] = {
	/* places and numbers */
	{NEW, JSON_STRICT, "\xef\xbb\xbf {\"a\":\n[1,{}]}",
		"@4{a:@10[@11"
		"1@13{}]}"},
	{NEW, JSON_STRICT, "[18446744073709551615,-9223372036854775808,007,-]",
		"@0[@1"
		"18446744073709551615@22-9223372036854775808@43"
		"7@47"
		"0]"},
	{NEW, JSON_STRICT, "[18446744073709551616,+5,1.5,1e400]",
		"@0[@1"
		"1.8446744073709552e+19@22"
		"5.0@25"
		"1.5@29"
		"1e+9999]"},
	{OLD, JSON_STRICT, "[1e400]", "1 '1e400' is not a number.|"},
	{NEW, JSON_STRICT, "[true,false,null]",
		"@0[@1true@6"
		"false@12]"},
	/* texts */
	{NEW, JSON_STRICT, "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "@0[@1'\"\\/\b\f\n\r\t']"},
	{NEW, JSON_STRICT, "[\"\\u0041\\u00E4\\u20ac\\ud83d\\ude00\"]",
		"@0[@1'A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80']"},
	{NEW, JSON_STRICT, "[\"\\udc00\",\"\\ud800\\u0041\",\"a\\u0000b\"]",
		"@0[@1'\xef\xbf\xbd'@10'\xf0\x90\x81\x81'@25'a']"},
	{NEW, JSON_STRICT, "[\"\\x\"]", "1 Bad escape sequence in string|"},
	{NEW, JSON_STRICT, "[\"\\u12\"]",
		"1 Bad unicode escape sequence in string: four digits expected.|"},
	{NEW, JSON_STRICT, "[\"\\ud800x\"]",
		"1 additional six characters expected to parse unicode surrogate pair.|"},
	{NEW, JSON_STRICT, "[\"a]", "1 " NO_VALUE "|"},
	/* what only the lenient reader takes */
	{NEW, JSON_STRICT, "{\"a\":1,\"a\":2}", "7 Duplicate key: 'a'|"},
	{NEW, JSON_LENIENT, "{\"a\":1,\"a\":2}",
		"@0{a:@5"
		"1a:@11"
		"2}"},
	{NEW, JSON_STRICT, "[1,]", "3 " NO_VALUE "|"},
	{NEW, JSON_LENIENT, "[1,]",
		"@0[@1"
		"1]"},
	{NEW, JSON_STRICT, "{\"a\":1,}", "7 " NO_KEY "|"},
	{NEW, JSON_LENIENT, "{\"a\":1,}",
		"@0{a:@5"
		"1}"},
	{NEW, JSON_STRICT, "[] x", "3 " EXTRA "|"},
	{NEW, JSON_LENIENT, "[] x", "@0[]"},
	{NEW, JSON_STRICT, "5", "0 " NO_CONTAINER "|"},
	{NEW, JSON_LENIENT, "5 x",
		"@0"
		"5"},
	/* comments */
	{OLD, JSON_STRICT, "{/**/\"a\":1/**/,//\n\"b\":2}",
		"@0{a:@9"
		"1b:@22"
		"2}"},
	{OLD, JSON_STRICT, "[/**/1]", "1 " NO_VALUE "|"},
	{OLD, JSON_STRICT, "/**/[]", "0 " NO_VALUE "|4 " EXTRA "|"},
	{NEW, JSON_STRICT, "{/**/\"a\":1}", "1 " NO_KEY "|"},
	{NEW, JSON_LENIENT, "/**/[/**/1/**/,//\n2]/*",
		"@4[@9"
		"1@18"
		"2]"},
	{NEW, JSON_LENIENT, "{\"a\"/**/:1}", "4 Missing ':' after object member name|"},
	{NEW, JSON_LENIENT, "[/**/]", "5 " NO_VALUE "|"},
	{NEW, JSON_LENIENT, "{/**/}", "@0{}"},
	/* a member without a name */
	{NEW, JSON_STRICT, "{\"\":1,}",
		"@0{@4"
		"1}"},
	{NEW, JSON_STRICT, "{\"\":1,\"b\":2,}", "12 " NO_KEY "|"},
	/* several faults */
	{NEW, JSON_STRICT, "{\"a\":x}y", "5 " NO_VALUE "|7 " EXTRA "|"},
	{NEW, JSON_STRICT, "{\"a\" 1}", "5 Missing ':' after object member name|"},
	{NEW, JSON_STRICT, "{\"a\":1 2}", "7 Missing ',' or '}' in object declaration|"},
	{NEW, JSON_STRICT, "[1 2]", "3 Missing ',' or ']' in array declaration|"},
	{NEW, JSON_STRICT, "", ""},
};

static void
reads_as_ctest_does(void **state)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_of(rows[i].text);
		struct str got = read_as(*state, rows[i].version, rows[i].reader, text);

		if (!str_is(got, rows[i].result))
			fail_msg("%s: \"%.*s\", not \"%s\"", rows[i].text, STR_ARG(got),
				rows[i].result);
	}
}

static void
limits_nesting(void **state)
{
	struct buf text = {.arena = *state};

	buf_fill(&text, '[', 999);
	buf_fill(&text, ']', 999);
	assert_true(str_begins(
		read_as(*state, NEW, JSON_STRICT, buf_as_str(&text)), STR("@0[@1[")));
	text.n = 0;
	buf_fill(&text, '[', 100000);
	assert_true(str_is(read_as(*state, NEW, JSON_STRICT, buf_as_str(&text)),
		"999 Exceeded stackLimit in readValue().|"));
}

static void
places_are_lines_and_columns(void **state)
{
	struct dialect middle = dialect_of(3027), newest = dialect_of(NEW);
	struct json_document d = json_read(
		*state, &newest, JSON_STRICT, STR("\xef\xbb\xbf[1,\r\n2,\rnull,\n  3]"));
	const struct json_value *two = json_first(d.root)->next, *last = two->next->next;

	d.path = STR("x/y.json");
	assert_true(str_is(json_place_text(*state, &newest, &d, last, STR("m")),
		"y.json:4: m\n  3]\n  ^"));
	assert_true(str_is(json_place_text(*state, &middle, &d, two, STR("m")),
		"Error: @2,1: m\n2,\rnull,\n^"));
	assert_true(
		str_is(json_place_text(*state, &newest, &d, two->next, STR("m")), "m"));
}

static void
limits_integers(void **state)
{
	struct dialect dialect = dialect_of(NEW);
	struct json_document d = json_read(*state, &dialect, JSON_STRICT,
		STR("[3,3.5,-9999999999,9999999999,\"3\"]"));
	const struct json_value *v = json_first(d.root);

	assert_true(json_is_whole(v, 3, 3) && !json_is_whole(v, 4, 5));
	assert_int_equal(json_number_int(v), 3);
	v = v->next;
	assert_false(json_is_whole(v, 0, 9));
	v = v->next;
	assert_int_equal(json_number_int(v), INT_MIN);
	v = v->next;
	assert_int_equal(json_number_int(v), INT_MAX);
	assert_false(json_is_whole(v->next, 0, 9));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			reads_as_ctest_does, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(limits_nesting, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			places_are_lines_and_columns, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(limits_integers, open_arena, close_arena),
	};

	return run_unit_tests("json_read", tests, NULL, NULL);
}
