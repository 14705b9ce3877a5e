/*
 * The command line in both generations of the parser. Texts of the old one are those of
 * ctest 3.25; of the new one those of its 4.x manual and releases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/command_line/command_line.h"
#include "compat/command_line/option_table.h"
#include "compat/options/options.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004, WORDS = 32 };

struct parsed {
	struct arena *a;
	struct options o;
	options_messages messages;
	bool ok;
};

/* A space-separated command line; '~' stands for a blank inside a word. */
static struct parsed
parse(unsigned version, const char *line)
{
	struct parsed p = {.a = arena_open()};
	struct dialect d = dialect_of(version);
	char *argv[WORDS] = {(char *)"cctr"};
	struct str rest = str_of(line);
	int argc = 1;

	while (rest.n && argc < WORDS - 1) {
		size_t end = str_find(rest, ' ');
		char *word = (char *)str_z(p.a, str_cut(rest.p, end));

		for (char *c = word; *c; c++)
			*c = *c == '~' ? ' ' : *c;
		argv[argc++] = word;
		rest = str_from(rest, end < rest.n ? end + 1 : end);
	}
	p.ok = command_line_parse(p.a, &d, NULL, argc, argv, &p.o, &p.messages);
	return p;
}

static struct str
said(const struct parsed *p)
{
	struct buf all = {.arena = p->a};

	buf_z(&all, "");
	for (size_t i = 0; i < p->messages.n; i++)
		buf_str(&all, p->messages.v[i].text);
	return buf_as_str(&all);
}

#define BUILD_AND_TEST_INCOMPLETE                                                        \
	"CMake Error: --build-and-test must have source and binary dir\n"
#define MISSPELLED(x, meant)                                                             \
	"CMake Error: Unknown argument: " x "; did you mean " meant "?\n"
#define UNKNOWN(x)                                                                       \
	"CMake Error: Unknown argument: " x "\n"                                         \
	"CMake Error: Run 'ctest --help' for all supported options.\n"

static void
test_errors(void **state)
{
	static const struct {
		unsigned version;
		const char *line;
		bool ok;
		const char *text;
	} rows[] = {
		{OLD, "--repeat", false,
			"CMake Error: '--repeat' requires an argument\n"},
		{OLD, "--repeat x", false,
			"CMake Error: '--repeat' given invalid value 'x'\n"},
		{OLD, "--repeat until-fail:3x", false,
			"CMake Error: '--repeat' given invalid value 'until-fail:3x'\n"},
		{OLD, "--repeat until-fail:", false,
			"CMake Error: '--repeat' given invalid value 'until-fail:'\n"},
		{OLD, "--repeat until-fail:2 --repeat until-pass:2", false,
			"CMake Error: At most one '--repeat' option may be used.\n"},
		{OLD, "--repeat-until-fail 2 --repeat x", false,
			"CMake Error: At most one '--repeat' option may be used.\n"},
		{OLD, "--repeat-until-fail", false,
			"CMake Error: '--repeat-until-fail' requires an argument\n"},
		{OLD, "--repeat-until-fail 2x", false,
			"CMake Error: '--repeat-until-fail' given non-integer value "
			"'2x'\n"},
		{OLD, "--test-dir", false,
			"CMake Error: '--test-dir' requires an argument\n"},
		{OLD, "--output-junit", false,
			"CMake Error: '--output-junit' requires an argument\n"},
		{OLD, "--show-only=", false,
			"CMake Error: '--show-only=' given unknown value ''\n"},
		{OLD, "--schedule=fast", false,
			"CMake Error: '--schedule' given unknown value 'fast', not ctest "
			"or pressure\n"},
		{NEW, "--gpu-backend=arm", false,
			"CMake Error: '--gpu-backend' given unknown value 'arm', not "
			"none, auto, nvidia, amd or intel\n"},
		{OLD, "--control=", false,
			"CMake Error: '--control' requires an argument\n"},
		{NEW, "--schedule=pressure --simulate=file.json", true, ""},
		{NEW, "--schedule=pressure --reserve 4", true, ""},
		{OLD, "--reserve=64", true, ""},
		{OLD, "--reserve=0", false,
			"CMake Error: '--reserve' given '0', not a number from 1 to "
			"64\n"},
		{OLD, "--reserve 65", false,
			"CMake Error: '--reserve' given '65', not a number from 1 to "
			"64\n"},
		{OLD, "--schedule=ctest --simulate", true, ""},
		{OLD, "--no-tests=x", false,
			"CMake Error: '--no-tests=' given unknown value 'x'\n"},
		{OLD, "--test-output-truncation foo", false,
			"CMake Error: Invalid value for '--test-output-truncation': "
			"foo\n"},
		{OLD, "--test-output-size-passed 5x", true,
			"Invalid value for '--test-output-size-passed': 5x\n"},
		{OLD, "-Q --test-output-size-passed 5x", true, ""},
		{OLD, "-foo bar --baz=1", true, ""},
		{3029, "-foo", true, ""},
		{3030, "-foo", false, UNKNOWN("-foo")},
		{3030, "-N foo", true, ""},
		{OLD, "-R", true, ""},
		/* cctr's own: both forms, and no misspelling, in all releases */
		{OLD, "--schedule pressure --simulate file.json", true, ""},
		{OLD, "--private-tmp keep-failed --show-resources json", true, ""},
		{OLD, "--manifest -", true, ""},
		{NEW, "--manifest -", true, ""},
		{NEW, "--manifest -N", false,
			"CMake Error: '--manifest' requires an argument\n"},
		{OLD, "--manifest=", false,
			"CMake Error: '--manifest' requires an argument\n"},
		/* The empty word of a variable that is not set. */
		{OLD, "--manifest  -N", false,
			"CMake Error: '--manifest' requires an argument\n"},
		{NEW, "--resource-pool-file  -N", false,
			"CMake Error: '--resource-pool-file' requires an argument\n"},
		{OLD, "--explain", false,
			"CMake Error: '--explain' requires an argument\n"},
		{OLD, "--private-tmp keep", false,
			"CMake Error: '--private-tmp' given invalid value 'keep'\n"},
		{OLD, "--simulat", false, MISSPELLED("--simulat", "--simulate")},
		{3030, "--shedule=pressure", false,
			MISSPELLED("--shedule=pressure", "--schedule")},
		{NEW, "--affinty", false, MISSPELLED("--affinty", "--affinity")},
		{OLD, "-simulate", false, MISSPELLED("-simulate", "--simulate")},
		{OLD, "--affinity=on", false,
			"CMake Error: '--affinity' takes no value: --affinity=on\n"},
		/* nearer to an option of ctest's, near to none, or another letter first
		 */
		{OLD, "--schedule-rando --overwrit --resource-spec-fil", true, ""},
		{OLD, "--no-tests error --module --source=x --reverse -s - -rb", true,
			""},
		{OLD, "alloc gpus:1", false,
			"CMake Error: Unknown command: alloc; did you mean -R alloc?\n"},
		{NEW, "alloc", false,
			"CMake Error: Unknown command: alloc; did you mean -R alloc?\n"},
		{OLD, "-V alloc", true, ""},
		{NEW, "./alloc", true, ""},
		{OLD, "--preset", false,
			"CMake Error: '--preset' requires an argument\n"},
		{NEW, "--preset=", false,
			"CMake Error: '--preset' requires an argument\n"},
		{OLD, "-DA=1 -D B:STRING=2", true, ""},
		/* glued it defines, and is passed over where it does not */
		{OLD, "-Dx", true, ""},
		{NEW, "-DNightly", true, ""},
		{NEW, "--version=x", false, UNKNOWN("--version=x")},
		{OLD, "--test-command", true, ""},
		{NEW, "--test-command", false, UNKNOWN("--test-command")},
		{NEW, "--test-command -R", true, ""},
		{OLD, "--tests-from-file x", true, ""},
		{3029, "--tests-from-file x --http-header y", true, ""},
		{NEW, "--tests-from-file", false,
			"CMake Error: Invalid value used with --tests-from-file\n"},
		{NEW, "-O -V", false, "CMake Error: Invalid value used with -O\n"},
		{NEW, "--source-dir", false,
			"CMake Error: '--source-dir' requires an argument\n"},
		{OLD, "--source-dir", true, ""},
		{3030, "--source-dir", false, UNKNOWN("--source-dir")},
		{OLD, "--stop-time noon --overwrite a=b --debug -F", true, ""},
		{OLD, "--test-load x", true, "Invalid value for 'Test Load' : x\n"},
		{OLD, "-Q --test-load x --overwrite y", true, ""},
		{OLD, "--overwrite y", true,
			"CTest configuration overwrite specified in the wrong format.\n"
			"Valid format is: --overwrite key=value\n"
			"The specified was: --overwrite y\n"},
		{NEW, "--test-command a --nonsense -- -N", true, ""},
		{NEW, "--build-options --nonsense --build-target t", true, ""},
		{NEW, "--build-options x --test-command --nonsense", true, ""},
		{OLD, "--build-and-test", true, ""},
		{OLD, "--build-and-test a", false,
			"--build-and-test must have source and binary dir\n"
			"Problem parsing command line arguments within a handler"},
		{OLD, "-Q --build-and-test a", false, ""},
		{NEW, "--build-and-test", false, BUILD_AND_TEST_INCOMPLETE},
		{NEW, "--build-and-test a", false, BUILD_AND_TEST_INCOMPLETE},
		{NEW, "--build-and-test a -N", false, BUILD_AND_TEST_INCOMPLETE},
		{NEW, "--build-generator", false,
			"CMake Error: Invalid value used with --build-generator\n"},
		{NEW, "-- --nonsense", true, ""},
		{3030, "--", false, UNKNOWN("--")},
		{NEW, "-R", false, "CMake Error: Invalid value used with -R\n"},
		{NEW, "-R -foo", false, "CMake Error: Invalid value used with -R\n"},
		{NEW, "-R=", false, "CMake Error: Invalid value used with -R\n"},
		{NEW, "-R -", false, "CMake Error: Invalid value used with -R\n"},
		{NEW, "-j=", false, "CMake Error: Invalid value used with -j\n"},
		{NEW, "-j +3 -j~4 --schedule-random-seed=+1", true, ""},
		{NEW, "-j=4~", false, "CMake Error: '-j' given invalid value '4 '\n"},
		{NEW, "--show-only=", false,
			"CMake Error: Invalid value used with --show-only\n"},
		{NEW, "--tests-regex", false,
			"CMake Error: Invalid value used with --tests-regex\n"},
		{NEW, "--repeat-until-fail", false,
			"CMake Error: '--repeat-until-fail' requires an argument\n"},
		{NEW, "--repeat", false,
			"CMake Error: Invalid value used with --repeat\n"},
		{NEW, "-N=1", false, UNKNOWN("-N=1")},
		{NEW, "--nonsense", false, UNKNOWN("--nonsense")},
		{NEW, "-j foo", false, "CMake Error: '-j' given invalid value 'foo'\n"},
		{NEW, "--parallel=foo", false,
			"CMake Error: '--parallel' given invalid value 'foo'\n"},
		{NEW, "-j4x", false, "CMake Error: '-j' given invalid value '4x'\n"},
		{NEW, "--no-tests x", false,
			"CMake Error: '--no-tests=' given unknown value 'x'\n"},
		{NEW, "-N stray words", true, ""},
		{NEW, "--force-new-ctest-process", true, ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct parsed p = parse(rows[i].version, rows[i].line);

		assert_string_equal(said(&p).p, rows[i].text);
		assert_int_equal(p.ok, rows[i].ok);
		arena_close(p.a);
	}
}

static void
test_values_of_names(void **state)
{
	static const struct {
		unsigned version;
		const char *line;
		bool has;
		const char *include;
		bool lists;
	} rows[] = {
		{OLD, "-R a", true, "a", false},
		{OLD, "-R a -R b", true, "b", false},
		{OLD, "--tests-regex a", true, "a", false},
		{OLD, "-R -N", true, "-N", false},
		{OLD, "-R=a", false, "", false},
		{OLD, "-N -R", false, "", true},
		{NEW, "-R=a", true, "a", false},
		{NEW, "-R=-a", true, "-a", false},
		{NEW, "-R=~a", true, "a", false},
		{NEW, "-R  -N", false, "", true},
		{OLD, "-R  -N", true, "", true},
		{NEW, "-R~a", true, "a", false},
		{NEW, "-R -1", true, "-1", false},
		{NEW, "--tests-regex=a=b", true, "a=b", false},
		{NEW, "-U -R x", true, "x", false},
		{NEW, "--show-only -R x", true, "x", true},
		{NEW, "--show-only human -R x", true, "x", true},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct parsed p = parse(rows[i].version, rows[i].line);

		assert_true(p.ok);
		assert_int_equal(p.o.selection.has_include_name, rows[i].has);
		assert_true(str_is(p.o.selection.include_name, rows[i].include));
		assert_int_equal(p.o.show_only == SHOW_HUMAN, rows[i].lists);
		arena_close(p.a);
	}
}

static void
test_parallel(void **state)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	size_t usual = online < 2 ? 2 : (size_t)online;
	const struct {
		unsigned version;
		const char *line, *environment;
		size_t jobs;
	} rows[] = {
		{OLD, "", NULL, 1},
		{OLD, "-j4", NULL, 4},
		{OLD, "-j 4", NULL, 4},
		{OLD, "--parallel 4", NULL, 4},
		{OLD, "-j -R x", NULL, 1},
		{OLD, "-j", NULL, 1},
		{OLD, "-j0", NULL, 1},
		{OLD, "-j 2x", NULL, 2},
		{OLD, "-N", "6", 6},
		{OLD, "-N", "x", 1},
		{OLD, "-N", "", 1},
		{OLD, "-j2", "6", 2},
		{3029, "-j", NULL, usual},
		{3029, "-j -R x", NULL, usual},
		{3029, "-j 4", NULL, 4},
		{NEW, "-j", NULL, usual},
		{NEW, "-j0", NULL, 65536},
		{NEW, "-j 3 -N", NULL, 3},
		{NEW, "-j -N", NULL, usual},
		{NEW, "--parallel=3", NULL, 3},
		{NEW, "-N", "", usual},
		{NEW, "-N", " ", usual},
		{NEW, "-N", "x", 1},
		{NEW, "-N", "0", 65536},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct parsed p;

		if (rows[i].environment)
			setenv("CTEST_PARALLEL_LEVEL", rows[i].environment, 1);
		else
			unsetenv("CTEST_PARALLEL_LEVEL");
		p = parse(rows[i].version, rows[i].line[0] ? rows[i].line : "-N");
		assert_true(p.ok);
		assert_int_equal(p.o.schedule.parallel, rows[i].jobs);
		arena_close(p.a);
	}
	unsetenv("CTEST_PARALLEL_LEVEL");
}

/* One of each kind of setter, and the defaults beside it. */
static void
test_all_kinds(void **state)
{
	struct parsed p = parse(
		OLD, "-C ./.\\Debug -VV -L a -L b --repeat until-pass:3 --timeout 1.5x");

	(void)state;
	assert_true(p.ok);
	assert_true(str_is(p.o.configuration, "./Debug"));
	assert_true(
		p.o.console.verbose && p.o.console.extra_verbose && !p.o.console.quiet);
	assert_int_equal(p.o.selection.include_labels.n, 2);
	assert_true(str_is(p.o.selection.include_labels.v[1], "b"));
	assert_int_equal(p.o.run.repeat.mode, REPEAT_UNTIL_PASS);
	assert_int_equal(p.o.run.repeat.count, 3);
	assert_true(p.o.run.timeout_s > 1.4 && p.o.run.timeout_s < 1.6);
	assert_int_equal(p.o.report.max_width, 30);
	assert_int_equal(p.o.report.output.passed, 1024);
	assert_int_equal(p.o.report.output.failed, 307200);
	assert_int_equal(p.o.run.no_tests, NO_TESTS_LEGACY);
	arena_close(p.a);
	p = parse(OLD, "--show-only=json-v1 --test-output-truncation head -W 7");
	assert_int_equal(p.o.show_only, SHOW_JSON_V1);
	assert_true(p.o.console.quiet);
	assert_int_equal(p.o.report.output.truncation, TRUNCATE_HEAD);
	assert_int_equal(p.o.report.max_width, 7);
	arena_close(p.a);
	p = parse(OLD, "--repeat until-fail:1 --interactive-debug-mode 0");
	assert_int_equal(p.o.run.repeat.mode, REPEAT_NEVER);
	assert_true(p.o.run.no_interactive_debug);
	arena_close(p.a);
}

/* Options that take what stands behind them. */
static void
test_rest(void **state)
{
	struct parsed p = parse(NEW, "-R a -- -N --test-command x");

	(void)state;
	assert_true(p.ok);
	assert_int_equal(p.o.show_only, SHOW_NOTHING);
	assert_int_equal(p.o.run.pass_through.n, 3);
	assert_true(str_is(p.o.run.pass_through.v[2], "x"));
	arena_close(p.a);
	p = parse(OLD, "--test-command x -N");
	assert_int_equal(p.o.show_only, SHOW_NOTHING);
	arena_close(p.a);
	p = parse(OLD, "--build-options x --build-target y -N");
	assert_int_equal(p.o.show_only, SHOW_HUMAN);
	arena_close(p.a);
	p = parse(OLD, "--overwrite a=b --overwrite c=d --test-load 7 -F -O log");
	assert_int_equal(p.o.tree.overwrites.n, 2);
	assert_true(str_is(p.o.tree.overwrites.v[1], "c=d"));
	assert_int_equal(p.o.schedule.test_load, 7);
	assert_true(p.o.run.resumes && str_is(p.o.console.output_log, "log"));
	arena_close(p.a);
}

static void
test_build_and_test(void **state)
{
	struct parsed p = parse(OLD,
		"--build-target a --build-and-test -s b --build-noclean --build-target b "
		"--build-options -DX -N --build-target c --test-timeout 1.5x "
		"--build-options y --test-command d --build-target e");

	(void)state;
	assert_true(p.ok && p.o.build.is_asked);
	assert_true(str_is(p.o.build.source, "-s") && str_is(p.o.build.binary, "b"));
	assert_int_equal(p.o.build.targets.n, 3);
	assert_true(str_is(p.o.build.targets.v[2], "c"));
	assert_int_equal(p.o.build.options.n, 3);
	assert_true(str_is(p.o.build.options.v[2], "y"));
	assert_int_equal(p.o.build.test_command.n, 3);
	assert_true(p.o.build.no_clean && !p.o.build.no_cmake);
	assert_true(p.o.build.timeout_s == 1.5);
	arena_close(p.a);
	p = parse(
		NEW, "--build-and-test a b c -N --build-generator=x --build-two-config");
	assert_true(p.ok && p.o.build.is_asked && p.o.build.two_config);
	assert_true(str_is(p.o.build.generator, "x"));
	arena_close(p.a);
}

static void
test_environment(void **state)
{
	struct parsed p;

	(void)state;
	setenv("CTEST_OUTPUT_ON_FAILURE", "no", 1);
	setenv("CTEST_NO_TESTS_ACTION", "error", 1);
	p = parse(OLD, "-N");
	assert_false(p.o.report.output_on_failure);
	assert_int_equal(p.o.run.no_tests, NO_TESTS_LEGACY);
	arena_close(p.a);
	setenv("CTEST_OUTPUT_ON_FAILURE", "maybe", 1);
	p = parse(NEW, "-N");
	assert_true(p.o.report.output_on_failure);
	assert_int_equal(p.o.run.no_tests, NO_TESTS_ERROR);
	arena_close(p.a);
	setenv("CTEST_NO_TESTS_ACTION", "what", 1);
	p = parse(NEW, "--no-tests=ignore");
	assert_true(p.ok && p.o.run.no_tests == NO_TESTS_IGNORE);
	arena_close(p.a);
	p = parse(NEW, "-N");
	assert_false(p.ok);
	assert_string_equal(
		said(&p).p, "Unknown value for CTEST_NO_TESTS_ACTION: 'what'");
	arena_close(p.a);
	unsetenv("CTEST_NO_TESTS_ACTION");
	unsetenv("CTEST_OUTPUT_ON_FAILURE");
}

static void
test_peek(void **state)
{
	char *argv[] = {(char *)"cctr", (char *)"--compat-version=3.25",
		(char *)"--test-dir", (char *)"b", (char *)"--test-dirs=c"};
	struct str version, directory;

	(void)state;
	command_line_peek(NULL, 5, argv, &version, &directory);
	assert_true(str_is(version, "3.25"));
	assert_true(str_is(directory, "b"));
	command_line_peek(NULL, 1, argv, &version, &directory);
	assert_int_equal(version.n + directory.n, 0);
}

static size_t
count_of(struct str text, struct str what)
{
	size_t n = 0, at;

	for (; (at = str_search(text, what)) < text.n; n++)
		text = str_from(text, at + what.n);
	return n;
}

static void
test_documentation(void **state)
{
	static const struct {
		const char *line;
		bool ok;
		enum help_request help;
		const char *begins;
	} rows[] = {
		{"-R --version", true, HELP_VERSION, "cctr version "},
		{"/V", true, HELP_VERSION, "cctr version "},
		{"--version=full", true, HELP_VERSION_FULL, "cctr version "},
		{"--foo -h", true, HELP_USAGE, "Usage\n\n  cctr [options]\n\nOptions\n"},
		{"--version --help-diagnostics", true, HELP_VERSION, "cctr version "},
		{"--version --help", true, HELP_VERSION, "cctr version "},
		/* until 4.2 no word of ctest's */
		{"--version=json-v1", true, HELP_NONE, ""},
	};
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		p = parse(OLD, rows[i].line);
		assert_int_equal(p.ok, rows[i].ok);
		assert_int_equal(p.o.help, rows[i].help);
		assert_true(str_begins(said(&p), str_of(rows[i].begins)));
		arena_close(p.a);
	}
	p = parse(OLD, "--version --help");
	assert_true(str_has(said(&p), STR(")\n\n\nUsage\n")));
	assert_true(str_search(said(&p), STR("\n  --print-labels ")) <
		    str_search(said(&p), STR("\nOptions of cctr alone: which tests\n")));
	assert_true(str_search(said(&p), STR("\n  --manifest ")) >
		    str_search(said(&p), STR("\nOptions of cctr alone: which tests\n")));
	assert_int_equal(count_of(said(&p), STR("\nOptions of cctr alone: ")), 8);
	assert_false(str_has(said(&p), STR(OWN_MARK)));
	arena_close(p.a);
}

static struct str
version_said(struct arena *a, unsigned version, const char *program, const char *option)
{
	struct dialect d = dialect_of(version);
	char *argv[] = {(char *)program, (char *)option};
	struct options o;
	options_messages messages = {0};

	assert_true(command_line_parse(a, &d, NULL, 2, argv, &o, &messages));
	assert_int_equal(messages.n, 1);
	assert_false(messages.v[0].to_stderr);
	return messages.v[0].text;
}

/* Called as ctest it says what scripts look for. */
static void
test_called_ctest(void **state)
{
	struct arena *a = arena_open();
	struct str text = version_said(a, OLD, "/usr/bin/ctest", "--version");

	(void)state;
	assert_true(str_begins(text, STR("ctest version 3.25.1\n\nCMake suite")));
	arena_close(a);
}

#define RELEASE_4_4                                                                      \
	"    \"version\" : \n"                                                           \
	"    {\n"                                                                        \
	"      \"major\" : 4,\n"                                                         \
	"      \"minor\" : 4,\n"                                                         \
	"      \"patch\" : 2,\n"                                                         \
	"      \"string\" : \"4.4.2\"\n"                                                 \
	"    }\n"                                                                        \
	"  },\n"

/* The same document, as who it was called. */
static void
test_version_json(void **state)
{
	static const char *const spellings[] = {"--version=json-v1", "-version=json-v1",
		"/V=json-v1", "/version=json-v1"};
	static const char end[] =
		"  \"program\" : \n"
		"  {\n"
		"    \"name\" : \"ctest\",\n" RELEASE_4_4 "  \"version\" : \n"
		"  {\n"
		"    \"major\" : 1,\n"
		"    \"minor\" : 0\n"
		"  }\n"
		"}\n";
	static const char ours[] =
		"{\n"
		"  \"ctest\" : \n"
		"  {\n"
		"    \"name\" : \"ctest\",\n" RELEASE_4_4 "  \"dependencies\" : \n"
		"  [\n"
		"    {\n"
		"      \"name\" : \"libuv\",\n"
		"      \"type\" : \"system\",\n";
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(spellings); i++) {
		struct str text = version_said(a, NEW, "/opt/bin/ctest", spellings[i]);
		struct str own = version_said(a, NEW, "cctr", spellings[i]);

		assert_true(str_begins(text, STR("{\n  \"dependencies\" : \n")));
		assert_true(str_ends(text, STR(end)));
		assert_true(str_begins(own, STR(ours)));
		assert_true(str_has(own, STR("\"name\" : \"cctr\"")));
		assert_false(str_has(own, STR("without")));
	}
	arena_close(a);
}

static void
test_lost(void **state)
{
	static const unsigned versions[] = {OLD, NEW};
	char here[4096], *argv[] = {(char *)"cctr"};

	(void)state;
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir("/proc/self/fd"), 0);
	for (size_t i = 0; i < 2; i++) {
		struct arena *a = arena_open();
		struct dialect d = dialect_of(versions[i]);
		struct options o;
		options_messages messages = {0};

		assert_int_equal(
			command_line_parse(a, &d, NULL, 1, argv, &o, &messages), i == 0);
		assert_int_equal(o.help, HELP_USAGE);
		assert_true(str_has(messages.v[0].text,
			STR("*\nNo test configuration file found!\n*")));
		assert_true(str_is(messages.v[1].text, "Usage\n\n  ctest [options]\n\n"));
		arena_close(a);
	}
	assert_int_equal(chdir(here), 0);
}

/* The table: spellings are unique in a dialect. */
static void
test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *row = &option_rows[i];

		assert_int_equal(row->names[0][0], '-');
		for (size_t k = 0; k < i && row->summary; k++)
			assert_string_not_equal(row->names[0], option_rows[k].names[0]);
	}
}

static void
test_help_fits(void **state)
{
	struct arena *a = arena_open();
	struct dialect d = dialect_of(NEW);
	const struct option_parse p = {.a = a, .dialect = &d};
	struct str rest = option_help_text(&p, HELP_USAGE, "cctr");

	(void)state;
	assert_true(str_has(rest, STR("\n  -V, --verbose                = Show")));
	assert_true(str_has(rest, STR("\n  -j [<jobs>], --parallel [<jobs>]\n"
				      "                               = How")));
	while (rest.n) {
		size_t end = str_find(rest, '\n');

		assert_true(end <= 77);
		rest = str_from(rest, end + 1);
	}
	arena_close(a);
}

#define WORD(text, m, value)                                                             \
	{                                                                                \
		text, offsetof(struct options, m), value                                 \
	}
/* The table has the words as text, and the enumerators are in their order. */
static void
test_words(void **state)
{
	static const struct {
		const char *line;
		size_t offset;
		int value;
	} rows[] = {
		WORD("--script-host=cmake", script.evaluator, EVALUATED_BY_CMAKE),
		WORD("--script-host=ctest", script.evaluator, EVALUATED_BY_CTEST),
		WORD("--schedule=ctest", schedule.order, SCHEDULE_CTEST),
		WORD("--schedule=pressure", schedule.order, SCHEDULE_PRESSURE),
		WORD("--resource-placement=spread", resources.placement, PACK_SPREAD),
		WORD("--resource-placement=pack", resources.placement, PACK_TIGHT),
		WORD("--resource-environment=ctest", resources.style,
			RESOURCE_STYLE_CTEST),
		WORD("--resource-environment=cctr", resources.style, RESOURCE_STYLE_CCTR),
		WORD("--resource-environment=canary", resources.style,
			RESOURCE_STYLE_CANARY),
		WORD("--no-resource-spec=unlimited", resources.no_spec,
			NO_SPEC_UNLIMITED),
		WORD("--no-resource-spec=serial", resources.no_spec, NO_SPEC_SERIAL),
		WORD("--no-resource-spec=auto", resources.no_spec, NO_SPEC_AUTO),
		WORD("--ui=auto", console.ui, UI_AUTO),
		WORD("--ui=live", console.ui, UI_LIVE),
		WORD("--ui=plain", console.ui, UI_PLAIN),
		WORD("--annotations=github", report.annotations, ANNOTATE_GITHUB),
		WORD("--annotations=gitlab", report.annotations, ANNOTATE_GITLAB),
		WORD("--annotations=auto", report.annotations, ANNOTATE_AUTO),
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct parsed p = parse(OLD, rows[i].line);
		int *found = (int *)(void *)((char *)&p.o + rows[i].offset);

		if (!p.ok || *found != rows[i].value)
			fail_msg("%s: %d", rows[i].line, *found);
		arena_close(p.a);
	}
}

/* The last of the words counts. */
static void
test_switches(void **state)
{
	struct parsed p =
		parse(OLD, "--control=on --control=off --insufficient-resources=skip "
			   "--insufficient-resources=fail --gpu-backend=amd");

	(void)state;
	assert_true(p.ok && p.o.run.no_control && !p.o.resources.skip_insufficient);
	assert_true(str_is(p.o.resources.gpu_backend, "amd"));
	arena_close(p.a);
	p = parse(OLD, "--control=off --control=on --insufficient-resources=skip");
	assert_true(p.ok && !p.o.run.no_control && p.o.resources.skip_insufficient);
	arena_close(p.a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_values_of_names),
		cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_all_kinds),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_build_and_test),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_peek),
		cmocka_unit_test(test_documentation),
		cmocka_unit_test(test_called_ctest),
		cmocka_unit_test(test_version_json),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_help_fits),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_switches),
	};

	unsetenv("CTEST_PARALLEL_LEVEL");
	unsetenv("CTEST_NO_TESTS_ACTION");
	unsetenv("CTEST_OUTPUT_ON_FAILURE");
	return run_unit_tests("options", tests, NULL, NULL);
}
