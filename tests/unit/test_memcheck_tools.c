/* compat/memcheck_tools: which checker a configuration asks for, and its words. */
#include <stdlib.h>
#include <unistd.h>

#include "compat/console/console.h"
#include "compat/dashboard/memcheck/memcheck_tools.h"
#include "compat/settings/configuration.h"
#include "runner/base/atomic_file.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

/* '~' stands for a folder with files of these names. */
static const char *const names[] = {"valgrind", "drmemory", "purify", "BC",
	"compute-sanitizer", "x", "drmemoryvalgrind", "known"};

static struct str
placed(struct arena *a, const char *text, const char *folder)
{
	struct buf b = {.arena = a};

	for (; *text; text++)
		if (*text == '~')
			buf_z(&b, folder);
		else
			buf_char(&b, *text);
	return buf_as_str(&b);
}

static const struct {
	const char *configuration;
	const char *line; /* NULL: there is none, and that is said */
	const char *said;
} rows[] = {
	{"", NULL,
		"Memory checker (MemoryCheckCommand) not set, or cannot find the "
		"specified "
		"program.\n"},
	{"MemoryCheckCommand: ~/none\n", NULL,
		"Memory checker (MemoryCheckCommand) not set, or cannot find the "
		"specified "
		"program.\n"},
	{"MemoryCheckCommand: ~/x\n", NULL, "Do not understand memory checker: ~/x\n"},
	{"MemoryCheckCommand: ~/x\nMemoryCheckType: valgrind\n", NULL,
		"Do not understand memory checker: ~/x\n"},
	{"MemoryCheckCommand: ~/x\nValgrindCommand: ~/x\n", NULL,
		"Do not understand memory checker: ~/x\n"},
	{"MemoryCheckCommand: ~/valgrind\nMemoryCheckSuppressionFile: ~/none\n", NULL,
		"Cannot find memory checker suppression file: ~/none\n"},
	{"MemoryCheckCommand: ~/valgrind\n",
		"~/valgrind \"--log-file=/t/MemoryChecker.7.log\" \"-q\" "
		"\"--tool=memcheck\" \"--leak-check=yes\" \"--show-reachable=yes\" "
		"\"--num-callers=50\"",
		""},
	{"MemoryCheckCommand: ~/drmemoryvalgrind\nMemoryCheckCommandOptions: 'a b' c\n",
		"~/drmemoryvalgrind \"--log-file=/t/MemoryChecker.7.log\" \"a b\" \"c\"",
		""},
	{"MemoryCheckCommand: ~/valgrind\nMemoryCheckSuppressionFile: ~/known\n"
	 "ValgrindCommandOptions: -q\nMemoryCheckType: DrMemory\n",
		"~/valgrind \"--log-file=/t/MemoryChecker.7.log\" \"-q\" "
		"\"--suppressions=~/known\"",
		""},
	{"ValgrindCommand: ~/x\nMemoryCheckCommandOptions: a\nValgrindCommandOptions: "
	 "b\n",
		"~/x \"--log-file=/t/MemoryChecker.7.log\" \"a\"", ""},
	{"ValgrindCommand: ~/x\nPurifyCommand: ~/x\nPurifyCommandOptions: a\n",
		"~/x \"-log-file=/t/MemoryChecker.7.log\"", ""},
	{"MemoryCheckCommand: ~/BC\nMemoryCheckCommandOptions: a\n",
		"~/BC \"/B\" \"/t/MemoryChecker.7.DPbd\" \"/X\" "
		"\"/t/MemoryChecker.7.log\" "
		"\"a\" \"/M\"",
		""},
	{"CudaSanitizerCommand: ~/x\n",
		"~/x \"--log-file\" \"/t/MemoryChecker.7.log\" \"--tool\" \"memcheck\" "
		"\"--leak-check\" \"full\"",
		""},
	{"MemoryCheckCommand: ~/x\nMemoryCheckType: CudaSanitizer\n"
	 "CudaSanitizerCommandOptions: a\n",
		"~/x \"--log-file\" \"/t/MemoryChecker.7.log\" \"a\"", ""},
};

static void
open_folder(char *folder)
{
	struct arena *a = arena_open();

	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < ROWS(names); i++)
		assert_true(file_write(
			a, str_fmt(a, "%s/%s", folder, names[i]).p, ".tmp", STR("")));
	arena_close(a);
}

static void
close_folder(const char *folder)
{
	struct arena *a = arena_open();

	for (size_t i = 0; i < ROWS(names); i++)
		unlink(str_fmt(a, "%s/%s", folder, names[i]).p);
	rmdir(folder);
	arena_close(a);
}

struct chosen {
	struct memcheck memcheck;
	bool is_there;
	struct buf said;
};

static struct chosen
choose(struct arena *a, struct str text)
{
	struct chosen c = {.memcheck = {.wrapper.type = &memcheck_wrapper_type,
				   .directory = STR("/t")},
		.said = {.arena = a}};
	struct buf out = {.arena = a};
	struct console_options o = {0};
	struct dialect dialect = dialect_of(3025);
	struct configuration configuration = {.arena = a, .keys = map_in(a)};
	struct console *console = console_open(
		a, &o, &dialect, &(struct console_capture){&out, &c.said, false, false});

	text_file(a, "DartConfiguration.tcl", text);
	configuration_load_into(&configuration, text_folder(), STR(""));
	c.is_there = memcheck_wrapper_type.choose(
		&c.memcheck.wrapper, a, &configuration, console);
	console_close(console);
	return c;
}

static void
chooses(void **state)
{
	char folder[] = "/tmp/cctr-test-XXXXXX";
	struct arena *a = arena_open();

	(void)state;
	open_folder(folder);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct chosen c = choose(a, placed(a, rows[i].configuration, folder));
		struct str line = STR("");

		assert_int_equal(c.is_there, rows[i].line != NULL);
		if (c.is_there)
			line = memcheck_wrapper_type.line(&c.memcheck.wrapper, a,
				memcheck_wrapper_type.words(&c.memcheck.wrapper, a, 7));
		else
			assert_string_equal(c.said.p, placed(a, rows[i].said, folder).p);
		if (c.is_there && !str_eq(line, placed(a, rows[i].line, folder)))
			fail_msg("%s\n%.*s", rows[i].configuration, STR_ARG(line));
	}
	close_folder(folder);
	arena_close(a);
}

/* One word holds all options of a sanitizer, and is shown without quotes. */
static void
tells_sanitizers(void **state)
{
	static const char word[] = "ASAN_OPTIONS=log_path='/t/MemoryChecker.3.log':"
				   "suppressions=s:a=b c d e";
	struct arena *a = arena_open();
	struct chosen c = choose(a,
		STR("MemoryCheckType: AddressSanitizer\nMemoryCheckSuppressionFile: s\n"
		    "MemoryCheckSanitizerOptions: a=b\n"
		    "MemoryCheckCommandOptions: c 'd e'\n"));
	struct str_list words;

	(void)state;
	assert_true(c.is_there);
	words = memcheck_wrapper_type.words(&c.memcheck.wrapper, a, 3);
	assert_int_equal(words.n, 4);
	assert_true(str_is(words.v[1], "-E"));
	assert_true(str_is(words.v[2], "env"));
	assert_true(str_is(words.v[3], word));
	assert_true(str_ends(
		memcheck_wrapper_type.line(&c.memcheck.wrapper, a, words), str_of(word)));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses),
		cmocka_unit_test(tells_sanitizers),
	};

	return run_unit_tests("memcheck_tools", tests, NULL, NULL);
}
