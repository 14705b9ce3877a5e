/*
 * Build trees read natively, by cmake, and as cctr chooses: all three must declare the
 * same. A row holds the files of a tree and what is declared; where natively is not
 * possible, the choice is tested to be cmake for that directory only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/format/regex.h"
#include "manifests/bridge/testfile.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/model/model.h"
#include "tests/unit/unit.h"

enum { MOST_FILES = 4 };
struct file {
	const char *path, *text;
};

/* Declared: "+directory|words" add_test, "=" set_tests_properties, "#" directory labels,
 * "$" environment, "!" a message's text; the tree's own folder is "@". */
struct row {
	struct file files[MOST_FILES];
	const char *declared;
};

#define ODD "execute_process(COMMAND true)\n"

static const struct row rows[] = {
	{{{"other", ""}}, ""},
	{{{"CTestTestfile.cmake", "add_test(a b \"c;d\" \"\")\n"}}, "+@|a|b|c;d|\n"},
	{{{"DartTestfile.txt", "add_test(a b)\n"}}, "+@|a|b\n"},
	{{{"DartTestfile.txt", "add_test(a b)\n"},
		 {"CTestTestfile.cmake", "add_test(c d)\n"}},
		"+@|c|d\n"},
	{{{"CTestTestfile.cmake",
		 "add_test(a b)\nset_tests_properties(a x PROPERTIES K v)\n"
		 "set_directory_properties(PROPERTIES A b LABELS \"l;m\")\n"}},
		"+@|a|b\n=@|a|x|PROPERTIES|K|v\n#@|l;m\n"},
	/* directories: relative, missing; add_subdirectory always below */
	{{{"CTestTestfile.cmake", "subdirs(s nosuch)\nadd_test(a b)\n"},
		 {"s/CTestTestfile.cmake", "add_test(c d)\nsubdirs(../t)\n"},
		 {"t/CTestTestfile.cmake", "add_test(e f)\n"}},
		"+@/s|c|d\n+@/t|e|f\n+@|a|b\n"},
	{{{"CTestTestfile.cmake", "add_subdirectory(/s t)\n"},
		 {"s/CTestTestfile.cmake", "add_test(c d)\n"},
		 {"t/CTestTestfile.cmake", "add_test(e f)\n"}},
		"+@/s|c|d\n"},
	/* variables and the environment reach what is read later */
	{{{"CTestTestfile.cmake",
		  "set(V 1)\nset(W 1)\nset(ENV{CCTR_T} \"x\ny\")\nsubdirs(s u t)\n"},
		 {"s/CTestTestfile.cmake",
			 "add_test(s ${V} \"$ENV{CCTR_T}\")\nset(V \"2;3\")\n"},
		 {"u/CTestTestfile.cmake", "unset(W)\nunset(ENV{CCTR_T})\n"},
		 {"t/CTestTestfile.cmake", "add_test(t \"${V}|${W}|$ENV{CCTR_T}\")\n"}},
		"$|CCTR_T|x\ny\n+@/s|s|1|x\ny\n$|CCTR_T\n+@/t|t|2;3||\n"},
};

struct tree {
	struct arena *a;
	struct str root;
	const struct file *files;
	struct match_set *patterns;
	struct declarations out;
	struct diag d;
};

static struct tree
grow(const struct file *files)
{
	struct tree t = {.a = arena_open(), .files = files};
	char *root = (char *)str_z(t.a, STR("/tmp/cctr-test-XXXXXX"));

	assert_non_null(mkdtemp(root));
	t.root = str_of(root);
	t.d = diag_in(t.a);
	t.patterns = match_set_open(t.a, regex_parse);
	for (int i = 0; i < MOST_FILES && files[i].path; i++) {
		struct str path = path_join(t.a, t.root, str_of(files[i].path));

		assert_true(directory_make(t.a, str_z(t.a, path_parent(path))));
		assert_true(file_write(t.a, path.p, ".tmp", str_of(files[i].text)));
	}
	return t;
}

static void
fell(struct tree *t)
{
	declarations_close(&t->out);
	for (int i = MOST_FILES - 1; i >= 0; i--) {
		struct str path;

		if (!t->files[i].path)
			continue;
		path = path_join(t->a, t->root, str_of(t->files[i].path));
		unlink(path.p);
		rmdir(str_z(t->a, path_parent(path)));
	}
	rmdir(t->root.p);
	match_set_close(t->patterns);
	arena_close(t->a);
}

static struct source_request
request_of(struct tree *t)
{
	struct dialect *dialect = NEW(t->a, struct dialect);

	*dialect = dialect_of(3025);
	return (struct source_request){.path = t->root,
		.share = path_join(t->a, path_here(t->a), STR("cmake")),
		.dialect = dialect,
		.patterns = t->patterns};
}

static bool
load(struct tree *t, const char *choice)
{
	struct source_request r = request_of(t);
	bool loaded;

	setenv("CCTR_MANIFEST", choice, 1);
	loaded = testfile_source.load(t->a, &r, &t->out, &t->d);
	unsetenv("CCTR_MANIFEST");
	return loaded;
}

static void
add_local(struct buf *b, const struct tree *t, struct str s)
{
	if (str_begins(s, t->root)) {
		buf_char(b, '@');
		s = str_from(s, t->root.n);
	}
	buf_str(b, s);
}

static const char *
dump(const struct tree *t)
{
	static const char letters[] = {[DECLARE_TEST] = '+',
		[DECLARE_PROPERTIES] = '=',
		[DECLARE_DIRECTORY_LABELS] = '#',
		[DECLARE_ENVIRONMENT] = '$',
		[DECLARE_MESSAGE] = '!',
		[DECLARE_OWN_PROPERTIES] = '*'};
	struct buf b = {.arena = t->a};

	buf_z(&b, "");
	for (size_t i = 0; i < t->out.list.n; i++) {
		const struct declaration *d = &t->out.list.v[i];

		buf_char(&b, letters[d->kind]);
		if (d->kind != DECLARE_ENVIRONMENT)
			add_local(&b, t, d->directory);
		for (size_t k = 0; k < d->words.n; k++) {
			buf_char(&b, '|');
			add_local(&b, t, d->words.v[k]);
		}
		buf_char(&b, '\n');
	}
	return b.p;
}

static bool
has_cmake(void)
{
	return system("cmake -P /dev/null >/dev/null 2>&1") == 0;
}

static void
compare(const char *choice)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct tree t = grow(rows[i].files);

		assert_true(load(&t, choice));
		assert_int_equal(t.d.errors, 0);
		assert_string_equal(dump(&t), rows[i].declared);
		fell(&t);
	}
}

static void
reads_natively(void **state)
{
	(void)state;
	compare("native");
}

static void
reads_with_cmake(void **state)
{
	(void)state;
	if (!has_cmake())
		SKIP_TEST("no cmake");
	compare("cmake");
}

static void
cmake_reads_the_odd_directory_only(void **state)
{
	static const struct file files[MOST_FILES] = {
		{"CTestTestfile.cmake", "add_test(a b)\nsubdirs(odd)\nadd_test(c d)\n"},
		{"odd/CTestTestfile.cmake", "add_test(x y)\n" ODD "subdirs(plain)\n"},
		{"odd/plain/CTestTestfile.cmake", "add_test(e f)\n"},
	};
	static const bool is_native[] = {true, false, true, true};
	struct tree t;

	(void)state;
	if (!has_cmake())
		SKIP_TEST("no cmake");
	t = grow(files);
	assert_true(load(&t, ""));
	assert_string_equal(dump(&t), "+@|a|b\n+@/odd|x|y\n+@/odd/plain|e|f\n+@|c|d\n");
	/* Only the native reader knows lines. */
	for (size_t i = 0; i < t.out.list.n; i++)
		assert_int_equal(
			declaration_place(&t.out.list.v[i]).line > 0, is_native[i]);
	fell(&t);
}

/* What was declared before the file turned out to be odd must not be there twice. */
static void
nothing_is_done_twice(void **state)
{
	static const struct file files[MOST_FILES] = {
		{"CTestTestfile.cmake",
			"message(once)\nset(ENV{CCTR_T} \"$ENV{CCTR_T}x\")\nadd_test(a "
			"b)\n" ODD "add_test(c $ENV{CCTR_T})\n"},
	};
	struct tree t;

	(void)state;
	if (!has_cmake())
		SKIP_TEST("no cmake");
	t = grow(files);
	assert_true(load(&t, ""));
	assert_string_equal(dump(&t), "!@|once\n\n$|CCTR_T|x\n+@|a|b\n+@|c|x\n");
	fell(&t);
}

struct failing_row {
	const char *choice;
	struct file files[MOST_FILES];
	size_t errors; /* in the diagnostics; what cmake says is declared */
	const char *ends; /* of the dump */
};

static const struct failing_row failing[] = {
	{"native", {{"CTestTestfile.cmake", "message(a)\n" ODD "message(b)\n"}}, 1, ""},
	/* a fatal error ends it all, also the files around; another is only remembered */
	{"",
		{{"CTestTestfile.cmake", "message(x)\nsubdirs(s)\nmessage(after)\n"},
			{"s/CTestTestfile.cmake", ODD "message(FATAL_ERROR stop)\n"}},
		0,
		"  stop\nCall Stack (most recent call first):\n"
		"  CTestTestfile.cmake:2 (subdirs)\n\n\n\n"},
	{"",
		{{"CTestTestfile.cmake", "subdirs(s)\nmessage(after)\n"},
			{"s/CTestTestfile.cmake",
				ODD "message(SEND_ERROR x)\nadd_test(a b)\n"}},
		0, "+@/s|a|b\n!@|after\n"},
	{"", {{"CTestTestfile.cmake", ODD "add_test(a b)\nnosuch()\n"}}, 0,
		"  Unknown CMake command \"nosuch\".\n\n\n\n"},
};

static void
failures_end_the_run(void **state)
{
	(void)state;
	if (!has_cmake())
		SKIP_TEST("no cmake");
	for (size_t i = 0; i < ROWS(failing); i++) {
		struct tree t = grow(failing[i].files);

		assert_false(load(&t, failing[i].choice));
		assert_int_equal(t.d.errors, failing[i].errors);
		if (!str_ends(str_of(dump(&t)), str_of(failing[i].ends)))
			assert_string_equal(dump(&t), failing[i].ends);
		fell(&t);
	}
}

static void
finds_the_resource_spec(void **state)
{
	static const struct file files[MOST_FILES] = {
		{"CTestTestfile.cmake", "set(CTEST_RESOURCE_SPEC_FILE spec.json)\n"}};
	static const char *const choices[] = {"native", "cmake"};

	(void)state;
	for (int i = 0; i < 1 + has_cmake(); i++) {
		struct tree t = grow(files);

		assert_true(load(&t, choices[i]));
		assert_true(str_is(t.out.resource_spec_file, "spec.json"));
		fell(&t);
	}
}

/* ---- CTestCustom ----------------------------------------------------------------- */

struct custom_row {
	struct file files[MOST_FILES];
	bool is_good;
	const char *variables; /* "name=value\n" */
	const char *said; /* the last message */
};

static const struct custom_row customs[] = {
	{{{"other", ""}}, true, "", NULL},
	{{{"CTestCustom.cmake", "set(OTHER 1)\nset(CTEST_CUSTOM_TESTS_IGNORE a b)\n"}},
		true, "CTEST_CUSTOM_TESTS_IGNORE=a;b\n", NULL},
	{{{"CTestCustom.ctest", "message(x)\nset(CTEST_TIME_LIMIT 2)\n"}}, true,
		"CTEST_TIME_LIMIT=2\n", "x"},
	{{{"CTestCustom.cmake",
		  "set(CTEST_CUSTOM_TESTS_IGNORE a)\nset(ENV{CCTR_T} set)\n"},
		 {"CTestCustom.ctest", "set(CTEST_TIME_LIMIT 2)\n"}},
		true, "CTEST_CUSTOM_TESTS_IGNORE=a\nENV CCTR_T=set\n", NULL},
	{{{"CTestCustom.cmake", ODD "set(CTEST_CUSTOM_TESTS_IGNORE \"a;b\")\n"}}, true,
		"CTEST_CUSTOM_TESTS_IGNORE=a;b\n", NULL},
	{{{"CTestCustom.cmake", "set(CTEST_TIME_LIMIT 2)\nmessage(SEND_ERROR x)\n"}},
		false, "CTEST_TIME_LIMIT=2\n",
		"Problem reading custom configuration: @/CTestCustom.cmake"},
	/* there are no tests in it */
	{{{"CTestCustom.cmake", "add_test(a b)\n"}}, false, "",
		"Problem reading custom configuration: @/CTestCustom.cmake"},
};

static void
reads_custom_files(void **state)
{
	(void)state;
	if (!has_cmake())
		SKIP_TEST("no cmake");
	for (size_t i = 0; i < ROWS(customs); i++) {
		struct tree t = grow(customs[i].files);
		struct source_request r = request_of(&t);
		struct buf b = {.arena = t.a}, said = {.arena = t.a};
		struct settings_file found;

		assert_int_equal(
			testfile_custom(t.a, &r, &found, &t.d), customs[i].is_good);
		buf_z(&b, "");
		for (size_t k = 0; k < found.n; k++)
			buf_fmt(&b, "%.*s=%.*s\n", STR_ARG(found.variables[k].name),
				STR_ARG(found.variables[k].value));
		for (size_t k = 0; k < found.environment_n; k++)
			buf_fmt(&b, "%s%.*s=%.*s\n",
				found.environment[k].unset ? "unset " : "ENV ",
				STR_ARG(found.environment[k].name),
				STR_ARG(found.environment[k].value));
		assert_string_equal(b.p, customs[i].variables);
		if (customs[i].said) {
			struct str text = t.d.entries.v[t.d.entries.n - 1].text;
			size_t at = str_search(text, t.root);

			buf_add(&said, text.p, at);
			if (at < text.n)
				add_local(&said, &t, str_from(text, at));
			assert_string_equal(said.p, customs[i].said);
		} else {
			assert_int_equal(t.d.entries.n, 0);
		}
		fell(&t);
	}
	assert_null(getenv("CCTR_T"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_natively),
		cmocka_unit_test(reads_with_cmake),
		cmocka_unit_test(cmake_reads_the_odd_directory_only),
		cmocka_unit_test(nothing_is_done_twice),
		cmocka_unit_test(failures_end_the_run),
		cmocka_unit_test(finds_the_resource_spec),
		cmocka_unit_test(reads_custom_files),
	};

	return run_unit_tests("testfile", tests, NULL, NULL);
}
