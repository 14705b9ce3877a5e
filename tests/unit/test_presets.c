/*
 * Presets: rows of a file and what the command line becomes, or why it is refused. What
 * 3.25 says is what ctest 3.25.1 says; the words of 4.4 are those of its own tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/command_line/command_line.h"
#include "compat/options/options.h"
#include "compat/presets/presets.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004 };

static struct arena *a;
static char work[] = "/tmp/cctr-presets.XXXXXX";

static void
write_file(const char *name, const char *text)
{
	assert_true(file_write(a, name, ".tmp", str_of(text)));
}

/* What is said, and *o; the file is CMakePresets.json of an empty directory. */
static struct str
parse(unsigned version, const char *file, const char *word, struct options *o, bool *ok)
{
	char program[] = "cctr";
	char *argv[] = {program, (char *)str_z(a, str_of(word)), NULL};
	struct dialect dialect = dialect_of(version);
	options_messages messages = {0};
	struct buf said = {.arena = a};

	write_file("CMakePresets.json", file);
	*ok = command_line_parse(a, &dialect, NULL, 2, argv, o, &messages);
	for (size_t i = 0; i < messages.n; i++)
		buf_str(&said, messages.v[i].text);
	return buf_as_str(&said);
}

#define CONFIGURE                                                                        \
	"\"configurePresets\":[{\"name\":\"c\",\"generator\":\"Ninja\",\"binaryDir\":"   \
	"\"b\"}]"
#define FILE_OF(version, test)                                                           \
	"{\"version\":" version "," CONFIGURE                                            \
	",\"testPresets\":[{\"name\":\"x\",\"configurePreset\":\"c\"" test "}]}"
#define TEST(fields) FILE_OF("6", "," fields)

/* ---- what is wrong --------------------------------------------------------------- */

static const struct {
	unsigned version;
	const char *file;
	const char *why; /* behind "Could not read presets from DIRECTORY:" */
} wrong[] = {
	{OLD, "", " JSON parse error"},
	{OLD, "[]", " Invalid root object"},
	{OLD, "{}", " No \"version\" field"},
	{OLD, "{\"version\":7}", " Unrecognized \"version\" field"},
	{OLD, "{\"version\":\"6\"}", " Invalid \"version\" field"},
	{OLD, FILE_OF("1", ""),
		" File version must be 2 or higher for build and test preset support."},
	{OLD, FILE_OF("2", ",\"condition\":null"),
		" File version must be 3 or higher for condition support"},
	{OLD, TEST("\"jobs\":1"), " Invalid preset"},
	{OLD, TEST("\"environment\":[\"a\",\"b\"]"), " Invalid preset"},
	{OLD,
		"{\"version\":6,\"configurePresets\":[{\"name\":\"c\",\"cacheVariables\":"
		"[1,2]}]}",
		" Invalid preset"},
	{OLD, "{\"version\":6,\"packagePresets\":[{\"name\":\"p\",\"variables\":[1,2]}]}",
		" Invalid preset"},
	{OLD, TEST("\"condition\":{\"type\":\"not\",\"condition\":null}"),
		" Invalid preset condition"},
	{OLD, TEST("\"inherits\":\"x\""), " Cyclic preset inheritance"},
	{OLD, TEST("\"environment\":{\"A\":\"$env{B}\",\"B\":\"$env{A}\"}"),
		" Invalid macro expansion"},
	{OLD, TEST("\"environment\":{\"A\":\"${\"}"), " Invalid macro expansion"},
	{OLD,
		"{\"version\":6,\"configurePresets\":[{\"name\":\"c\","
		"\"cacheVariables\":{\"A\":1}}]}",
		" Invalid CMake variable definition"},
	{OLD, "{\"version\":4,\"include\":[\"CMakePresets.json\"]}",
		" Cyclic include among preset files"},
	{OLD, "{\"version\":4,\"include\":[\"missing.json\"]}", " File not found"},
	{OLD, "{\"version\":6,\"workflowPresets\":[{\"name\":\"w\",\"steps\":[]}]}",
		" Invalid workflow steps"},

	{NEW, "", "\nA JSON document cannot be empty"},
	{NEW, "[]", "\nCMakePresets.json:1: Invalid root object\n[]\n^"},
	{3027, "[]", "\nError: @1,1: Invalid root object\n[]\n^"},
	{NEW, "{}", "\nNo \"version\" field"},
	{NEW, "{\n  \"version\": 1000,\n}",
		"\nCMakePresets.json:3: Missing '}' or object member name\n}\n^"},
	{NEW, "{\n  \"version\": 1000\n}",
		"\nCMakePresets.json:2: Unrecognized \"version\" 1000: must be >=1 and "
		"<=12\n  \"version\": 1000\n             ^"},
	{3031, "{\"version\":11}",
		"\nError: @1,12: Unrecognized \"version\" 11: must be >=1 and "
		"<=10\n{\"version\":11}\n           ^"},
	{3030, "{\"version\":11}",
		"\nError: @1,12: Unrecognized \"version\" field\n{\"version\":11}\n"
		"           ^"},
	{3027, "{\"version\":4,\"include\":[\"./CMakePresets.json\"]}",
		"\nCyclic include among preset files: DIRECTORY/./CMakePresets.json"},
	{4000, "{\"version\":1e}",
		"\nJSON Parse Error: DIRECTORY/CMakePresets.json:\n* Line 1, Column 12\n"
		"  '1e' is not a number.\n"},
	{3027, "{\r\n\"a\":[\"b\\x\"],}x",
		"\nJSON Parse Error: DIRECTORY/CMakePresets.json:\n* Line 2, Column 6\n"
		"  Bad escape sequence in string\nSee Line 2, Column 10 for detail.\n"
		"* Line 2, Column 14\n  Extra non-whitespace after JSON value.\n"},
	{3027, "{\"a\":\"\\ud800\\x12345\"}",
		"\nJSON Parse Error: DIRECTORY/CMakePresets.json:\n* Line 1, Column 6\n"
		"  expecting another \\u token to begin the second half of a unicode "
		"surrogate pair\nSee Line 1, Column 15 for detail.\n"},
	{3027, "{\"a\":\"\\u12x4\"}",
		"\nJSON Parse Error: DIRECTORY/CMakePresets.json:\n* Line 1, Column 6\n"
		"  Bad unicode escape sequence in string: hexadecimal digit expected.\n"
		"See Line 1, Column 12 for detail.\n"},
	{3026, "{\"version\":3,\"\":1,}", " Invalid root object"},
	{NEW, "{\"version\":3,\"\":1,}",
		"\nCMakePresets.json:1: Invalid extra field \"\" in root object\n"
		"{\"version\":3,\"\":1,}\n                ^"},
	{NEW, "{\"version\":3,\"\":1,\"a\":2,}",
		"\nCMakePresets.json:1: Missing '}' or object member name\n"
		"{\"version\":3,\"\":1,\"a\":2,}\n                        ^"},
	{NEW, "{\"\":{\"a\":1},\"\\u0061\":1,\"a\":2}",
		"\nCMakePresets.json:1: Duplicate key: 'a'\n"
		"{\"\":{\"a\":1},\"\\u0061\":1,\"a\":2}\n                       ^"},
	{NEW, "{\"version\\u0000\":3}", "\nNo \"version\" field"},
	{NEW, "{\"version\":1e400}",
		"\nCMakePresets.json:1: Invalid \"version\" field\n"
		"{\"version\":1e400}\n           ^"},
	{4003,
		"{\"version\":2,\"configurePresets\":[{\"name\":\"c\"},{\"name\":\"c\","
		"\"condition\":true}]}",
		"\nDuplicate preset: \"c\""},
	{NEW,
		"{\"version\":2,\"configurePresets\":[{\"name\":\"c\"},{\"name\":\"c\","
		"\"condition\":true}]}",
		"\nFile version must be 3 or higher for condition support"},
	{4002,
		"{\"version\":6,\n\"testPresets\":[{\"name\":\"\",\"execution\":\n{"
		"\"jobs\":"
		"\"\"}}]}",
		"\nCMakePresets.json:2: Invalid Preset Name\n"
		"\"testPresets\":[{\"name\":\"\",\"execution\":\n"
		"                       ^\n"
		"CMakePresets.json:3: \"jobs\" expected an integer, got: \n"
		"{\"jobs\":\"\"}}]}\n        ^"},
	{NEW,
		"{\"version\":6,\"workflowPresets\":[{\"name\":\"w\",\"steps\":\n"
		"[{\"type\":1,\"name\":\"c\"}]}]}",
		"\nCMakePresets.json:2: Invalid preset\n"
		"[{\"type\":1,\"name\":\"c\"}]}]}\n         ^"},
	{NEW,
		"{\"version\":6,\"testPresets\":[{\"name\":\"x\",\"filter\":{\"include\":"
		"\n"
		"{\"index\":1}}}]}",
		"\nCMakePresets.json:2: Invalid preset\n"
		"{\"index\":1}}}]}\n         ^"},
	{NEW, "{\"version\":9,\"$comment\":\"\"}",
		"\nCMakePresets.json:1: Invalid extra field \"$comment\" in root object\n"
		"{\"version\":9,\"$comment\":\"\"}\n                        ^"},
	{NEW, FILE_OF("1", ""),
		"\nFile version must be 2 or higher for build and test preset support"},
	{NEW, TEST("\"inherits\":\"q\""),
		"\nInvalid test preset: \"x\": Could not find inherited preset \"q\""},
	{NEW, TEST("\"inherits\":\"x\""),
		"\nCyclic preset inheritance for test preset \"x\""},
	{3027, TEST("\"inherits\":\"x\""),
		"\nCyclic preset inheritance for preset \"x\""},
	{NEW, "{\"version\":6,\"testPresets\":[{\"name\":\"x\"}]}",
		"\nInvalid test preset: \"x\": Test presets must either be hidden or "
		"have "
		"an associated configure preset"},
	{NEW, TEST("\"environment\":{\"\":\"a\"}"),
		"\nInvalid test preset: \"x\": Empty environment variable names are not "
		"allowed"},
	{NEW, TEST("\"filter\":{\"include\":{\"name\":\"${nope}\"}}"),
		"\nInvalid macro expansion in \"x\""},
	{NEW, TEST("\"execution\":{\"testPassthroughArguments\":[\"a\"]}"),
		"\nFile version must be 12 or higher for testPassthroughArguments preset "
		"support"},
	{NEW, TEST("\"execution\":{\"jobs\":\"\"}"),
		"\nFile version must be 11 or higher for processor-count-based jobs "
		"preset support"},
	{NEW, "{\"version\":4,\"include\":[\"missing.json\"]}",
		"\nFile not found: DIRECTORY/missing.json"},
	{NEW, "{\"version\":6,\"workflowPresets\":[{\"name\":\"w\",\"steps\":[]}]}",
		"\nNo workflow steps specified for \"w\""},
};

/* DIRECTORY for where it really is. */
static struct str
without_directory(struct str said)
{
	struct buf out = {.arena = a};
	struct str here = path_here(a);

	for (;;) {
		size_t at = str_search(said, here);

		buf_str(&out, str_cut(said.p, at));
		if (at == said.n)
			return buf_as_str(&out);
		buf_z(&out, "DIRECTORY");
		said = str_from(said, at + here.n);
	}
}

static void
test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(wrong); i++) {
		struct options o;
		bool ok;
		struct str said =
			parse(wrong[i].version, wrong[i].file, "--preset=x", &o, &ok);
		struct str expected = str_fmt(a,
			"CMake Error: Could not read presets from DIRECTORY:%s\n",
			wrong[i].why);

		if (ok || !str_eq(without_directory(said), expected))
			fail_msg("%u %s\nexpected: %s\nsaid: %.*s", wrong[i].version,
				wrong[i].file, expected.p, STR_ARG(said));
	}
}

/* Each is shown with the line that it is in. */
static void
test_much_wrong(void **state)
{
	enum { MANY = 10000, SHOWN = 100 };
	struct buf text = {.arena = a};
	struct options o;
	struct str said, line;
	size_t shown = 0;
	bool ok;

	(void)state;
	buf_z(&text, "{\"version\":6,\"testPresets\":[");
	for (int i = 0; i < MANY; i++)
		buf_z(&text, i ? ",0" : "0");
	buf_z(&text, "]}");
	said = parse(NEW, buf_as_str(&text).p, "--preset=x", &o, &ok);
	assert_false(ok);
	while (str_take_line(&said, &line))
		shown += str_begins(line, STR("CMakePresets.json:1: Invalid Preset"));
	assert_int_equal(shown, SHOWN);
}

/* ---- what is right --------------------------------------------------------------- */

static struct options
options_of(unsigned version, const char *file)
{
	struct options o;
	bool ok;
	struct str said = parse(version, file, "--preset=x", &o, &ok);

	if (!ok)
		fail_msg("%s\n%.*s", file, STR_ARG(said));
	return o;
}

static void
assert_text(struct str text, const char *expected)
{
	assert_string_equal(str_z(a, text), expected);
}

static void
test_output(void **state)
{
	struct options o = options_of(
		OLD, TEST("\"output\":{\"shortProgress\":true,\"verbosity\":\"extra\","
			  "\"debug\":true,\"outputOnFailure\":true,\"quiet\":true,"
			  "\"outputLogFile\":\"log\",\"outputJUnitFile\":\"junit\","
			  "\"labelSummary\":false,\"subprojectSummary\":false,"
			  "\"maxPassedTestOutputSize\":11,\"maxFailedTestOutputSize\":12,"
			  "\"testOutputTruncation\":\"head\",\"maxTestNameWidth\":13}"));

	(void)state;
	assert_true(o.console.progress && o.console.verbose && o.console.extra_verbose &&
		    o.console.debug);
	assert_true(o.report.output_on_failure && o.console.quiet);
	assert_true(o.report.no_label_summary && o.report.no_subproject_summary);
	assert_text(o.console.output_log, "log");
	assert_text(o.report.junit, "junit");
	assert_int_equal(o.report.output.passed, 11);
	assert_int_equal(o.report.output.failed, 12);
	assert_int_equal(o.report.output.truncation, TRUNCATE_HEAD);
	assert_int_equal(o.report.max_width, 13);
}

static void
test_filter(void **state)
{
	struct options o = options_of(OLD,
		TEST("\"filter\":{\"include\":{\"name\":\"n${presetName}\",\"label\":"
		     "\"l\",\"useUnion\":true,\"index\":{\"start\":2,\"specificTests\":"
		     "[4,5]}},\"exclude\":{\"name\":\"m\",\"label\":\"k\",\"fixtures\":"
		     "{\"any\":\"a\",\"setup\":\"s\",\"cleanup\":\"c\"}}}"));

	(void)state;
	assert_true(o.selection.has_include_name && o.selection.has_exclude_name &&
		    o.selection.use_union);
	assert_text(o.selection.include_name, "nx");
	assert_text(o.selection.exclude_name, "m");
	assert_text(o.selection.include_labels.v[0], "l");
	assert_text(o.selection.exclude_labels.v[0], "k");
	assert_text(o.selection.range, "2,-1,-1,4,5");
	assert_text(o.selection.exclude_fixture, "a");
	assert_text(o.selection.exclude_fixture_setup, "s");
	assert_text(o.selection.exclude_fixture_cleanup, "c");
}

static void
test_execution(void **state)
{
	struct options o = options_of(NEW,
		FILE_OF("12",
			",\"configuration\":\".\\\\D\",\"overwriteConfigurationFile\":"
			"[\"A=${dollar}\"],\"execution\":{\"stopOnFailure\":true,"
			"\"enableFailover\":true,\"jobs\":7,\"resourceSpecFile\":\"r\","
			"\"testLoad\":3,\"showOnly\":\"json-v1\","
			"\"interactiveDebugging\":false,\"scheduleRandom\":true,"
			"\"timeout\":9,\"noTestsAction\":\"error\","
			"\"testPassthroughArguments\":[\"p\",\"q\"]}"));

	(void)state;
	assert_true(o.run.stop_on_failure && o.run.resumes && o.schedule.random);
	assert_true(
		o.run.no_interactive_debug && o.schedule.has_parallel && o.console.quiet);
	assert_int_equal(o.schedule.parallel, 7);
	assert_int_equal(o.schedule.test_load, 3);
	assert_int_equal(o.show_only, SHOW_JSON_V1);
	assert_int_equal(o.run.no_tests, NO_TESTS_ERROR);
	assert_true(o.run.timeout_s == 9);
	assert_text(o.resources.spec_file, "r");
	assert_text(o.configuration, "D");
	assert_int_equal(o.tree.overwrites.n, 2);
	assert_true(str_begins(o.tree.overwrites.v[0], STR("BuildDirectory=/")));
	assert_text(o.tree.overwrites.v[1], "A=$");
	assert_int_equal(o.run.pass_through.n, 2);
	assert_text(o.run.pass_through.v[1], "q");
}

static void
test_repeat(void **state)
{
	struct options o = options_of(OLD,
		TEST("\"execution\":{\"repeat\":{\"mode\":\"until-pass\",\"count\":3}}"));

	(void)state;
	assert_int_equal(o.run.repeat.mode, REPEAT_UNTIL_PASS);
	assert_int_equal(o.run.repeat.count, 3);
	o = options_of(OLD,
		TEST("\"execution\":{\"repeat\":{\"mode\":\"after-timeout\",\"count\":"
		     "-1}}"));
	assert_int_equal(o.run.repeat.mode, REPEAT_AFTER_TIMEOUT);
	assert_int_equal(o.run.repeat.count, 1);
}

static void
test_environment(void **state)
{
	struct options o;

	(void)state;
	setenv("PRESET_OUTER", "outer", 1);
	unsetenv("PRESET_B");
	o = options_of(
		OLD, TEST("\"environment\":{\"PRESET_A\":\"$env{PRESET_B}$$env{X}\","
			  "\"PRESET_B\":\"$penv{PRESET_OUTER}${pathListSep}\","
			  "\"PRESET_OUTER\":null,\"CTEST_PARALLEL_LEVEL\":\"3\"}"));
	assert_int_equal(o.environment.n, 3);
	assert_true(str_is(o.environment.v[0], "PRESET_A=outer:$$env{X}"));
	assert_true(str_is(o.environment.v[1], "PRESET_B=outer:"));
	assert_int_equal(o.schedule.parallel, 3);
	assert_null(getenv("PRESET_A"));
}

/* ---- the choice ------------------------------------------------------------------ */

static void
test_choice(void **state)
{
	static const struct {
		const char *word, *said;
		bool ok;
	} rows[] = {
		{"--preset=y", "CMake Error: No such test preset in DIRECTORY: \"y\"\n",
			false},
		{"--preset=hid",
			"CMake Error: Cannot use hidden test preset in DIRECTORY: "
			"\"hid\"\n",
			false},
		{"--preset=off",
			"CMake Error: Cannot use disabled test preset in DIRECTORY: "
			"\"off\"\n",
			false},
		{"--preset=ven",
			"CMake Error: Could not evaluate test preset \"ven\": Invalid "
			"macro expansion\n",
			false},
		{"--list-presets", "", true},
	};
	static const char list[] =
		"Available test presets:\n\n  \"x\"    - shown\n  \"long\"\n";
	static const char file[] = "{\"version\":6," CONFIGURE ",\"testPresets\":["
				   "{\"name\":\"x\",\"displayName\":\"shown\","
				   "\"configurePreset\":\"c\"},"
				   "{\"name\":\"long\",\"inherits\":\"x\"},"
				   "{\"name\":\"hid\",\"hidden\":true},"
				   "{\"name\":\"off\",\"inherits\":\"x\","
				   "\"condition\":false},"
				   "{\"name\":\"ven\",\"inherits\":\"x\","
				   "\"environment\":{\"A\":\"$vendor{a}\"}}]}";

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct options o;
		bool ok;
		struct str said = parse(OLD, file, rows[i].word, &o, &ok);

		assert_string_equal(without_directory(said).p,
			str_fmt(a, "%s%s", rows[i].said, list).p);
		assert_int_equal(ok, rows[i].ok);
		assert_int_equal(o.help, rows[i].ok ? HELP_PRESETS : HELP_NONE);
	}
}

static void
test_no_value(void **state)
{
	struct options o;
	bool ok;

	(void)state;
	assert_text(parse(OLD, "{}", "--preset", &o, &ok),
		"CMake Error: '--preset' requires an argument\n");
	assert_false(ok);
	assert_text(parse(NEW, "{}", "--preset=", &o, &ok),
		"CMake Error: '--preset' requires an argument\n");
	assert_false(ok);
	assert_text(parse(NEW, "{}", "--presets-file=", &o, &ok),
		"CMake Error: '--presets-file' requires an argument\n");
	assert_false(ok);
}

/* ---- limits ---------------------------------------------------------------------- */

/* Each inherits from the two below it: ctest's visits double with each. */
static void
test_many(void **state)
{
	struct buf text = {.arena = a};

	(void)state;
	buf_z(&text, "{\"version\":6," CONFIGURE ",\"testPresets\":[{\"name\":\"x\","
		     "\"configurePreset\":\"c\",\"inherits\":[\"p1\",\"p2\"]}");
	for (int i = 1; i <= 2000; i++)
		buf_fmt(&text,
			",{\"name\":\"p%d\",\"hidden\":true,\"inherits\":[\"p%d\","
			"\"p%d\"],\"environment\":{\"V%d\":\"$env{V%d}\"}}",
			i, i + 1, i + 2, i % 100, i % 100 + 1);
	buf_z(&text, ",{\"name\":\"p2001\",\"hidden\":true,\"configuration\":\"last\"},"
		     "{\"name\":\"p2002\",\"hidden\":true}]}");
	assert_text(options_of(OLD, buf_as_str(&text).p).configuration, "last");
}

static int
setup(void **state)
{
	(void)state;
	a = arena_open();
	return !mkdtemp(work) || chdir(work) != 0 || setenv("PWD", work, 1) != 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_close(a);
	unlink("CMakePresets.json");
	return chdir("/") != 0 || rmdir(work) != 0;
}

/* What was read for one release is not read again for another. */
static void
test_read_once(void **state)
{
	char program[] = "cctr", word[] = "--preset=x";
	char *argv[] = {program, word, NULL};
	struct dialect older = dialect_of(OLD), newer = dialect_of(NEW);
	const struct presets *first, *second;

	(void)state;
	write_file("CMakePresets.json", TEST("\"description\":\"\""));
	first = presets_read(a, &newer, 2, argv, NULL);
	assert_return_code(unlink("CMakePresets.json"), 0);
	assert_ptr_equal(presets_read(a, &newer, 2, argv, first), first);
	second = presets_read(a, &older, 2, argv, first);
	assert_true(second != first);
	assert_true(str_ends(presets_build_directory(a, second), STR("/b")));
	second = presets_read(a, &older, 2, argv, NULL);
	assert_true(str_is(presets_build_directory(a, second), ""));
	assert_null(presets_read(a, &older, 1, argv, NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_much_wrong),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_execution),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_read_once),
	};

	return run_unit_tests("presets", tests, setup, teardown);
}
