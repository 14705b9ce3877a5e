/* Paths as CMake reads them, by both rules for slashes that follow each other. */
#include <stdlib.h>

#include "compat/format/unix_path.h"
#include "tests/unit/unit.h"

static void
both_rules(void **state)
{
	static const struct {
		const char *path, *slashes[2], *directory[2]; /* until 4.0, since */
	} rows[] = {
		{"", {"", ""}, {"", ""}},
		{"a", {"a", "a"}, {"", ""}},
		{"a/b/", {"a/b", "a/b"}, {"a", "a"}},
		{"/", {"/", "/"}, {"/", "/"}},
		{"\\a\\b", {"/a/b", "/a/b"}, {"/a", "/a"}},
		{"\\ ", {"/ ", "/ "}, {"/", "/"}},
		{"//a", {"//a", "//a"}, {"/", "/"}},
		{"//", {"/", "//"}, {"/", "/"}},
		{"///a", {"//a", "/a"}, {"/", "/"}},
		{"\\/\\a", {"///a", "/a"}, {"//", "/"}},
		{"a//b", {"a/b", "a/b"}, {"a", "a"}},
		{"a////b", {"a//b", "a/b"}, {"a/", "a"}},
		{"a\\\\b", {"a//b", "a/b"}, {"a/", "a"}},
		{"a\\\\", {"a/", "a"}, {"a", ""}},
		{"c:/", {"c:/", "c:/"}, {"c:/", "c:/"}},
		{"c:\\b", {"c:/b", "c:/b"}, {"c:/", "c:/"}},
		{"~", {"/my/home", "/my/home"}, {"/my", "/my"}},
		{"~\\x", {"/my/home/x", "/my/home/x"}, {"/my/home", "/my/home"}},
		{"~root/x/y", {"/root/x/y", "/root/x/y"}, {"/root/x", "/root/x"}},
		{"~no such user/x", {"~no such user/x", "~no such user/x"},
			{"~no such user", "~no such user"}},
		{"x/~", {"x/~", "x/~"}, {"x", "x"}},
	};
	static const int releases[] = {3031, 4000};
	struct arena *a = arena_open();

	(void)state;
	setenv("HOME", "/my/home", 1);
	for (size_t i = 0; i < ROWS(rows); i++) {
		for (size_t k = 0; k < 2; k++) {
			struct dialect d = dialect_of(releases[k]);
			struct str path = str_of(rows[i].path);

			assert_string_equal(
				str_z(a, unix_slashes(a, &d, path)), rows[i].slashes[k]);
			assert_string_equal(str_z(a, unix_directory(a, &d, path)),
				rows[i].directory[k]);
		}
	}
	arena_close(a);
}

static void
homes(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	unsetenv("HOME");
	assert_null(unix_home(a, STR("~")));
	assert_null(unix_home(a, STR("~no such user")));
	assert_string_equal(unix_home(a, STR("~root")), "/root");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_rules),
		cmocka_unit_test(homes),
	};

	return run_unit_tests("unix_path", tests, NULL, NULL);
}
