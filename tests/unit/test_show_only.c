/*
 * --show-only=json-v1: texts of whole documents and of single values, as ctest 3.25
 * prints them, and the writer behind it. Executables are found by a stand-in.
 */
#include <math.h>
#include <string.h>

#include "compat/format/json_styled.h"
#include "compat/format/regex.h"
#include "compat/report/show_only.h"
#include "compat/resources/properties.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

/* ---- the writer ------------------------------------------------------------------ */

static const struct {
	const char *text, *json;
} strings[] = {
	{"", "\"\""},
	{"a b/c'", "\"a b/c'\""},
	{"\"\\", "\"\\\"\\\\\""},
	{"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
	{"\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\""},
	{"\xc3\xa9\xe2\x82\xac", "\"\\u00e9\\u20ac\""},
	{"\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\""},
	{"\xf4\x8f\xbf\xbf", "\"\\udbff\\udfff\""},
	/* not UTF-8: a lead byte takes what it announces */
	{"\x80\xff", "\"\\ufffd\""},
	{"\xff", "\"\\ufffd\""},
	{"\xffz", "\"\\ufffdz\""},
	{"\xc3", "\"\\ufffd\""},
	{"\xe2\x82", "\"\\ufffd\\ufffd\""},
	{"\xc0\x80", "\"\\ufffd\""},
	{"\xed\xa0\x80", "\"\\ufffd\""},
	{"\xc3z", "\"\\u00fa\""},
};

static const struct {
	double number;
	const char *json;
} doubles[] = {
	{0, "0.0"},
	{3, "3.0"},
	{-1.5, "-1.5"},
	{0.1, "0.10000000000000001"},
	{(float)0.1, "0.10000000149011612"},
	{1e10, "10000000000.0"},
	{1e17, "1e+17"},
	{1e300, "1.0000000000000001e+300"},
	{123456789.123, "123456789.123"},
	{INFINITY, "1e+9999"},
	{-INFINITY, "-1e+9999"},
	{NAN, "null"},
};

static void
values_are_spelled_as_by_jsoncpp(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(strings); i++) {
		struct buf out = {.arena = a};
		struct json j = {.out = &out};

		json_string(&j, str_of(strings[i].text));
		assert_string_equal(out.p, strings[i].json);
	}
	for (size_t i = 0; i < ROWS(doubles); i++) {
		struct buf out = {.arena = a};
		struct json j = {.out = &out};

		json_double(&j, doubles[i].number);
		assert_string_equal(out.p, doubles[i].json);
	}
	arena_close(a);
}

static void
containers_are_laid_out(void **state)
{
	struct arena *a = arena_open();
	struct buf out = {.arena = a};
	struct json j = {.out = &out};

	(void)state;
	json_open(&j, '{');
	json_key(&j, "a");
	json_open(&j, '[');
	json_close(&j, ']');
	json_key(&j, "b");
	json_open(&j, '[');
	json_open(&j, '{');
	json_close(&j, '}');
	json_int(&j, -7);
	json_open(&j, '[');
	json_bool(&j, true);
	json_close(&j, ']');
	json_close(&j, ']');
	json_close(&j, '}');
	assert_string_equal(out.p, "{\n"
				   "  \"a\" : [],\n"
				   "  \"b\" : \n"
				   "  [\n"
				   "    {},\n"
				   "    -7,\n"
				   "    [\n"
				   "      true\n"
				   "    ]\n"
				   "  ]\n"
				   "}");
	arena_close(a);
}

/* ---- listings -------------------------------------------------------------------- */

struct executable_finder {
	struct arena *a;
};

/* "no..." is not found. */
const struct executable *
executable_find(struct executable_finder *f, struct str word, struct str directory)
{
	struct executable *e = NEW(f->a, struct executable);

	e->path =
		str_begins(word, STR("no")) ? STR("") : path_join(f->a, directory, word);
	e->not_available = str_is(word, "NOT_AVAILABLE");
	return e;
}

struct fixture {
	struct arena *a;
	struct dialect dialect;
	struct match_set *set;
	struct property_rules rules;
	struct property_reader reader;
	struct test tests[8];
	struct suite suite;
	struct selected selected[8];
	struct selection selection;
};

static void
begin(struct fixture *f, unsigned version)
{
	*f = (struct fixture){.a = arena_open(), .dialect = dialect_of(version)};
	f->set = match_set_open(f->a, regex_parse);
	f->rules.dialect = &f->dialect;
	f->reader = properties_reader(f->set, &f->rules);
	f->suite.tests = f->tests;
	f->selection.suite = &f->suite;
	f->selection.v = f->selected;
}

static void
end(struct fixture *f)
{
	match_set_close(f->set);
	arena_close(f->a);
}

/* properties: name and value by turns, ended by NULL; NULL for none. */
static void
add(struct fixture *f, const char *name, const char *program,
	const char *const *properties)
{
	struct properties *p = NEW(f->a, struct properties);
	struct str *command = NEW_ARRAY(f->a, struct str, 2);
	struct diag d = diag_in(f->a);
	size_t n = f->suite.n++;

	*p = properties_default;
	f->tests[n] = (struct test){.name = str_of(name),
		.command = {command, 2},
		.directory = STR("/d"),
		.properties = p};
	for (size_t i = 0; properties && properties[i]; i += 2)
		if (strcmp(properties[i], "_BACKTRACE_TRIPLES") == 0)
			f->tests[n].backtrace = str_of(properties[i + 1]);
		else
			assert_true(f->reader.set(&f->reader, f->a, p,
				str_of(properties[i]), str_of(properties[i + 1]), &d));
	f->reader.finish(&f->reader, f->a, p);
	command[0] = str_of(program);
	command[1] = STR("x y");
	f->selected[n] = (struct selected){.test = (test_id)n,
		.number = (unsigned)n + 1,
		.depends_names = p->depends};
	f->selection.n++;
}

static const char *
document(struct fixture *f, const char *configuration)
{
	struct buf out = {.arena = f->a};
	struct executable_finder finder = {f->a};

	show_only_json(&out, &(struct json_listing){.selection = &f->selection,
				     .finder = &finder,
				     .dialect = &f->dialect,
				     .configuration = str_of(configuration)});
	return out.p;
}

#define NO_GRAPH                                                                         \
	"{\n"                                                                            \
	"  \"backtraceGraph\" : \n"                                                      \
	"  {\n"                                                                          \
	"    \"commands\" : [],\n"                                                       \
	"    \"files\" : [],\n"                                                          \
	"    \"nodes\" : []\n"                                                           \
	"  },\n"                                                                         \
	"  \"kind\" : \"ctestInfo\",\n"
#define END                                                                              \
	"  \"version\" : \n"                                                             \
	"  {\n"                                                                          \
	"    \"major\" : 1,\n"                                                           \
	"    \"minor\" : 0\n"                                                            \
	"  }\n"                                                                          \
	"}"

static void
nothing_is_a_document_too(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3025);
	assert_string_equal(document(&f, ""), NO_GRAPH "  \"tests\" : [],\n" END);
	add(&f, "t", "NOT_AVAILABLE",
		(const char *const[]){"_BACKTRACE_TRIPLES", "/f;1;c", NULL});
	assert_string_equal(document(&f, "Rel"), NO_GRAPH "  \"tests\" : [],\n" END);
	end(&f);
}

static void
a_test_is_shown(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3025);
	add(&f, "a", "true", NULL);
	add(&f, "b", "no", NULL);
	f.selected[0].number = 9; /* order is by number */
	assert_string_equal(document(&f, "Rel"),
		NO_GRAPH "  \"tests\" : \n"
			 "  [\n"
			 "    {\n"
			 "      \"config\" : \"Rel\",\n"
			 "      \"name\" : \"b\",\n"
			 "      \"properties\" : \n"
			 "      [\n"
			 "        {\n"
			 "          \"name\" : \"WORKING_DIRECTORY\",\n"
			 "          \"value\" : \"/d\"\n"
			 "        }\n"
			 "      ]\n"
			 "    },\n"
			 "    {\n"
			 "      \"command\" : \n"
			 "      [\n"
			 "        \"/d/true\",\n"
			 "        \"x y\"\n"
			 "      ],\n"
			 "      \"config\" : \"Rel\",\n"
			 "      \"name\" : \"a\",\n"
			 "      \"properties\" : \n"
			 "      [\n"
			 "        {\n"
			 "          \"name\" : \"WORKING_DIRECTORY\",\n"
			 "          \"value\" : \"/d\"\n"
			 "        }\n"
			 "      ]\n"
			 "    }\n"
			 "  ],\n" END);
	end(&f);
}

static void
arguments_behind_the_command_are_shown(void **state)
{
	struct fixture f;
	struct buf out;
	struct str more[] = {STR("-v"), STR("z")};

	(void)state;
	begin(&f, 4004);
	add(&f, "a", "true", NULL);
	out = (struct buf){.arena = f.a};
	show_only_json(&out, &(struct json_listing){.selection = &f.selection,
				     .finder = &(struct executable_finder){f.a},
				     .dialect = &f.dialect,
				     .pass_through = {more, 2}});
	assert_non_null(
		strstr(out.p, "        \"x y\",\n        \"-v\",\n        \"z\"\n"));
	end(&f);
}

/* Files and commands by first use, innermost first; nodes outermost first, never shared;
 * no command and line 0 are left out. */
static void
backtraces_become_nodes(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3025);
	add(&f, "a", "no",
		(const char *const[]){"_BACKTRACE_TRIPLES", "/f;3;add;/g;x;", NULL});
	add(&f, "b", "no", (const char *const[]){"_BACKTRACE_TRIPLES", "/g;x;", NULL});
	add(&f, "c", "no", (const char *const[]){"_BACKTRACE_TRIPLES", "/h;-1", NULL});
	assert_true(
		str_begins(str_of(document(&f, "")), STR("{\n"
							 "  \"backtraceGraph\" : \n"
							 "  {\n"
							 "    \"commands\" : \n"
							 "    [\n"
							 "      \"add\"\n"
							 "    ],\n"
							 "    \"files\" : \n"
							 "    [\n"
							 "      \"/f\",\n"
							 "      \"/g\"\n"
							 "    ],\n"
							 "    \"nodes\" : \n"
							 "    [\n"
							 "      {\n"
							 "        \"file\" : 1\n"
							 "      },\n"
							 "      {\n"
							 "        \"command\" : 0,\n"
							 "        \"file\" : 0,\n"
							 "        \"line\" : 3,\n"
							 "        \"parent\" : 0\n"
							 "      },\n"
							 "      {\n"
							 "        \"file\" : 1\n"
							 "      }\n"
							 "    ]\n"
							 "  },\n"
							 "  \"kind\" : \"ctestInfo\",\n"
							 "  \"tests\" : \n"
							 "  [\n"
							 "    {\n"
							 "      \"backtrace\" : 1,\n"
							 "      \"name\" : \"a\",\n")));
	assert_non_null(
		strstr(document(&f, ""), "\"backtrace\" : 2,\n      \"name\" : \"b\""));
	assert_non_null(strstr(document(&f, ""), "    {\n      \"name\" : \"c\""));
	end(&f);
}

/* ---- values ---------------------------------------------------------------------- */

/* One property and its value without blanks and newlines; NULL: not shown. */
static const struct {
	unsigned version;
	const char *name, *text, *json;
} values[] = {
	{3025, "ATTACHED_FILES", "b;a", "[\"b\",\"a\"]"},
	{3025, "ATTACHED_FILES_ON_FAIL", "a", "[\"a\"]"},
	{3025, "COST", "0.1", "0.10000000149011612"},
	{3025, "COST", "0", NULL},
	{3025, "COST", "nan", "null"},
	{3025, "DEPENDS", "b;a;b", "[\"b\",\"a\",\"b\"]"},
	{3025, "DISABLED", "ON", "true"},
	{3025, "DISABLED", "0", NULL},
	{3025, "ENVIRONMENT", "A=b;", "[\"A=b\"]"},
	{3025, "ENVIRONMENT_MODIFICATION", "A=set:b", "[\"A=set:b\"]"},
	{3025, "FAIL_REGULAR_EXPRESSION", "x;(", "[\"x\",\"(\"]"},
	{3025, "SKIP_REGULAR_EXPRESSION", "x", "[\"x\"]"},
	{3025, "PASS_REGULAR_EXPRESSION", "x", "[\"x\"]"},
	{3025, "FIXTURES_CLEANUP", "b;a", "[\"a\",\"b\"]"},
	{3025, "FIXTURES_REQUIRED", "b;a", "[\"a\",\"b\"]"},
	{3025, "FIXTURES_SETUP", "b;a", "[\"a\",\"b\"]"},
	{3025, "GENERATED_RESOURCE_SPEC_FILE", "/x", NULL},
	{3028, "GENERATED_RESOURCE_SPEC_FILE", "/x", NULL},
	{4000, "GENERATED_RESOURCE_SPEC_FILE", "/x", "\"/x\""},
	{3025, "LABELS", "b;a;b", "[\"a\",\"b\"]"},
	{3025, "LABELS", ";", NULL},
	{3025, "MEASUREMENT", "a=1=2", "[{\"measurement\":\"a\",\"value\":\"1=2\"}]"},
	{3025, "MEASUREMENT", "a;b", "[{\"measurement\":\"a;b\",\"value\":\"1\"}]"},
	{3025, "MEASUREMENT", "", "[{\"measurement\":\"\",\"value\":\"1\"}]"},
	{3025, "RESOURCE_GROUPS", "1;g:1,h:2",
		"[{\"requirements\":[]},{\"requirements\":[{\".type\":\"g\",\"slots\":1},"
		"{\".type\":\"h\",\"slots\":2}]}]"},
	{3025, "RESOURCE_GROUPS", "0", NULL},
	{3025, "PROCESSOR_AFFINITY", "1", "true"},
	{3025, "PROCESSORS", "2", "2"},
	{3025, "PROCESSORS", "0", NULL},
	{3025, "REQUIRED_FILES", "b;a", "[\"b\",\"a\"]"},
	{3025, "RESOURCE_LOCK", "b;a", "[\"a\",\"b\"]"},
	{3025, "RUN_SERIAL", "1", "true"},
	{3025, "SKIP_RETURN_CODE", "0", "0"},
	{3025, "SKIP_RETURN_CODE", "256", NULL},
	{3025, "TIMEOUT", "0", "0.0"},
	{3025, "TIMEOUT", "-1", "-1.0"},
	{3027, "TIMEOUT_SIGNAL_NAME", "SIGINT", NULL},
	{4000, "TIMEOUT_SIGNAL_NAME", "SIGINT", "\"SIGINT\""},
	{4000, "TIMEOUT_SIGNAL_GRACE_PERIOD", "2", "2.0"},
	{3025, "TIMEOUT_AFTER_MATCH", "2;a\\;b",
		"{\"regex\":[\"a\",\"b\"],\"timeout\":2.0}"},
	{3025, "TIMEOUT_AFTER_MATCH", "2;\\;", NULL},
	{3025, "WILL_FAIL", "1", "true"},
	{3029, "FOO", "a;b", NULL},
	{3030, "FOO", "a;b", "\"a;b\""},
};

static const char *
without_blanks(struct arena *a, const char *text)
{
	struct buf out = {.arena = a};

	for (; *text; text++)
		if (*text != ' ' && *text != '\n')
			buf_char(&out, *text);
	return out.p;
}

static void
each_property_has_its_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(values); i++) {
		struct fixture f;
		const char *all, *found;
		struct str member;

		begin(&f, values[i].version);
		add(&f, "t", "true",
			(const char *const[]){values[i].name, values[i].text, NULL});
		all = without_blanks(f.a, document(&f, ""));
		found = strstr(all,
			str_fmt(f.a, "{\"name\":\"%s\",\"value\":", values[i].name).p);
		if ((found != NULL) != (values[i].json != NULL))
			print_error("row %zu: %s\n", i, values[i].name);
		assert_int_equal(found != NULL, values[i].json != NULL);
		if (values[i].json) {
			member = str_fmt(f.a, "{\"name\":\"%s\",\"value\":%s}",
				values[i].name, values[i].json);
			assert_true(str_begins(str_of(found), member));
		}
		end(&f);
	}
}

/* Measurements are a map; custom properties stand last. */
static void
order_is_kept(void **state)
{
	struct fixture f;
	const char *all;

	(void)state;
	begin(&f, 4004);
	add(&f, "t", "true",
		(const char *const[]){"MEASUREMENT", "z=1", "MEASUREMENT", "a=2",
			"MEASUREMENT", "z=3", "AAA", "x", "WILL_FAIL", "1", NULL});
	all = without_blanks(f.a, document(&f, ""));
	assert_non_null(
		strstr(all, "\"properties\":[{\"name\":\"MEASUREMENT\",\"value\":["
			    "{\"measurement\":\"a\",\"value\":\"2\"},"
			    "{\"measurement\":\"z\",\"value\":\"3\"}]},"
			    "{\"name\":\"WILL_FAIL\",\"value\":true},"
			    "{\"name\":\"WORKING_DIRECTORY\",\"value\":\"/d\"},"
			    "{\"name\":\"AAA\",\"value\":\"x\"}]"));
	end(&f);
}

/* What fixtures add to DEPENDS is the selection's. */
static void
depends_are_the_selection_s(void **state)
{
	struct fixture f;
	struct str names[] = {STR("q"), STR("setup")};

	(void)state;
	begin(&f, 3025);
	add(&f, "t", "true", (const char *const[]){"DEPENDS", "q", NULL});
	f.selected[0].depends_names = (struct str_list){names, 2};
	assert_non_null(strstr(without_blanks(f.a, document(&f, "")),
		"{\"name\":\"DEPENDS\",\"value\":[\"q\",\"setup\"]}"));
	end(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_spelled_as_by_jsoncpp),
		cmocka_unit_test(containers_are_laid_out),
		cmocka_unit_test(nothing_is_a_document_too),
		cmocka_unit_test(a_test_is_shown),
		cmocka_unit_test(arguments_behind_the_command_are_shown),
		cmocka_unit_test(backtraces_become_nodes),
		cmocka_unit_test(each_property_has_its_type),
		cmocka_unit_test(order_is_kept),
		cmocka_unit_test(depends_are_the_selection_s),
	};

	return run_unit_tests("show_only", tests, NULL, NULL);
}
