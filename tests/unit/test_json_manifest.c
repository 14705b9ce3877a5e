/*
 * json-v1 manifests: what becomes which declaration, and what is refused with which
 * words. Rows hold the part of a document that they are about; WITH_TESTS and the like
 * wrap it.
 */
#include <string.h>
#include <unistd.h>

#include "manifests/json/json_manifest.h"
#include "runner/base/files.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#define HEAD "\"kind\":\"ctestInfo\",\"version\":{\"major\":1,\"minor\":0}"
#define DOCUMENT(members) "{" HEAD "," members "}"
#define TESTS(tests) DOCUMENT("\"tests\":[" tests "]")
#define PROPERTY(name, value)                                                            \
	TESTS("{\"name\":\"t\",\"command\":[\"c\"],\"properties\":[{\"name\":\"" name    \
	      "\",\"value\":" value "}]}")
#define GRAPH(nodes, node)                                                               \
	DOCUMENT("\"backtraceGraph\":{\"commands\":[\"add_test\",\"f;g\"],\"files\":["   \
		 "\"A\",\"B;C\"],\"nodes\":[" nodes "]},\"tests\":[{\"name\":\"t\","     \
		 "\"command\":[\"c\"],\"backtrace\":" node "}]")

struct row {
	const char *text;
	/* "+word|word\n" for a test, "*word|word\n" for properties of the last test */
	const char *declared;
};

static const struct row accepted[] = {
	{TESTS(""), ""},
	{TESTS("{\"name\":\"t\",\"command\":[\"/bin/x\",\"\",\"a;b\"]}"),
		"+t|/bin/x||a;b\n"},
	{"\xef\xbb\xbf" TESTS("") "\n", ""},
	{"RegularExpression::compile(): Unmatched [].\n{\n" HEAD ",\"tests\":[]}", ""},
	/* members nobody knows are none of our business */
	{DOCUMENT("\"x\":[{}],\"tests\":[{\"y\":1,\"name\":\"t\",\"command\":[\"c\"]}]"),
		"+t|c\n"},
	/* ctest leaves out what it did not find */
	{TESTS("{\"name\":\"t\"}"), "+t|t_NOT_FOUND\n"},
	{TESTS("{\"name\":\"a_NOT_BUILT-1\"}"), "+a_NOT_BUILT-1|a_NOT_BUILT-1\n"},
	/* one name, two tests, each with its own properties */
	{TESTS("{\"name\":\"t\",\"command\":[\"c\"],\"properties\":[{\"name\":\"COST\","
	       "\"value\":1}]},{\"name\":\"t\",\"command\":[\"d\"]}"),
		"+t|c\n*COST|1\n+t|d\n"},
	{TESTS("{\"name\":\"\\u00e4\\u20ac\\\"\\n\xff\",\"command\":[\"c\"]}"),
		"+\xc3\xa4\xe2\x82\xac\"\n\xff|c\n"},
	{TESTS("{\"name\":\"\\\\u0000\",\"command\":[\"c\"]}"), "+\\u0000|c\n"},
	/* values */
	{PROPERTY("WILL_FAIL", "true"), "+t|c\n*WILL_FAIL|TRUE\n"},
	{PROPERTY("WILL_FAIL", "false"), "+t|c\n*WILL_FAIL|FALSE\n"},
	{PROPERTY("COST", "1.1000000238418579"), "+t|c\n*COST|1.1000000238418579\n"},
	{PROPERTY("TIMEOUT", "0.1"), "+t|c\n*TIMEOUT|0.10000000000000001\n"},
	{PROPERTY("PROCESSORS", "4"), "+t|c\n*PROCESSORS|4\n"},
	{PROPERTY("LABELS", "[\"a\",\"b;c\",\"[\",\"d\\\\\"]"),
		"+t|c\n*LABELS|a|LABELS|b\\;c|LABELS|[|LABELS|d\\\n"},
	{PROPERTY("LABELS", "[]"), "+t|c\n"},
	{PROPERTY("MEASUREMENT",
		 "[{\"measurement\":\"a\",\"value\":\"1;2\"},{\"measurement\":\"b\","
		 "\"value\":\"c=d\"}]"),
		"+t|c\n*MEASUREMENT|a=1;2|MEASUREMENT|b=c=d\n"},
	{PROPERTY("RESOURCE_GROUPS",
		 "[{\"requirements\":[{\".type\":\"a\",\"slots\":2},{\".type\":\"b\","
		 "\"slots\":1}]},{\"requirements\":[]}]"),
		"+t|c\n*RESOURCE_GROUPS|a:2,b:1|RESOURCE_GROUPS|1\n"},
	{PROPERTY("TIMEOUT_AFTER_MATCH", "{\"regex\":[\"a\",\"b;c\"],\"timeout\":1.5}"),
		"+t|c\n*TIMEOUT_AFTER_MATCH|1.5;a|TIMEOUT_AFTER_MATCH|1.5;b\\\\;c\n"},
	/* a string is the text of set_tests_properties */
	{PROPERTY("LABELS", "\"a;b\""), "+t|c\n*LABELS|a;b\n"},
	{PROPERTY("DEF_SOURCE_LINE", "\"f:1\""), "+t|c\n*DEF_SOURCE_LINE|f:1\n"},
	{PROPERTY("SOME_NEW_ONE", "7"), "+t|c\n*SOME_NEW_ONE|7\n"},
	/* backtraces, innermost first */
	{GRAPH("{\"file\":0}", "0"), "+t|c\n*_BACKTRACE_TRIPLES|A;0;\n"},
	{GRAPH("{\"file\":0},{\"file\":1,\"line\":3,\"command\":1,\"parent\":0},"
	       "{\"file\":0,\"line\":9,\"command\":0,\"parent\":1}",
		 "2"),
		"+t|c\n*_BACKTRACE_TRIPLES|A;9;add_test;B\\;C;3;f\\;g;A;0;\n"},
};

static const struct row refused[] = {
	{"", "m: not JSON at line 1, column 1\n"},
	{"{\n\"a\": x}", "m: not JSON at line 2, column 6\n"},
	{"{} []", "m: more than one JSON value at line 1, column 3\n"},
	{"{\"a\":\"\\u0000\"}", "m: NUL character at line 1, column 7\n"},
	{"[]", "m: the document must be an object, not an array\n"},
	{"{}", "m: the document lacks \"kind\"\nm: the document lacks \"version\"\n"
	       "m: the document lacks \"tests\"\n"},
	{"{\"kind\":\"x\",\"version\":{\"major\":2,\"minor\":1},\"tests\":[1]}",
		"m: kind must be \"ctestInfo\", not \"x\"\n"
		"m: version must be 1.x, not 2.1\n"},
	{"{\"kind\":\"ctestInfo\",\"version\":{\"major\":\"1\"},\"tests\":[]}",
		"m: version.major must be a number, not a string\n"
		"m: version lacks \"minor\"\n"},
	{DOCUMENT("\"tests\":{}"), "m: tests must be an array, not an object\n"},
	{DOCUMENT("\"tests\":[],\"tests\":[]"), "m: tests is given twice\n"},
	/* a name in other letter case would lose what it says */
	{"{" HEAD ",\"BackTraceGraph\":{},\"tests\":[],\"Tests\":[]}",
		"m: BackTraceGraph is not known; did you mean \"backtraceGraph\"?\n"
		"m: Tests is not known; did you mean \"tests\"?\n"},
	{TESTS("{\"Name\":\"t\",\"COMMAND\":[\"c\"],\"Properties\":[]}"),
		"m: tests[0].Name is not known; did you mean \"name\"?\n"
		"m: tests[0].COMMAND is not known; did you mean \"command\"?\n"
		"m: tests[0].Properties is not known; did you mean \"properties\"?\n"},
	{TESTS("{\"name\":\"t\",\"properties\":[{\"name\":\"WILL_FAIL\",\"value\":true,"
	       "\"Value\":false}]}"),
		"m: tests[0].properties[0].Value is not known; did you mean "
		"\"value\"?\n"},
	{PROPERTY("will_fail", "true"), "m: tests[0].properties[0].name must be "
					"\"WILL_FAIL\", not \"will_fail\"\n"},
	{PROPERTY("Timeout", "\"5\""),
		"m: tests[0].properties[0].name must be \"TIMEOUT\", not \"Timeout\"\n"},
	{PROPERTY("RESOURCE_GROUPS", "[{\"Requirements\":[]}]"),
		"m: tests[0].properties[0].value[0].Requirements is not known; did you "
		"mean"
		" \"requirements\"?\n"},
	/* all of what is wrong with the tests is said */
	{TESTS("1,{},{\"name\":2,\"command\":3}"),
		"m: tests[0] must be an object, not a number\n"
		"m: tests[1] lacks \"name\"\n"
		"m: tests[2].name must be a string, not a number\n"
		"m: tests[2].command must be an array, not a number\n"},
	{TESTS("{\"name\":\"t\",\"command\":[]}"),
		"m: tests[0].command must not be empty\n"},
	{TESTS("{\"name\":\"t\",\"command\":[\"a\",null,true]}"),
		"m: tests[0].command[1] must be a string, not null\n"
		"m: tests[0].command[2] must be a string, not a boolean\n"},
	{PROPERTY("WILL_FAIL", "1"),
		"m: tests[0].properties[0].value must be a boolean, not a number\n"},
	{PROPERTY("COST", "[]"),
		"m: tests[0].properties[0].value must be a number, not an array\n"},
	{PROPERTY("LABELS", "{}"),
		"m: tests[0].properties[0].value must be an array, not an object\n"},
	{PROPERTY("LABELS", "[\"a\",1]"),
		"m: tests[0].properties[0].value[1] must be a string, not a number\n"},
	{PROPERTY("WORKING_DIRECTORY", "1"),
		"m: tests[0].properties[0].value must be a string, not a number\n"},
	{PROPERTY("SOME_NEW_ONE", "[1]"),
		"m: tests[0].properties[0].value must be a string, not an array\n"},
	{PROPERTY("MEASUREMENT", "[{\"measurement\":\"a\"},2]"),
		"m: tests[0].properties[0].value[0] lacks \"value\"\n"
		"m: tests[0].properties[0].value[1] must be an object, not a number\n"},
	{PROPERTY("RESOURCE_GROUPS",
		 "[{\"requirements\":[{\".type\":\"a\",\"slots\":1.5},{\".type\":\"b\","
		 "\"slots\":-1}]},3]"),
		"m: tests[0].properties[0].value[0].requirements[0].slots must be a whole"
		" number, not 1.5\n"
		"m: tests[0].properties[0].value[0].requirements[1].slots must be below"
		" 4294967295, not -1\n"
		"m: tests[0].properties[0].value[1] must be an object, not a number\n"},
	{PROPERTY("TIMEOUT_AFTER_MATCH", "{\"regex\":[1]}"),
		"m: tests[0].properties[0].value lacks \"timeout\"\n"},
	{TESTS("{\"name\":\"t\",\"backtrace\":0}"),
		"m: tests[0].backtrace must be below 0, not 0\n"},
	{GRAPH("{\"file\":2},{},{\"file\":0,\"parent\":0.5}", "0"),
		"m: backtraceGraph.nodes[0].file must be below 2, not 2\n"
		"m: backtraceGraph.nodes[1] lacks \"file\"\n"
		"m: backtraceGraph.nodes[2].parent must be a whole number, not 0.5\n"},
	{GRAPH("{\"file\":0,\"parent\":1},{\"file\":0,\"parent\":0}", "0"),
		"m: backtraceGraph.nodes[0] starts a backtrace without end\n"},
};

static const char *
dump_declarations(struct arena *a, const struct declarations *from)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < from->list.n; i++) {
		const struct declaration *d = &from->list.v[i];

		buf_char(&b, d->kind == DECLARE_TEST ? '+' : '*');
		for (size_t k = 0; k < d->words.n; k++) {
			buf_z(&b, k ? "|" : "");
			buf_str(&b, d->words.v[k]);
		}
		buf_char(&b, '\n');
		assert_true(str_is(d->place->file, "m"));
	}
	return b.p;
}

static const char *
dump_errors(struct arena *a, const struct diag *d)
{
	const struct str head = STR("cannot read manifest ");
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < d->entries.n; i++) {
		assert_int_equal(d->entries.v[i].kind, DIAG_ERROR);
		assert_true(str_begins(d->entries.v[i].text, head));
		buf_str(&b, str_from(d->entries.v[i].text, head.n));
		buf_char(&b, '\n');
	}
	return b.p;
}

/* Messages name the manifest "m". */
static bool
load(struct arena *a, const char *text, struct declarations *out, struct diag *d)
{
	const struct source_request r = {.path = STR("m")};

	text_file(a, "m", str_of(text));
	return json_source.load(a, &r, out, d);
}

static void
reads_what_ctest_prints(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(accepted); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct declarations out = {0};

		(void)load(a, accepted[i].text, &out, &d);
		assert_string_equal(dump_errors(a, &d), "");
		assert_string_equal(dump_declarations(a, &out), accepted[i].declared);
		declarations_close(&out);
		arena_close(a);
	}
}

static void
says_all_that_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(refused); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct declarations out = {0};

		assert_false(load(a, refused[i].text, &out, &d));
		assert_string_equal(dump_errors(a, &d), refused[i].declared);
		declarations_close(&out);
		arena_close(a);
	}
}

static void
tests_are_where_they_say(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations out = {0};
	const char *text =
		TESTS("{\"name\":\"here\",\"command\":[\"c\"]},{\"name\":\"there\","
		      "\"command\":[\"c\"],\"properties\":[{\"name\":"
		      "\"WORKING_DIRECTORY\",\"value\":\"/w\"}]}");

	(void)state;
	assert_true(load(a, text, &out, &d));
	assert_int_equal(out.list.n, 2);
	assert_true(str_eq(out.list.v[0].directory, path_here(a)));
	assert_true(str_is(out.list.v[1].directory, "/w"));
	declarations_close(&out);
	arena_close(a);
}

static void
loads_standard_input_and_files(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations out = {0};
	struct source_request r = {.path = STR("-")};
	const char *text = TESTS("{\"name\":\"t\",\"command\":[\"c\"]}");
	int ends[2], saved = dup(STDIN_FILENO);

	(void)state;
	assert_return_code(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_true(json_source.load(a, &r, &out, &d));
	dup2(saved, STDIN_FILENO);
	close(saved);
	assert_int_equal(out.list.n, 1);
	r.path = STR("/nonexistent/manifest.json");
	assert_false(json_source.load(a, &r, &out, &d));
	assert_string_equal(dump_errors(a, &d),
		"/nonexistent/manifest.json: No such file or directory\n");
	declarations_close(&out);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_ctest_prints),
		cmocka_unit_test(says_all_that_is_wrong),
		cmocka_unit_test(tests_are_where_they_say),
		cmocka_unit_test(loads_standard_input_and_files),
	};

	if (chdir(text_folder().p) != 0)
		return 1;
	return run_unit_tests("json_manifest", tests, NULL, NULL);
}
