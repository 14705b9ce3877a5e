/* Which ctest: versions read, features by release, where the choice comes from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/cmakelang/dialect.h"
#include "tests/unit/unit.h"

static void
test_versions(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		unsigned version, patch;
	} rows[] = {
		{"3.25", true, 3025, 1},
		{"4.4", true, 4004, 2},
		{"3.31", true, 3031, 0},
		{"3.25.0", true, 3025, 0},
		{" 4.0.3\n", true, 4000, 3},
		{" ", false, 0, 0},
		{"4", false, 0, 0},
		{"4.", false, 0, 0},
		{"4.4.", false, 0, 0},
		{".4", false, 0, 0},
		{"4.4.2.1", false, 0, 0},
		{"4.x", false, 0, 0},
		{"-3.25", false, 0, 0},
		{"3.1000", false, 0, 0},
	};

	struct arena *a = arena_open();
	struct diag messages = diag_in(a);

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct dialect d = {0};
		bool ok = dialect_choose(
			&d, a, str_of(rows[i].text), NULL, STR(""), &messages);

		assert_int_equal(ok, rows[i].ok);
		assert_int_equal(d.version, rows[i].version);
		assert_int_equal(d.patch, rows[i].patch);
	}
	arena_close(a);
}

static void
test_features(void **state)
{
	static const struct {
		enum dialect_feature feature;
		unsigned version;
		bool has;
	} rows[] = {
		{DIALECT_PASSED_OUT_OF, 3025, false},
		{DIALECT_PASSED_OUT_OF, 4003, false},
		{DIALECT_PASSED_OUT_OF, 4004, true},
		{DIALECT_PASSED_OUT_OF, 9001, true},
		{DIALECT_FAILED_LABELS, 3030, false},
		{DIALECT_FAILED_LABELS, 3031, true},
		{DIALECT_CONFIGURATION_LINE_TWICE, 3010, true},
		{DIALECT_CONFIGURATION_LINE_TWICE, 3031, true},
		{DIALECT_CONFIGURATION_LINE_TWICE, 4000, false},
		{DIALECT_CONFIGURE_NAMES_DIRECTORIES, 3025, false},
		{DIALECT_CONFIGURE_NAMES_DIRECTORIES, 3026, true},
		{DIALECT_SUBMIT_NEEDS_200, 3025, false},
		{DIALECT_SUBMIT_NEEDS_200, 3026, true},
		{DIALECT_GENERATOR_ERROR_ENDS_LINE, 3025, false},
		{DIALECT_GENERATOR_ERROR_ENDS_LINE, 3026, true},
		{DIALECT_CONFIGURE_MAKES_DIRECTORY, 3031, false},
		{DIALECT_CONFIGURE_MAKES_DIRECTORY, 4000, true},
		{DIALECT_MISSING_SCRIPT_EXITS_1, 4000, false},
		{DIALECT_MISSING_SCRIPT_EXITS_1, 4001, true},
		{DIALECT_STOP_TIME_AM_PM, 4000, false},
		{DIALECT_STOP_TIME_AM_PM, 4001, true},
		{DIALECT_CONFIGURE_OPTIONS_LAST, 4003, false},
		{DIALECT_CONFIGURE_OPTIONS_LAST, 4004, true},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct dialect d = dialect_of(rows[i].version);

		assert_int_equal(d.has[rows[i].feature], rows[i].has);
	}
}

/* Each row changes at its release, and there alone. */
static void
test_rows(void **state)
{
	static const struct {
		const char *name;
		enum dialect_feature feature;
		unsigned version;
		bool has;
	} rows[] = {
#define SINCE(row, major, minor) {#row, DIALECT_##row, (major)*1000 + (minor), true},
#define BEFORE(row, major, minor) {#row, DIALECT_##row, (major)*1000 + (minor), false},
#define DURING(row, major, minor, last_major, last_minor)
#include "runner/cmakelang/dialect.def"
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned major = 2; major < 6; major++)
			for (unsigned minor = 0; minor < 40; minor++) {
				unsigned version = major * 1000 + minor;
				struct dialect d = dialect_of(version);

				if (d.has[rows[i].feature] !=
					(version < rows[i].version ? !rows[i].has
								   : rows[i].has))
					fail_msg("%s in %u", rows[i].name, version);
			}
}

/* Each row of a few releases is in them, and in no other. */
static void
test_few_releases(void **state)
{
	static const struct {
		const char *name;
		enum dialect_feature feature;
		unsigned first, last;
	} rows[] = {
#define SINCE(row, major, minor)
#define BEFORE(row, major, minor)
#define DURING(row, major, minor, last_major, last_minor)                                \
	{#row, DIALECT_##row, (major)*1000 + (minor), (last_major)*1000 + (last_minor)},
#include "runner/cmakelang/dialect.def"
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned version = 2000; version < 6000; version++)
			if (dialect_of(version).has[rows[i].feature] !=
				(version >= rows[i].first && version <= rows[i].last))
				fail_msg("%s in %u", rows[i].name, version);
}

static void
write_cache(struct arena *a, const char *directory, const char *text)
{
	const char *path = str_fmt(a, "%s/CMakeCache.txt", directory).p;

	assert_true(file_write(a, path, ".tmp", str_of(text)));
}

static void
test_choice(void **state)
{
	char directory[] = "/tmp/cctr-dialect-XXXXXX";
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct str at;
	struct dialect got;

	(void)state;
	assert_non_null(mkdtemp(directory));
	at = str_of(directory);
	assert_true(dialect_choose(&got, a, STR_NONE, NULL, at, &d));
	assert_int_equal(got.version, 4004);
	write_cache(a, directory,
		"# comment\nCMAKE_CACHE_MAJOR_VERSION:INTERNAL=3\r\n"
		"CMAKE_CACHE_MINOR_VERSION:INTERNAL=28\nCMAKE_CACHE_PATCH_VERSION:"
		"INTERNAL=4\n");
	assert_true(dialect_choose(&got, a, STR_NONE, "", at, &d));
	assert_int_equal(got.version, 3028);
	assert_int_equal(got.patch, 4);
	assert_true(dialect_choose(&got, a, STR_NONE, "3.30", at, &d));
	assert_int_equal(got.version, 3030);
	assert_true(dialect_choose(&got, a, STR("3.25"), "3.30", at, &d));
	assert_string_equal(dialect_text(a, &got).p, "3.25.1");
	write_cache(a, directory, "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=three\n");
	assert_true(dialect_choose(&got, a, STR_NONE, NULL, at, &d));
	assert_int_equal(got.version, 4004);
	assert_int_equal(d.errors, 0);
	assert_false(dialect_choose(&got, a, STR("new"), "3.30", at, &d));
	assert_false(dialect_choose(&got, a, STR_NONE, "new", at, &d));
	assert_int_equal(d.errors, 2);
	unlink(str_fmt(a, "%s/CMakeCache.txt", directory).p);
	rmdir(directory);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_few_releases),
		cmocka_unit_test(test_choice),
	};

	return run_unit_tests("dialect", tests, NULL, NULL);
}
