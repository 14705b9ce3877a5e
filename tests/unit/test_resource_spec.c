/*
 * The resource specification: rows of text and pool, or of text and why it is refused, as
 * ctest 3.25 has them; rows without "version" are put into a right frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/resources/resource_spec.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#define VERSION "\"version\":{\"major\":1,\"minor\":0}"
#define LOCAL(members) "{" VERSION ",\"local\":[{" members "}]}"
#define GPUS(elements) LOCAL("\"gpus\":[" elements "]")

/* "gpus(a:1 b:2) cpus()": the pool; "!": refused, and why. */
static const struct {
	const char *text, *result;
} rows[] = {
	/* the frame */
	{"{" VERSION ",\"local\":[]}", ""},
	{LOCAL(""), ""},
	{"", "!JSON parse error"},
	{" \n", "!JSON parse error"},
	{"not json", "!JSON parse error"},
	{"[]", "!Invalid root object"},
	{"null", "!Invalid root object"},
	{"\"x\"", "!Invalid root object"},
	{"1", "!Invalid root object"},
	{"1 [", "!Invalid root object"},
	{"1e", "!JSON parse error"},
	{"{\"local\":[]}", "!No version specified"},
	{"{\"version\":null,\"local\":[]}", "!Invalid version object"},
	{"{\"version\":1,\"local\":[]}", "!Invalid version object"},
	{"{\"version\":\"1\",\"local\":[]}", "!Invalid version object"},
	{"{\"version\":[1,0],\"local\":[]}", "!Invalid version object"},
	{"{\"version\":{},\"local\":[]}", "!Invalid version object"},
	{"{\"version\":{\"major\":1},\"local\":[]}", "!Invalid version object"},
	{"{\"version\":{\"minor\":0},\"local\":[]}", "!Invalid version object"},
	{"{\"version\":{\"major\":\"1\",\"minor\":0},\"local\":[]}",
		"!Invalid version object"},
	{"{\"version\":{\"major\":1,\"minor\":\"0\"},\"local\":[]}",
		"!Invalid version object"},
	{"{\"version\":{\"major\":1.5,\"minor\":0},\"local\":[]}",
		"!Invalid version object"},
	{"{\"version\":{\"major\":true,\"minor\":0},\"local\":[]}",
		"!Invalid version object"},
	{"{\"version\":{\"major\":4294967297,\"minor\":0},\"local\":[]}",
		"!Invalid version object"},
	{"{\"version\":{\"major\":1,\"minor\":1},\"local\":[]}", "!Unsupported version"},
	{"{\"version\":{\"major\":2,\"minor\":0}}", "!Unsupported version"},
	{"{\"version\":{\"major\":-1,\"minor\":0}}", "!Unsupported version"},
	{"{\"version\":{\"major\":1.0,\"minor\":-0,\"x\":[]},\"local\":[]}", ""},
	{"{" VERSION "}", "!Invalid socket object"},
	{"{" VERSION ",\"local\":null}", "!Invalid socket object"},
	{"{" VERSION ",\"local\":{}}", "!Invalid socket object"},
	{"{" VERSION ",\"local\":[{},{}]}", "!Invalid socket object"},
	{"{" VERSION ",\"local\":[[]]}", "!Invalid socket object"},
	{"{" VERSION ",\"local\":[[1]]}", "!Invalid socket object"},
	{"{" VERSION ",\"local\":[null]}", "!Invalid socket object"},
	/* types */
	{LOCAL("\"gpus\":[{\"id\":\"2\",\"slots\":4},{\"id\":\"e\"}],"
	       "\".reserved\":[{\"id\":\"a\",\"slots\":3}],\"threads\":[]"),
		"gpus(2:4 e:1) threads()"},
	{LOCAL("\"b\":[],\"a\":[],\"_\":[],\"a1\":[]"), "_() a() a1() b()"},
	{LOCAL("\"0\":[],\"-\":3,\"A\":null,\"a-b\":[1],\"\":0"), ""},
	{LOCAL("\"gpus\":{}"), "!Invalid resource type object"},
	{LOCAL("\"gpus\":null"), "!Invalid resource type object"},
	{LOCAL("\"gpus\":[{\"id\":\"a\"}],\"gpus\":[{\"id\":\"b\"}]"), "gpus(b:1)"},
	{LOCAL("\"gpus\":3,\"gpus\":[]"), "gpus()"},
	{LOCAL("\"b\":[1],\"a\":1"), "!Invalid resource type object"},
	{LOCAL("\"b\":1,\"a\":[1]"), "!Invalid resource object"},
	/* instances */
	{GPUS("[]"), "!Invalid resource object"},
	{GPUS("[1]"), "!Invalid resource object"},
	{GPUS("null"), "!Invalid resource object"},
	{GPUS("\"a\""), "!Invalid resource object"},
	{GPUS("{}"), "!Invalid resource object"},
	{GPUS("{\"id\":4}"), "!Invalid resource object"},
	{GPUS("{\"id\":null}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"\"}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"A\"}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"-\"}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a b\"}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\\n\"}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"_9\"},{\"id\":\"9_\"}"), "gpus(9_:1 _9:1)"},
	{GPUS("{\"id\":\"\\u0061\",\"more\":{\"x\":[1]}}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"b\"},{\"id\":\"a10\"},{\"id\":\"a9\"},{\"id\":\"0\"}"),
		"gpus(0:1 a10:1 a9:1 b:1)"},
	{GPUS("{\"id\":\"a\",\"slots\":3},{\"id\":\"b\"},{\"id\":\"a\"}"),
		"gpus(a:1 b:1)"},
	{GPUS("{\"id\":\"a\",\"id\":\"b\",\"slots\":3,\"slots\":4}"), "gpus(b:4)"},
	/* slots */
	{GPUS("{\"id\":\"a\",\"slots\":0}"), "gpus(a:0)"},
	{GPUS("{\"id\":\"a\",\"slots\":2.0}"), "gpus(a:2)"},
	{GPUS("{\"id\":\"a\",\"slots\":1e3}"), "gpus(a:1000)"},
	{GPUS("{\"id\":\"a\",\"slots\":01}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"slots\":+1}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"slots\":1.}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"slots\":-}"), "gpus(a:0)"},
	{GPUS("{\"id\":\"a\",\"slots\":4294967295}"), "gpus(a:4294967295)"},
	{GPUS("{\"id\":\"a\",\"slots\":4294967296}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":99999999999999999999}"),
		"!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":2.5}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":-1}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":null}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":true}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":\"3\"}"), "!Invalid resource object"},
	{GPUS("{\"id\":\"a\",\"slots\":NaN}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"slots\":0x1}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"slots\":--1}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"slots\":+-1}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"slots\":1-1}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"slots\":.5}"), "!JSON parse error"},
	/* what is no JSON but read */
	{"\xef\xbb\xbf" GPUS("{\"id\":\"a\"}"), "gpus(a:1)"},
	{"// x\n/* y *//**/" GPUS("/*x*/{/*\"*/\"id\":/*x*/\"a\"/*x*/}//\n") "/*",
		"gpus(a:1)"},
	{GPUS("{\"id\":\"a\",/*x*/}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"x\":[\"/*\",1,],},"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\"}/**/,"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\"}") " x", "gpus(a:1)"},
	{GPUS("{\"id\":\"a\"}") "}{", "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"x\":\"\t\x01\xff\"}"), "gpus(a:1)"},
	/* and what is not */
	{GPUS("{\"id\":\"a\"},/**/"), "!JSON parse error"},
	{GPUS("/**/"), "!JSON parse error"},
	{GPUS("{\"id\"/**/:\"a\"}"), "!JSON parse error"},
	{GPUS("/*/{\"id\":\"a\"}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\"}/*"), "!JSON parse error"},
	{GPUS("/x/{\"id\":\"a\"}"), "!JSON parse error"},
	{GPUS(","), "!JSON parse error"},
	{GPUS("{,}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",,}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\"},,"), "!JSON parse error"},
	{GPUS(",{\"id\":\"a\"}"), "!JSON parse error"},
	{GPUS("\x01{\"id\":\"a\"}"), "!JSON parse error"},
	{"\f" GPUS("{\"id\":\"a\"}"), "!JSON parse error"},
	{"# x\n" GPUS("{\"id\":\"a\"}"), "!JSON parse error"},
	{GPUS("{id:\"a\"}"), "!JSON parse error"},
	{GPUS("{'id':'a'}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\\q\"}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":\"\\ud800\"}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":\"\\ud800\\ud800\"}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"x\":\"\\uDC00\\ud83D\\uDE00\"}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"x\":\"\\u3d\\ude00\"}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":\"\\ud800\\u3d\"}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":1e999}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":-1e999}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":+1e999}"), "!JSON parse error"},
	{GPUS("{\"id\":\"a\",\"x\":-1e308}"), "gpus(a:1)"},
	{GPUS("{\"id\":\"a\",\"x\":True}"), "!JSON parse error"},
	{"{" VERSION ",\"local\":[]", "!JSON parse error"},
	{"{\"a", "!JSON parse error"},
	{"{\"a\\", "!JSON parse error"},
};

static const char *
shown(struct arena *a, bool right, const struct pool *pool, struct str why)
{
	struct buf out = {.arena = a};

	buf_z(&out, "");
	if (!right)
		buf_fmt(&out, "!%.*s", STR_ARG(why));
	for (size_t t = 0; t < pool->n; t++) {
		buf_fmt(&out, "%s%.*s(", t ? " " : "", STR_ARG(pool->types[t].name));
		for (size_t i = 0; i < pool->types[t].n; i++)
			buf_fmt(&out, "%s%.*s:%llu", i ? " " : "",
				STR_ARG(pool->types[t].v[i].id),
				(unsigned long long)pool->types[t].v[i].slots);
		buf_char(&out, ')');
	}
	return out.p;
}

/* *why: the reason of ctest 3.25, which has no others. */
static bool
load_spec(struct arena *a, const struct dialect *dialect, struct str text,
	struct pool *pool, struct str *why)
{
	struct diag d = diag_in(a);
	struct str path = text_file(a, "spec.json", text);
	bool right = resource_spec_load(a, dialect, STR(""), path, pool, &d);

	*why = right ? STR_NONE
		     : str_from(d.entries.v[0].text,
			       strlen("Could not read/parse resource spec file : ") +
				       path.n);
	return right;
}

static void
texts_become_pools(void **state)
{
	struct dialect dialect = dialect_of(3025);

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct pool pool;
		struct str why = STR_NONE;
		bool right = load_spec(a, &dialect, str_of(rows[i].text), &pool, &why);
		const char *is = shown(a, right, &pool, why);

		if (strcmp(is, rows[i].result) != 0)
			print_error("row %zu: %s\n", i, rows[i].text);
		assert_string_equal(is, rows[i].result);
		arena_close(a);
	}
}

static void
nesting_is_limited(void **state)
{
	struct dialect dialect = dialect_of(3025);
	struct arena *a = arena_open();
	struct buf text = {.arena = a};
	struct pool pool;
	struct str why;

	(void)state;
	buf_fill(&text, '[', 200 * 1000);
	assert_false(load_spec(a, &dialect, buf_as_str(&text), &pool, &why));
	assert_true(str_is(why, "JSON parse error"));
	arena_close(a);
}

/* ---- files and dialects ---------------------------------------------------------- */

static const struct {
	const char *text; /* NULL: no file */
	unsigned version;
	const char *message; /* behind the file's name */
} messages[] = {
	{NULL, 3025, ": File not found"},
	{"[]", 3025, ": Invalid root object"},
	{"", 3026, ": JSON parse error"},
	{NULL, 3027, ": \nFile not found: FILE"},
	{"[]", 3027, ": \nError: @1,1: Invalid Object\n[]\n^"},
	{"{\"version\":1}", 3031,
		": \nError: @1,12: Invalid Object\n{\"version\":1}\n           ^"},
	{"", 3027, ": \nA JSON document cannot be empty"},
	{"\xef\xbb\xbf\r\n {", 4000,
		": \nJSON Parse Error: FILE:\n* Line 2, Column 3\n"
		"  Missing '}' or object member name\n"},
	{"{\"version\":{\"major\":2,\"minor\":0}}", 4000,
		": \nError: @1,12: Unsupported version\n"
		"{\"version\":{\"major\":2,\"minor\":0}}\n           ^"},
	{"{}", 4004, ":\nNo version specified"},
	{"{" VERSION ",\"local\":null}", 4004, ":\nInvalid socket object"},
	{"[]\n", 4004, ":\nNAME:1: Invalid Object\n[]\n^"},
	{"\xef\xbb\xbf\n  []", 4001, ":\nNAME:2: Invalid Object\n  []\n  ^"},
	{"\xef\xbb\xbf /**/\n  []", 4001,
		":\nNAME:1: Syntax error: value, object or array expected.\n /**/\n ^"
		"\nNAME:2: Extra non-whitespace after JSON value.\n  []\n  ^"},
	{"\n", 4004,
		":\nNAME:2: Syntax error: value, object or array expected.\n\n^\nNAME:1: "
		"A valid JSON document must be either an array or an object value.\n\n^"},
	{"  3 4", 4004,
		":\nNAME:1: Extra non-whitespace after JSON value.\n  3 4\n    ^"},
	{"  3", 4004,
		":\nNAME:1: A valid JSON document must be either an array or an object "
		"value.\n  3\n^"},
	{"[{\"a\":1 2},{\"c\":1 \"d\":2}] [x", 4004,
		":\nNAME:1: Missing ',' or '}' in object declaration\n"
		"[{\"a\":1 2},{\"c\":1 \"d\":2}] [x\n        ^\n"
		"NAME:1: Extra non-whitespace after JSON value.\n"
		"[{\"a\":1 2},{\"c\":1 \"d\":2}] [x\n                          ^"},
	{"{" VERSION ",\n\"version\":{}}", 4004,
		":\nNAME:2: Duplicate key: 'version'\n\"version\":{}}\n^\n"
		"NAME:2: Extra non-whitespace after JSON value.\n\"version\":{}}\n"
		"            ^"},
	{"{\"version\":\n{}}", 4004,
		":\nNAME:2: Missing required field \"major\" in Object\n{}}\n^\n"
		"NAME:2: Missing required field \"minor\" in Object\n{}}\n^"},
	{"{\"version\":\n{\"minor\":\"x\",\"major\":[]}}", 4004,
		":\nNAME:2: Invalid version object\n{\"minor\":\"x\",\"major\":[]}}\n"
		"                     ^\n"
		"NAME:2: Invalid version object\n{\"minor\":\"x\",\"major\":[]}}\n"
		"         ^"},
	{"{" VERSION ",\n\"local\":[{\"g\":3},4]}", 4004,
		":\nNAME:2: Invalid resource type object\n\"local\":[{\"g\":3},4]}\n"
		"              ^\n"
		"NAME:2: Invalid socket object\n\"local\":[{\"g\":3},4]}\n"
		"                 ^"},
	{"{" VERSION ",\n\"local\":[{},{}]}", 4004,
		":\nNAME:2: Invalid socket object\n\"local\":[{},{}]}\n        ^"},
	{"{" VERSION ",\"local\":[\n{\"z\":[{\"slots\":-1}],\"A\":2,\"a\":[3]}]}", 3031,
		": \nError: @2,32: Invalid Object\n"
		"{\"z\":[{\"slots\":-1}],\"A\":2,\"a\":[3]}]}\n"
		"                               ^\n"
		"Error: @2,7: Missing required field \"id\" in Object\n"
		"{\"z\":[{\"slots\":-1}],\"A\":2,\"a\":[3]}]}\n"
		"      ^\n"
		"Error: @2,16: Invalid resource object\n"
		"{\"z\":[{\"slots\":-1}],\"A\":2,\"a\":[3]}]}\n"
		"               ^"},
	{"{\n\"a\": [1, {\"b\\\"]\": -2}, null],\n \"version\" : 3}\n", 4004,
		":\nNAME:3: Invalid Object\n \"version\" : 3}\n             ^"},
	{"{" VERSION ",\n\"local\":[{\"a\":[{\"id\":\"b\"},\n\t{\"id\":1}]}]}", 4004,
		":\nNAME:3: Invalid resource object\n\t{\"id\":1}]}]}\n       ^"},
	{"{" VERSION "}", 3027, ": \nInvalid socket object"},
};

/* The text with a word replaced wherever it stands. */
static struct str
replaced(struct arena *a, struct str text, const char *word, struct str by)
{
	struct buf b = {.arena = a};

	for (;;) {
		size_t at = str_search(text, str_of(word));

		buf_str(&b, str_cut(text.p, at));
		if (at == text.n)
			return buf_as_str(&b);
		buf_str(&b, by);
		text = str_from(text, at + strlen(word));
	}
}

static void
refusals_are_worded_by_the_dialect(void **state)
{
	char path[] = "/tmp/cctr-spec-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < ROWS(messages); i++) {
		struct arena *a = arena_open();
		struct dialect dialect = dialect_of(messages[i].version);
		struct diag d = diag_in(a);
		struct pool pool;
		struct str file = messages[i].text ? str_of(path) : STR("/nonexistent/x");
		struct str rest = replaced(a, str_of(messages[i].message), "FILE", file);
		struct str expected;

		if (messages[i].text)
			assert_true(
				file_write(a, path, ".tmp", str_of(messages[i].text)));
		expected = str_fmt(a, "Could not read/parse resource spec file %.*s%.*s",
			STR_ARG(file),
			STR_ARG(replaced(a, rest, "NAME", path_name(file))));
		assert_false(resource_spec_load(a, &dialect, STR(""), file, &pool, &d));
		assert_int_equal(d.entries.n, 1);
		assert_string_equal(str_z(a, d.entries.v[0].text), expected.p);
		arena_close(a);
	}
	unlink(path);
}

static void
a_directory_is_no_json(void **state)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(3025);
	struct diag d = diag_in(a);
	struct pool pool;

	(void)state;
	assert_false(resource_spec_load(a, &dialect, STR(""), STR("/"), &pool, &d));
	assert_true(str_is(d.entries.v[0].text,
		"Could not read/parse resource spec file /: JSON parse error"));
	arena_close(a);
}

/* Far more than anybody has: read in a blink, or never where work grows with the square.
 */
static void
large_files_are_read(void **state)
{
	enum { TYPES = 100000, INSTANCES = 200000 };
	struct dialect dialect = dialect_of(3025);
	struct arena *a = arena_open();
	struct buf text = {.arena = a};
	struct str why;
	struct pool pool;

	(void)state;
	buf_z(&text, "{" VERSION ",\"local\":[{\"all\":[{\"id\":\"x\"}");
	for (int i = 0; i < INSTANCES; i++)
		buf_fmt(&text, ",{\"id\":\"%d\"}", i);
	buf_char(&text, ']');
	for (int i = TYPES; i > 0; i--)
		buf_fmt(&text, ",\"t%d\":[{\"id\":\"0\"}]", i);
	buf_z(&text, "}]}");
	assert_true(load_spec(a, &dialect, buf_as_str(&text), &pool, &why));
	assert_int_equal(pool.n, TYPES + 1);
	assert_int_equal(pool.types[0].n, INSTANCES + 1);
	arena_close(a);
}

/* What counts for nothing is accepted, as ctest does, and noted. */
static void
vain_parts_are_noted(void **state)
{
	static const char text[] =
		"{\"version\":{\"major\":1,\"minor\":0},\"local\":[{\"GPUs\":7,\"gpus\":["
		"{\"id\":\"0\"},{\"id\":\"1\"},{\"id\":\"0\",\"slots\":3}]}]}";
	static const char *const expected[] = {
		"type 'GPUs' is passed over: no test can ask for it",
		"gpus: id '0' occurs twice, the last one counts"};
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	char name[] = "/tmp/cctr-spec-XXXXXX";
	int fd = mkstemp(name);
	struct dialect dialect;
	struct pool pool;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	assert_true(dialect_choose(&dialect, a, STR("3.25"), NULL, STR("."), &d));
	assert_true(resource_spec_load(a, &dialect, STR(""), str_of(name), &pool, &d));
	unlink(name);
	assert_int_equal(pool.types[0].v[0].slots, 3);
	assert_int_equal(d.errors, 0);
	assert_int_equal(d.entries.n, ROWS(expected));
	for (size_t i = 0; i < ROWS(expected); i++)
		assert_string_equal(d.entries.v[i].text.p, expected[i]);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_pools),
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(refusals_are_worded_by_the_dialect),
		cmocka_unit_test(a_directory_is_no_json),
		cmocka_unit_test(large_files_are_read),
		cmocka_unit_test(vain_parts_are_noted),
	};

	return run_unit_tests("resource_spec", tests, NULL, NULL);
}
