/* What is checked before a test starts; limits and environments as ctest 3.25 makes them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/launch/prepare.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"
#include "tests/unit/unit.h"

extern char **environ;

struct fixture {
	struct arena *arena;
	struct dialect dialect;
	struct prepare_options options;
	struct properties properties;
	struct test test;
	struct str words[4];
	struct preparation what;
	struct launch launch;
	struct refusal refusal;
	char **environment_before;
};

static char *const environment_of_ctest[] = {"A=a", "B=b", "C=c",
	"EMPTY=", "CTEST_RESOURCE_GROUP_COUNT=5", "CTEST_RESOURCE_GROUP_0=zz",
	"CMAKE_CONFIG_TYPE=was", "DASH=1", NULL};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = arena_open();
	f->dialect = dialect_of(3025);
	f->properties = properties_default;
	f->words[0] = STR("/bin/sh");
	f->words[1] = STR("-c");
	f->words[2] = STR("a b");
	f->test = (struct test){.name = STR("t"),
		.command = {f->words, 3},
		.directory = STR("/"),
		.properties = &f->properties};
	f->what.test = &f->test;
	f->options.dialect = &f->dialect;
	f->environment_before = environ;
	environ = (char **)environment_of_ctest;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	environ = f->environment_before;
	arena_close(f->arena);
	free(f);
	return 0;
}

static bool
prepared(struct fixture *f)
{
	const struct preparer *p;

	f->options.finder = executable_finder_new(
		f->arena, &f->dialect, f->options.configuration, path_here(f->arena));
	p = prepare_open(f->arena, &f->options);
	f->launch = (struct launch){.timeout_ns = NO_TIMEOUT};
	f->refusal = (struct refusal){.kind = REFUSED_NOT};
	return p->prepare(p, f->arena, &f->what, &f->launch, &f->refusal);
}

static struct str_list
list_of(struct arena *a, const char *text)
{
	return cmake_list_split(a, str_of(text), false);
}

/* ---- checks ---------------------------------------------------------------------- */

static void
command_is_filled(void **state)
{
	struct fixture *f = *state;

	assert_true(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_NOT);
	assert_string_equal(f->launch.path, "/bin/sh");
	assert_string_equal(f->launch.argv[0], "/bin/sh");
	assert_string_equal(f->launch.argv[1], "-c");
	assert_string_equal(f->launch.argv[2], "a b");
	assert_null(f->launch.argv[3]);
	assert_string_equal(f->launch.directory, "/");
}

/* Each row spoils one thing more, from the last check to the first: the first that
 * refuses is the one that was spoilt last. */
static void
order_of_checks(void **state)
{
	struct fixture *f = *state;
	struct pool pool = {0};
	struct str setup_names[] = {STR("S1"), STR("S2")};

	f->properties.environment_modification = list_of(f->arena, "bad");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_ENVIRONMENT);
	assert_true(f->refusal.after_launch);
	assert_true(str_is(f->refusal.err,
		"CMake Error: Error: Missing `=` after the variable name in: bad\n\n"));

	f->words[0] = STR("nonexistent/x");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_EXECUTABLE);
	assert_true(f->refusal.after_launch);
	assert_true(str_is(f->refusal.err, "Unable to find executable: nonexistent/x"));
	assert_true(str_begins(
		f->launch.search, STR("Could not find executable nonexistent/x\n")));
	assert_string_equal(f->launch.path, "");
	assert_string_equal(f->launch.argv[2], "a b");

	f->properties.required_files = list_of(f->arena, "tmp;/tmp;no/such;other");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_REQUIRED_FILE);
	assert_true(str_is(f->refusal.err, "Unable to find required file: no/such"));

	f->words[0] = STR("NOT_AVAILABLE");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_CONFIGURATION);
	assert_true(str_is(f->refusal.err,
		"Test not available without configuration.  (Missing \"-C <config>\"?)"));
	f->options.configuration = STR("Rel");
	assert_false(prepared(f));
	assert_true(
		str_is(f->refusal.err, "Test not available in configuration \"Rel\"."));
	assert_string_equal(f->launch.path, "NOT_AVAILABLE");

	f->what.failed_setups = (struct str_list){setup_names, 2};
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_FIXTURE);
	assert_false(f->refusal.after_launch);
	assert_true(str_is(f->refusal.out, "Failed test dependencies: S1 S2"));
	assert_int_equal(f->refusal.err.n, 0);

	f->what.skipped_setups = f->what.failed_setups;
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_FIXTURE);
	f->what.failed_setups.n = 0;
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_FIXTURE_SKIP);
	assert_int_equal(f->refusal.out.n + f->refusal.err.n, 0);
	assert_true(str_is(
		f->refusal.log, "Insufficient resources for test dependencies: S1 S2"));

	f->properties.disabled = true;
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_DISABLED);
	assert_int_equal(f->refusal.out.n + f->refusal.err.n, 0);

	f->properties.defect = STR("wrong");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_DEFECT);
	assert_true(str_is(f->refusal.out, "wrong"));

	f->test.directory = STR("/nonexistent/d");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_DIRECTORY);
	assert_true(str_is(f->refusal.err, "Failed to change working directory to "
					   "/nonexistent/d : No such file or directory"));
	f->dialect = dialect_of(4004);
	assert_false(prepared(f));
	assert_true(
		str_is(f->refusal.err, "Failed to change working directory to "
				       "\"/nonexistent/d\": No such file or directory"));

	f->what.fits_nowhere = true;
	f->options.pool = &pool;
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_RESOURCES);
}

static void
shortage(void **state)
{
	struct fixture *f = *state;
	struct resource_instance gpus[] = {
		{.id = STR("10"), .slots = 1}, {.id = STR("a"), .slots = 4}};
	struct resource_instance cards[] = {{.id = STR("c"), .slots = 1}};
	struct resource_type types[] = {{.name = STR("cards"), .v = cards, .n = 1},
		{.name = STR("gpus"), .v = gpus, .n = 2}};
	struct pool pool = {.types = types, .n = 2};
	struct requirement one[] = {{.type = STR("gpus"), .slots = 1},
		{.type = STR("zoo"), .slots = 2}, {.type = STR("cards"), .slots = 1},
		{.type = STR("gpus"), .slots = 9}};
	struct resource_group group = {one, 4};

	f->properties.resource_groups = (struct resource_groups){.v = &group, .n = 1};
	f->what.fits_nowhere = true;
	f->options.pool = &pool;
	f->options.resource_spec_file = STR("spec.json");
	assert_false(prepared(f));
	assert_string_equal(str_z(f->arena, f->refusal.err),
		"Insufficient resources for test t:\n\n"
		"  Test requested resources of type 'gpus' in the following amounts:\n"
		"    1 slot\n    9 slots\n"
		"  but only the following units were available:\n"
		"    '10': 1 slot\n    'a': 4 slots\n\n"
		"  Test requested resources of type 'zoo' which does not exist\n\n"
		"Resource spec file:\n\n  spec.json");

	/* A type that the pool does not have is an error even if others are too few. */
	f->options.skip_insufficient = true;
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_RESOURCES);
	one[1].type = STR("card");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_RESOURCES);
	assert_true(str_has(f->refusal.err,
		STR("type 'card' which does not exist; did you mean 'cards'?\n")));

	/* What the pool of an option could have. */
	one[1].type = STR("zoo");
	assert_false(prepared(f));
	assert_true(str_has(f->refusal.err,
		STR("type 'zoo' which does not exist; consider --resource zoo=0\n")));
	f->options.skip_insufficient = false;
	f->options.telling.style = RESOURCE_STYLE_CCTR;
	assert_false(prepared(f));
	assert_true(str_has(f->refusal.err,
		STR("type 'zoo' which does not exist; consider --resource zoo=1:2\n")));
	f->options.skip_insufficient = true;

	/* The same is said in the log alone when it is to be skipped for it. */
	one[1].type = STR("cards");
	assert_false(prepared(f));
	assert_int_equal(f->refusal.kind, REFUSED_RESOURCES_SKIP);
	assert_int_equal(f->refusal.err.n, 0);
	assert_true(
		str_begins(f->refusal.log, STR("Insufficient resources for test t:\n")));
}

static void
refused_by_the_system(void **state)
{
	struct fixture *f = *state;
	const struct preparer *p;

	assert_true(prepared(f));
	p = prepare_open(f->arena, &f->options);
	p->not_started(p, f->arena, &f->launch, EACCES, &f->refusal);
	assert_int_equal(f->refusal.kind, REFUSED_START);
	assert_true(str_is(
		f->refusal.err, "Process not started\n /bin/sh\n[permission denied]\n"));
}

/* ---- limits ---------------------------------------------------------------------- */

static void
limits(void **state)
{
	enum { UNSET = -1000 };
	static const struct {
		double timeout, option, configured, old, new;
	} rows[] = {
		{UNSET, 0, 0, 1e7, 1e7},
		{UNSET, 5, 0, 5, 5},
		{UNSET, 0, 1500, 1500, 1500},
		{UNSET, 5, 1500, 5, 5},
		{UNSET, 0.5, 0, 0.5, 0.5},
		{UNSET, -1, 1500, 1500, 1500},
		{UNSET, 3e7, 1500, 1500, 1e7},
		{UNSET, 0, -5, 1e7, 1e7},
		{0, 0, 0, 0, 1e7},
		{0, 0, 1500, 0, 1e7},
		{0, 5, 1500, 5, 1e7},
		{0, -1, 1500, 1500, 1e7},
		{7, 5, 3.5, 7, 7},
		{-1, 0, 0, 1e7, 1e7},
		{-1, 0, 1500, 1500, 1500},
		{2e7, 0, 1500, 1500, 1e7},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < 2 * ROWS(rows); i++) {
		size_t k = i / 2;
		double expected = i % 2 ? rows[k].new : rows[k].old;

		f->dialect = dialect_of(i % 2 ? 4004 : 3025);
		f->properties.has_timeout = rows[k].timeout > UNSET;
		f->properties.timeout_s = f->properties.has_timeout ? rows[k].timeout : 0;
		f->options.timeout_s = rows[k].option;
		f->options.default_timeout_s = rows[k].configured;
		assert_true(prepared(f));
		assert_true(f->launch.timeout_s == expected);
		assert_true(f->launch.timeout_ns ==
			    (expected > 0 ? (uint64_t)(expected * 1e9) : NO_TIMEOUT));
	}
}

/* --default-timeout, --timeout-multiplier. */
static void
own_limits(void **state)
{
	enum { UNSET = -1000 };
	static const struct {
		double timeout, option, configured, own, factor, of_label, old, new;
	} rows[] = {
		{UNSET, 0, 1500, 60, 0, 0, 60, 60},
		{UNSET, 5, 1500, 60, 0, 0, 5, 5},
		{UNSET, 0, 1500, 0, 0, 0, 1e7, 1e7},
		{0, 0, 1500, 60, 0, 0, 0, 1e7},
		{7, 0, 1500, 60, 0, 0, 7, 7},
		{UNSET, 0, 1500, 60, 2, 0, 120, 120},
		{UNSET, 5, 1500, 60, 2, 0, 10, 10},
		{UNSET, 0, 1500, UNSET, 2, 0, 3000, 3000},
		{7, 0, 1500, UNSET, 0.5, 0, 3.5, 3.5},
		{7, 0, 1500, UNSET, 2, 3, 21, 21},
		{7, 0, 1500, UNSET, 0, 3, 21, 21},
		{7, 0, 1500, UNSET, 5, 0.5, 3.5, 3.5},
		{0, 0, 1500, UNSET, 2, 0, 0, 1e7},
		{9e6, 0, 1500, UNSET, 1000, 0, 1e7 - 1, 1e7 - 1},
		{2e7, 0, 1500, UNSET, 0.5, 0, 750, 1e7},
	};
	struct fixture *f = *state;
	struct label_factor factors[2] = {{STR("slow"), 0}, {STR("other"), 900}};

	f->properties.labels = list_of(f->arena, "a;slow");
	for (size_t i = 0; i < 2 * ROWS(rows); i++) {
		size_t k = i / 2;
		double expected = i % 2 ? rows[k].new : rows[k].old;

		f->dialect = dialect_of(i % 2 ? 4004 : 3025);
		f->properties.has_timeout = rows[k].timeout > UNSET;
		f->properties.timeout_s = f->properties.has_timeout ? rows[k].timeout : 0;
		f->options.timeout_s = rows[k].option;
		f->options.default_timeout_s = rows[k].configured;
		factors[0].factor = rows[k].of_label;
		f->options.limits =
			(struct limit_options){.has_default = rows[k].own > UNSET,
				.default_s = rows[k].own,
				.factor = rows[k].factor,
				.of_labels = {.v = factors, .n = 2, .cap = 2}};
		assert_true(prepared(f));
		assert_true(f->launch.timeout_s == expected);
	}
}

static void
limit_signals(void **state)
{
	struct fixture *f = *state;

	f->properties.timeout_signal_name = STR("SIGUSR1");
	assert_true(prepared(f));
	assert_int_equal(f->launch.timeout_signal, 0);
	f->dialect = dialect_of(3027);
	assert_true(prepared(f));
	assert_true(f->launch.timeout_signal > 0);
	assert_true(f->launch.timeout_grace_ns == 1000000000u);
	f->properties.has_timeout_grace = true;
	f->properties.timeout_grace_s = 0.25;
	assert_true(prepared(f));
	assert_true(f->launch.timeout_grace_ns == 250000000u);
}

/* ---- environments ---------------------------------------------------------------- */

static const char *
environment_text(struct fixture *f)
{
	struct buf b = {.arena = f->arena};

	for (const char *const *e = f->launch.environment; *e; e++)
		buf_fmt(&b, "%s|", *e);
	return buf_as_str(&b).p;
}

#define TAIL "CTEST_RESOURCE_GROUP_0=zz|CMAKE_CONFIG_TYPE=was|DASH=1|"

static void
environments(void **state)
{
	static const struct {
		const char *environment, *modification, *expected;
	} rows[] = {
		{"", "", "A=a|B=b|C=c|EMPTY=|" TAIL},
		{"=x;B=;C;A=new;Z=1;Y=2;=;QQ=", "",
			"A=new|B=|EMPTY=|" TAIL "QQ=|Y=2|Z=1|"},
		{"Z=1;A=q",
			"A=path_list_append:p1;A=path_list_append:p2;N=path_list_prepend:"
			"x;"
			"N=cmake_list_append:y;N=string_append:z;N=string_prepend:w;B="
			"unset:;"
			"Z=set:k:l=m;EMPTY=path_list_append:z;P=cmake_list_prepend:1;"
			"P=cmake_list_prepend:2",
			"A=q:p1:p2|C=c|EMPTY=z|" TAIL "Z=k:l=m|N=wx;yz|P=2;1|"},
		{"", "A=set:1;A=reset:;B=set:2;B=reset:;B=string_append:7;DASH=unset:",
			"A=a|B=b7|C=c|EMPTY=|CTEST_RESOURCE_GROUP_0=zz|CMAKE_CONFIG_TYPE="
			"was|"},
		{"", "=set:3", "A=a|B=b|C=c|EMPTY=|" TAIL},
		{"",
			"M=string_append:;K=path_list_append:;A=path_list_append:;L=set:;"
			"EMPTY=path_list_prepend:",
			"A=a:|B=b|C=c|EMPTY=|" TAIL "K=|L=|M=|"},
		{"A=1", "A=string_append:2;B=set:q;A=reset:", "A=1|B=q|C=c|EMPTY=|" TAIL},
		{"A=1;A;A=2;A;B;B=n;NEW=1;NEW", "", "B=n|C=c|EMPTY=|" TAIL},
		{"",
			"A=set:1;A=set:2;A=reset:;A=string_append:x;B=string_append:1;"
			"B=reset:;B=unset:",
			"A=ax|C=c|EMPTY=|" TAIL},
		{"CTEST_RESOURCE_GROUP_COUNT=77", "CTEST_RESOURCE_GROUP_COUNT=set:5",
			"A=a|B=b|C=c|EMPTY=|" TAIL},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		f->properties.environment = list_of(f->arena, rows[i].environment);
		f->properties.environment_modification =
			cmake_list_split(f->arena, str_of(rows[i].modification), false);
		assert_true(prepared(f));
		assert_string_equal(environment_text(f), rows[i].expected);
	}
}

static void
defects_of_modifications(void **state)
{
	struct fixture *f = *state;

	f->properties.environment_modification =
		list_of(f->arena, "A=bad;B;C=foo:1;D=set:1;F=:x");
	assert_false(prepared(f));
	assert_string_equal(str_z(f->arena, f->refusal.err),
		"CMake Error: Error: Missing `:` after the operation in: A=bad\n\n"
		"CMake Error: Error: Missing `=` after the variable name in: B\n\n"
		"CMake Error: Error: Unrecognized environment manipulation argument: "
		"foo\n\n"
		"CMake Error: Error: Unrecognized environment manipulation argument: "
		"\n\n");
}

static void
resource_groups(void **state)
{
	struct fixture *f = *state;
	struct resource_instance gpus[] = {
		{.id = STR("0"), .slots = 2}, {.id = STR("1"), .slots = 4}};
	struct resource_instance cards[] = {{.id = STR("c"), .slots = 1}};
	struct resource_type types[] = {{.name = STR("cards"), .v = cards, .n = 1},
		{.name = STR("gpus"), .v = gpus, .n = 2}};
	struct pool pool = {.types = types, .n = 2};
	struct grant_unit units[] = {{1, 1, 1}, {0, 0, 1}, {1, 0, 2}};
	/* the last is the test's processors, which RESOURCE_GROUPS does not have */
	struct grant_group groups[] = {{NULL, 0}, {units, 3}, {units, 1}};
	struct grant grant = {groups, 3};
	struct resource_group asked[] = {{NULL, 0}, {NULL, 0}};

	f->options.pool = &pool;
	assert_true(prepared(f));
	assert_string_equal(environment_text(f),
		"A=a|B=b|C=c|EMPTY=|CTEST_RESOURCE_GROUP_COUNT=0|" TAIL);
	f->what.grant = &grant;
	f->properties.resource_groups = (struct resource_groups){.v = asked, .n = 2};
	f->properties.environment = list_of(f->arena, "Z=1;CTEST_RESOURCE_GROUP_1=mine");
	assert_true(prepared(f));
	assert_string_equal(environment_text(f),
		"A=a|B=b|C=c|EMPTY=|CTEST_RESOURCE_GROUP_COUNT=2|CTEST_RESOURCE_GROUP_0=|"
		"CMAKE_CONFIG_TYPE=was|DASH=1|"
		"CTEST_RESOURCE_GROUP_1=cards,gpus|Z=1|"
		"CTEST_RESOURCE_GROUP_1_CARDS=id:c,slots:1|"
		"CTEST_RESOURCE_GROUP_1_GPUS=id:1,slots:1;id:0,slots:2|");
}

/* Tests that change nothing share one array. */
static void
usual_environment_is_shared(void **state)
{
	struct fixture *f = *state;
	const struct preparer *p;
	struct launch one = {0}, two = {0};

	assert_true(prepared(f));
	p = prepare_open(f->arena, &f->options);
	assert_true(p->prepare(p, f->arena, &f->what, &one, &f->refusal));
	assert_true(p->prepare(p, f->arena, &f->what, &two, &f->refusal));
	assert_ptr_equal(one.environment, two.environment);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(command_is_filled, setup, teardown),
		cmocka_unit_test_setup_teardown(order_of_checks, setup, teardown),
		cmocka_unit_test_setup_teardown(shortage, setup, teardown),
		cmocka_unit_test_setup_teardown(refused_by_the_system, setup, teardown),
		cmocka_unit_test_setup_teardown(limits, setup, teardown),
		cmocka_unit_test_setup_teardown(own_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(limit_signals, setup, teardown),
		cmocka_unit_test_setup_teardown(environments, setup, teardown),
		cmocka_unit_test_setup_teardown(
			defects_of_modifications, setup, teardown),
		cmocka_unit_test_setup_teardown(resource_groups, setup, teardown),
		cmocka_unit_test_setup_teardown(
			usual_environment_is_shared, setup, teardown),
	};

	return run_unit_tests("prepare", tests, NULL, NULL);
}
