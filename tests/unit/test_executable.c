/* Where executables are looked for. The lists are those of ctest 3.25. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/launch/executable.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *arena;
	struct dialect dialect;
	char directory[64];
};

static void
make(struct fixture *f, const char *name, int mode)
{
	const char *path = str_fmt(f->arena, "%s/%s", f->directory, name).p;
	struct str parent = path_parent(str_of(path));

	assert_true(directory_make(f->arena, str_z(f->arena, parent)));
	assert_true(file_write(f->arena, path, ".tmp", STR("")));
	assert_int_equal(chmod(path, (mode_t)mode), 0);
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = arena_open();
	f->dialect = dialect_of(3025);
	strcpy(f->directory, "/tmp/cctr-executable-XXXXXX");
	*state = f;
	if (!mkdtemp(f->directory))
		return -1;
	make(f, "sub/prog", 0600);
	make(f, "Debug/only", 0700);
	make(f, "Debug/sub/deep", 0700);
	make(f, "one/tool", 0600);
	make(f, "two/tool", 0700);
	make(f, "two/sub/x", 0700);
	make(f, "a b", 0700);
	assert_int_equal(
		symlink("nowhere", str_fmt(f->arena, "%s/dangling", f->directory).p), 0);
	assert_int_equal(symlink("sub", str_fmt(f->arena, "%s/link", f->directory).p), 0);
	setenv("PATH", str_fmt(f->arena, "%s/one::%s/two", f->directory, f->directory).p,
		1);
	setenv("HOME", f->directory, 1);
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	setenv("PATH", "/usr/bin:/bin", 1);
	snprintf(command, sizeof command, "rm -rf '%s'", f->directory);
	arena_close(f->arena);
	free(f);
	return system(command) == 0 ? 0 : -1;
}

/* found: below the directory, NULL when it is not. */
static void
found_and_not(void **state)
{
	static const struct {
		const char *configuration, *word, *directory, *found;
	} rows[] = {
		{"", "sub/prog", "", "/sub/prog"},
		{"", "./sub/../sub/prog", "", "/sub/prog"},
		{"", "../sub/prog", "/one", "/sub/prog"},
		{"", "prog", "/sub", "/sub/prog"},
		{"", "prog", "/link", "/sub/prog"},
		{"", "link/prog", "", "/link/prog"},
		{"", "only", "", "/Debug/only"},
		{"Debug", "only", "", "/Debug/only"},
		{"Release", "only", "", NULL},
		{"", "sub/deep", "", NULL},
		{"Debug", "sub/deep", "", "/Debug/sub/deep"},
		{"", "~/sub/prog", "", "/sub/prog"},
		{"", "/sub/prog", "", "/sub/prog"},
		{"", "tool", "", "/two/tool"},
		{"", "tool", "/one", "/one/tool"},
		{"", "sub/x", "", NULL},
		{"", "sub", "", NULL},
		{"", "dangling", "", NULL},
		{"", ".", "", NULL},
		{"", "tool/", "", NULL},
		{"", "", "", NULL},
		{"", "a b", "", "/a b"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct executable_finder *finder = executable_finder_new(f->arena,
			&f->dialect, str_of(rows[i].configuration), path_here(f->arena));
		struct str directory =
			str_fmt(f->arena, "%s%s", f->directory, rows[i].directory);
		const struct executable *e =
			executable_find(finder, str_of(rows[i].word), directory);

		assert_false(e->not_available);
		assert_ptr_equal(
			e, executable_find(finder, str_of(rows[i].word), directory));
		if (!rows[i].found) {
			assert_int_equal(e->path.n, 0);
			assert_true(e->search.n > 0);
			continue;
		}
		assert_string_equal(e->path.p,
			str_fmt(f->arena, "%s%s", f->directory, rows[i].found).p);
		assert_int_equal(e->search.n, 0);
	}
}

static void
absolute_words(void **state)
{
	struct fixture *f = *state;
	struct executable_finder *finder = executable_finder_new(
		f->arena, &f->dialect, STR(""), path_here(f->arena));
	const char *word = str_fmt(f->arena, "/%s/./sub/prog", f->directory).p;

	assert_string_equal(executable_find(finder, str_of(word), STR("/"))->path.p,
		str_fmt(f->arena, "/%s/sub/prog", f->directory).p);
	word = str_fmt(f->arena, "/%s/./sub//prog", f->directory).p;
	assert_string_equal(executable_find(finder, str_of(word), STR("/"))->path.p,
		str_fmt(f->arena, "%s/sub/prog", f->directory).p);
	assert_string_equal(executable_find(finder, str_of(word + 1), STR("/"))->path.p,
		str_fmt(f->arena, "%s/sub/prog", f->directory).p);
}

#define TWICE(x) x "\n" x "\n"
#define HEAD(x) "Could not find executable " x "\nLooked in the following places:\n"
#define FOLDERS(d, n)                                                                    \
	TWICE(d "Release/" n)                                                            \
	TWICE(d "Debug/" n)                                                              \
	TWICE(d "MinSizeRel/" n)                                                         \
	TWICE(d "RelWithDebInfo/" n)                                                     \
	TWICE(d "Deployment/" n) TWICE(d "Development/" n)

static void
places(void **state)
{
	static const struct {
		const char *configuration, *word, *search;
	} rows[] = {
		{"", "nope", HEAD("nope") TWICE("nope") FOLDERS("", "nope")},
		{"", "x/nope", HEAD("x/nope") TWICE("x/nope") FOLDERS("x/", "nope")},
		{"", "/nope",
			HEAD("/nope") TWICE("/nope") FOLDERS("/", "nope") TWICE("nope")
				FOLDERS("", "nope")},
		{"C", "nope", HEAD("nope") TWICE("nope") TWICE("C/nope") TWICE("C/nope")},
		{"C", "/x/nope",
			HEAD("/x/nope") TWICE("/x/nope") TWICE("/x/C/nope")
				TWICE("C//x/nope") TWICE("x/nope") TWICE("x/C/nope")
					TWICE("C/x/nope")},
		{"C/D", "./nope",
			HEAD("./nope") TWICE("./nope") TWICE("./C/D/nope")
				TWICE("C/D/./nope")},
		{"", "x/", HEAD("x/") TWICE("") FOLDERS("", "")},
		{"C", "/",
			HEAD("/") TWICE("/") TWICE("/C/") TWICE("C//") TWICE("")
				TWICE("C/") TWICE("C/")},
		{"C", "\\t\\y",
			HEAD("\\t\\y") TWICE("/t/\\t\\y") TWICE("/t/C/\\t\\y")
				TWICE("C//t/\\t\\y") TWICE("t/\\t\\y") TWICE("t/C/\\t\\y")
					TWICE("C/t/\\t\\y")},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct executable_finder *finder = executable_finder_new(f->arena,
			&f->dialect, str_of(rows[i].configuration), path_here(f->arena));

		assert_string_equal(executable_find(finder, str_of(rows[i].word),
					    str_of(f->directory))
					    ->search.p,
			rows[i].search);
	}
}

static void
appears_later(void **state)
{
	struct fixture *f = *state;
	struct executable_finder *finder = executable_finder_new(
		f->arena, &f->dialect, STR(""), path_here(f->arena));
	struct str here = str_of(f->directory);

	assert_int_equal(executable_find(finder, STR("late"), here)->path.n, 0);
	make(f, "late", 0700);
	assert_int_equal(executable_find(finder, STR("late"), here)->path.n, 0);
	executable_finder_again(finder);
	assert_true(executable_find(finder, STR("late"), here)->path.n > 0);
}

static void
not_available(void **state)
{
	struct fixture *f = *state;
	struct executable_finder *finder = executable_finder_new(
		f->arena, &f->dialect, STR(""), path_here(f->arena));
	const struct executable *e =
		executable_find(finder, STR("NOT_AVAILABLE"), str_of(f->directory));

	assert_true(e->not_available);
	assert_int_equal(e->search.n, 0);
}

/* The build tree is shown by the name that the user's shell has for it. */
static void
logical_names(void **state)
{
	struct fixture *f = *state;
	struct executable_finder *finder;
	const char *logical = str_fmt(f->arena, "%s/link", f->directory).p;
	char before[4096];

	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(logical), 0);
	setenv("PWD", logical, 1);
	finder = executable_finder_new(
		f->arena, &f->dialect, STR(""), path_here(f->arena));
	assert_string_equal(executable_find(finder, STR("prog"), str_of(logical))->path.p,
		str_fmt(f->arena, "%s/prog", logical).p);
	assert_int_equal(chdir(before), 0);
	setenv("PWD", before, 1);
}

/* From 4.0 on by that of the test's directory, and up behind a link is where it leads. */
static void
names_as_given(void **state)
{
	static const struct {
		const char *directory, *word, *found;
	} rows[] = {
		{"/link", "prog", "/link/prog"},
		{"/sub/.././link/", "./prog", "/link/prog"},
		{"", "link/../sub/prog", "/sub/prog"},
		{"", "far/../there", "/away/there"},
		{"/far", "../there", "/away/there"},
		{"/far/..", "there", "/away/there"},
		{"/far", "in/../thing", "/far/thing"},
		{"/missing", "prog", NULL},
	};
	struct fixture *f = *state;
	struct executable_finder *finder;

	make(f, "away/there", 0700);
	make(f, "away/deep/thing", 0700);
	make(f, "away/deep/in/any", 0700);
	assert_int_equal(
		symlink("away/deep", str_fmt(f->arena, "%s/far", f->directory).p), 0);
	f->dialect = dialect_of(4000);
	finder = executable_finder_new(
		f->arena, &f->dialect, STR(""), path_here(f->arena));
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str directory =
			str_fmt(f->arena, "%s%s", f->directory, rows[i].directory);
		struct str path =
			executable_find(finder, str_of(rows[i].word), directory)->path;

		assert_string_equal(path.p,
			rows[i].found
				? str_fmt(f->arena, "%s%s", f->directory, rows[i].found).p
				: "");
	}
}

static void
command_lines(void **state)
{
	struct fixture *f = *state;
	const struct str arguments[] = {STR("x y"), STR("q\"q"), STR("")};

	assert_string_equal(
		executable_command_line(f->arena, STR("/a b/c"), arguments, 3).p,
		"/a\\ b/c \"x y\" \"q\"q\" \"\"");
	assert_int_equal(executable_command_line(f->arena, STR(""), NULL, 0).n, 0);
	assert_string_equal(
		executable_command_line(f->arena, STR(""), arguments, 1).p, " \"x y\"");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(found_and_not, setup, teardown),
		cmocka_unit_test_setup_teardown(absolute_words, setup, teardown),
		cmocka_unit_test_setup_teardown(places, setup, teardown),
		cmocka_unit_test_setup_teardown(appears_later, setup, teardown),
		cmocka_unit_test_setup_teardown(not_available, setup, teardown),
		cmocka_unit_test_setup_teardown(logical_names, setup, teardown),
		cmocka_unit_test_setup_teardown(names_as_given, setup, teardown),
		cmocka_unit_test_setup_teardown(command_lines, setup, teardown),
	};

	return run_unit_tests("executable", tests, NULL, NULL);
}
