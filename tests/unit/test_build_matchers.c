/* compat/build_matchers: what is an error and what a warning in a build's output. */
#include "tests/unit/plain_rules.h"
#include "tests/unit/unit.h"

static const struct {
	const char *line;
	enum build_line kind;
} lines[] = {
	{"", BUILD_PLAIN},
	{"[ 50%] Building C object CMakeFiles/t.dir/t.c.o", BUILD_PLAIN},
	{"cc -Werror -Wall -o warning error.c", BUILD_PLAIN},
	{"t.c: In function 'main':", BUILD_PLAIN},
	{"t.c:3:5: error: expected ';'", BUILD_ERROR},
	{"t.c:3:5: warning: unused variable", BUILD_WARNING},
	{"t.c:3:5: note: here", BUILD_WARNING},
	{"t.c:3: note: here", BUILD_WARNING},
	{"t.c:3:5: fatal error: x.h: No such file or directory", BUILD_ERROR},
	{"t.c:3: something", BUILD_ERROR},
	{"t.c:3: warning: something", BUILD_WARNING},
	{"t.c:3: Warning: something", BUILD_WARNING},
	{"make: *** [all] Error 2", BUILD_ERROR},
	{"make[1]: *** [Makefile:7: all] Error 2", BUILD_PLAIN},
	{"make[1]: *** [Makefile2:7: all] Error 2", BUILD_ERROR},
	{"gmake[2]: *** [CMakeFiles/t.dir/build.make:76: t.c.o] Error 1", BUILD_ERROR},
	{"make: *** No rule to make target 'x'.  Stop.", BUILD_ERROR},
	{"Makefile:3: *** missing separator.  Stop.", BUILD_PLAIN},
	{"t.c:(.text+0x5): undefined reference to `f'", BUILD_ERROR},
	{"collect2: error: ld returned 1 exit status", BUILD_ERROR},
	{"collect2: ld returned 1 exit status", BUILD_ERROR},
	{"/usr/bin/ld: cannot find -lx", BUILD_ERROR},
	{"sh: 1: Syntax error: redirection unexpected", BUILD_PLAIN},
	{"sh: ./x: Permission denied", BUILD_ERROR},
	{"Segmentation fault (core dumped)", BUILD_ERROR},
	{" Segmentation fault", BUILD_PLAIN},
	{"Bus error", BUILD_ERROR},
	{"ninja: error: loading 'build.ninja'", BUILD_ERROR},
	{"ninja: build stopped: subcommand failed.", BUILD_PLAIN},
	{"FAILED: t.c.o", BUILD_PLAIN},
	{"CMake Error at CMakeLists.txt:3 (message):", BUILD_ERROR},
	{"CMake Warning at CMakeLists.txt:3 (message):", BUILD_WARNING},
	{"CMake Warning (dev) at CMakeLists.txt:3 (message):", BUILD_WARNING},
	{"[ERROR] maven", BUILD_ERROR},
	{"[WARNING] maven", BUILD_WARNING},
	{"\033[31mt.c:3:5:\033[0m \033[1merror\033[m: bad", BUILD_ERROR},
	{"\033[1;35mt.c:3:5: warn\033[0ming: bad", BUILD_WARNING},
	{"\033[Kt.c:3: bad", BUILD_ERROR},
	{"a\033[K: error", BUILD_ERROR},
	{"a: \033[Kerror", BUILD_PLAIN},
	{"C:\\x\\t.cpp(12): warning C4996: 'x'", BUILD_WARNING},
	{"C:\\x\\t.cpp(12) : error C2065: 'x'", BUILD_ERROR},
	{"t.obj : fatal error LNK1120: 1 unresolved externals", BUILD_ERROR},
	{"\"t.f\", line 7: syntax", BUILD_ERROR},
	{"\"t.f\", line 7: Warning: syntax", BUILD_WARNING},
	{"\"t.c\", line 7.3: 1506-045 (S) Undeclared", BUILD_ERROR},
	{"\"t.c\", line 7.3: 1506-045 (W) Undeclared", BUILD_WARNING},
	{"lcc: \"t.c\", line 3: warning #1", BUILD_WARNING},
	{"lcc: \"t.c\", line 3: error #1", BUILD_ERROR},
	{"ld: 0711-224 WARNING: Duplicate symbol", BUILD_WARNING},
	{"warning:  Clock skew detected.  Your build may be incomplete.", BUILD_PLAIN},
	{"make: warning:  Clock skew detected.  Your build may be incomplete.",
		BUILD_PLAIN},
	{"f_with_warning_C: warning: x", BUILD_PLAIN},
	{"------ Build started: x ------: error y", BUILD_PLAIN},
	{"Warning: x", BUILD_WARNING},
	{"Warnung: x", BUILD_WARNING},
	{"a warning", BUILD_PLAIN},
	{": warning", BUILD_PLAIN},
	{"x: warning", BUILD_WARNING},
};

static void
test_lines(void **state)
{
	struct arena *a = arena_open();
	struct custom custom = custom_of(a, NULL, 0);
	struct buf complaint = {.arena = a};
	struct build_matchers *m = build_matchers_open(a, &custom, &complaint);
	struct match_set *set = match_set_open(a, regex_parse);

	(void)state;
	assert_int_equal(complaint.n, 0);
	for (size_t i = 0; i < ROWS(lines); i++) {
		struct str line = str_of(lines[i].line);
		enum build_line kind = build_matchers_judge(m, line, true, true);

		if (kind != lines[i].kind)
			print_message("# %s\n", lines[i].line);
		assert_int_equal(kind, lines[i].kind);
		assert_int_equal(kind, plain_rules_judge(a, set, STR(""), line));
	}
	match_set_close(set);
	build_matchers_close(m);
	arena_close(a);
}

/* An exception to an error is no exception to a warning. */
static void
test_what_is_looked_for(void **state)
{
	struct arena *a = arena_open();
	struct custom custom = custom_of(a, NULL, 0);
	struct buf complaint = {.arena = a};
	struct build_matchers *m = build_matchers_open(a, &custom, &complaint);
	const struct str error = STR("t.c:3: boom"), both = STR("t.c:3: Error: warning");
	const struct str warning = STR("t.c:3: warning: w");

	(void)state;
	assert_int_equal(build_matchers_judge(m, error, true, false), BUILD_ERROR);
	assert_int_equal(build_matchers_judge(m, error, false, true), BUILD_PLAIN);
	assert_int_equal(build_matchers_judge(m, both, true, true), BUILD_WARNING);
	assert_int_equal(build_matchers_judge(m, both, true, false), BUILD_PLAIN);
	assert_int_equal(build_matchers_judge(m, warning, true, false), BUILD_PLAIN);
	assert_int_equal(build_matchers_judge(m, warning, false, true), BUILD_WARNING);
	assert_int_equal(build_matchers_judge(m, warning, false, false), BUILD_PLAIN);
	build_matchers_close(m);
	arena_close(a);
}

static void
test_custom(void **state)
{
	static const struct variable variables[] = {
		{STR("CTEST_CUSTOM_ERROR_MATCH"), STR("[0-9]+ broken;^(bad|worse)$;(")},
		{STR("CTEST_CUSTOM_ERROR_EXCEPTION"), STR("t[.]c:[0-9]")},
		{STR("CTEST_CUSTOM_WARNING_MATCH"), STR(".*hm.*;x*")},
		{STR("CTEST_CUSTOM_WARNING_EXCEPTION"), STR("^[^!]*$")},
	};
	static const struct {
		const char *line;
		enum build_line kind;
	} rows[] = {
		{"12 broken", BUILD_ERROR},
		{"broken", BUILD_PLAIN},
		{"bad", BUILD_ERROR},
		{"worse", BUILD_ERROR},
		{"bad!", BUILD_WARNING},
		{"hm", BUILD_PLAIN},
		{"!", BUILD_WARNING},
		{"t.c:3: error: x!", BUILD_WARNING},
		{"t.c:x: error: x", BUILD_ERROR},
	};
	struct arena *a = arena_open();
	struct custom custom = custom_of(a, variables, ROWS(variables));
	struct buf complaint = {.arena = a};
	struct build_matchers *m = build_matchers_open(a, &custom, &complaint);

	(void)state;
	assert_true(str_begins(buf_as_str(&complaint),
		STR("RegularExpression::compile(): Unmatched parentheses.")));
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_int_equal(
			build_matchers_judge(m, str_of(rows[i].line), true, true),
			rows[i].kind);
	build_matchers_close(m);
	arena_close(a);
}

static void
test_places(void **state)
{
	static const struct {
		const char *message, *file;
		int line;
	} rows[] = {
		{"a/b.c:12:3: error: x", "a/b.c", 12},
		{"/.../b c.c:12: x", "/.../b c.c", 12},
		{"b.c:x: y", NULL, 0},
		{" C:\\b.c(7): x", " C:\\b.c", 7},
		{"1>b.c(7) : x", "b.c", 7},
		{"cc: \"b.f\", line 9: x", "b.f", 9},
		{"cc-1 CC: WARNING File = b.c, Line = 3", "b.c", 3},
		{"Warning W1 b.c 4: x", "b.c", 4},
		{"lcc: \"b,c\", line 5: error", "b,c", 5},
		{"\033[1mb.c:3: x", NULL, 0},
		{"b.c:99999999999: x", "b.c", 1215752191},
	};
	struct arena *a = arena_open();
	struct custom custom = custom_of(a, NULL, 0);
	struct buf complaint = {.arena = a};
	struct build_matchers *m = build_matchers_open(a, &custom, &complaint);

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str file = STR_NONE;
		int line = 0;
		bool found =
			build_matchers_place(m, str_of(rows[i].message), &file, &line);

		assert_int_equal(found, rows[i].file != NULL);
		if (found) {
			assert_true(str_is(file, rows[i].file));
			assert_int_equal(line, rows[i].line);
		}
	}
	build_matchers_close(m);
	arena_close(a);
}

static void
test_colours(void **state)
{
	static const struct {
		const char *line, *expression; /* for the line without colours */
	} rows[] = {
		{"", "^$"},
		{"a", "^a$"},
		{"\033[0;31ma\033[m", "^a$"},
		{"\033[0;31;a", "^\033[[]0[;]31[;]a$"},
		{"\033\033[1mb\033[", "^\033b\033[[]$"},
		{"\033", "^\033$"},
		{"\033[;;m", "^$"},
	};
	struct arena *a = arena_open();
	struct buf complaint = {.arena = a};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str own = str_of(rows[i].expression);
		struct custom custom = custom_of(a, NULL, 0);
		struct build_matchers *m;

		custom.error_match = (struct str_list){&own, 1};
		m = build_matchers_open(a, &custom, &complaint);
		assert_int_equal(
			build_matchers_judge(m, str_of(rows[i].line), true, false),
			BUILD_ERROR);
		build_matchers_close(m);
	}
	assert_int_equal(complaint.n, 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_what_is_looked_for),
		cmocka_unit_test(test_custom),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_colours),
	};

	return run_unit_tests("build_matchers", tests, NULL, NULL);
}
