/* resource_environment: what a test learns about its resources beside ctest's variables.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/launch/launch_environment.h"
#include "compat/resources/resource_environment.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

/* Instances are 0 and 1 of gpus and mem 0; the tables say who of them are held. */
static const struct grant_unit units[] = {{0, 1, 1}, {0, 0, 1}, {0, 1, 1}, {1, 0, 64}};
static struct grant_unit held[4];
static struct grant_group grouped[2] = {{held, 2}, {held + 2, 2}};
static const struct grant grant = {grouped, 2};

static struct pool
pool_with(struct arena *a, const struct resource_property *p, size_t n)
{
	struct pool pool = pool_of(a, "gpus 0=2 1=4; mem 0=100");

	memcpy(held, units, sizeof held);
	for (size_t i = 0; i < 2; i++) {
		pool.types[0].v[i].properties = p ? p + i * n : NULL;
		pool.types[0].v[i].properties_n = n;
	}
	return pool;
}

/* "NAME=VALUE NAME=VALUE" */
static const char *
shown_variables(struct arena *a, const struct resource_teller *t)
{
	struct resource_variables v = resource_variables(a, t);
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < v.n; i++)
		buf_fmt(&b, "%s%.*s=%.*s", i ? " " : "", STR_ARG(v.v[i].name),
			STR_ARG(v.v[i].value));
	return b.p ? b.p : "";
}

static const struct {
	struct resource_telling telling;
	const char *vendor, *uuid[2];
	const char *shown;
} tellings[] = {
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = false}, "nvidia", {"", ""}, ""},
	{{.style = RESOURCE_STYLE_CCTR, .gpu_visible = false}, "nvidia", {"", ""},
		"CCTR_GPUS_IDS=1,0 CCTR_GPUS_SLOTS=3 "
		"CCTR_GPUS_PROPERTY_VENDOR=nvidia,nvidia "
		"CCTR_GPUS_PROPERTY_UUID=, CCTR_MEM_IDS=0 CCTR_MEM_SLOTS=64"},
	{{.style = RESOURCE_STYLE_CANARY, .gpu_visible = false}, "nvidia", {"", ""},
		"CCTR_GPUS_IDS=1,0 CCTR_GPUS_SLOTS=3 "
		"CCTR_GPUS_PROPERTY_VENDOR=nvidia,nvidia "
		"CCTR_GPUS_PROPERTY_UUID=, CANARY_GPU_IDS=1,0 CCTR_MEM_IDS=0 "
		"CCTR_MEM_SLOTS=64 CANARY_MEM_IDS=0"},
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}, "nvidia", {"", ""},
		"CUDA_VISIBLE_DEVICES=1,0"},
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}, "nvidia",
		{"GPU-a", "GPU-b"}, "CUDA_VISIBLE_DEVICES=GPU-b,GPU-a"},
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}, "nvidia", {"GPU-a", ""},
		"CUDA_VISIBLE_DEVICES=1,0"},
	/* HIP counts those that ROCR has left over */
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}, "amd", {"77", "78"},
		"ROCR_VISIBLE_DEVICES=1,0 HIP_VISIBLE_DEVICES=0,1"},
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}, "intel", {"", ""}, ""},
	{{.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}, "", {"", ""},
		"CUDA_VISIBLE_DEVICES=1,0 ROCR_VISIBLE_DEVICES=1,0 "
		"HIP_VISIBLE_DEVICES=0,1"},
};

static void
variables_follow_the_style(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(tellings); i++) {
		struct arena *a = arena_open();
		const struct resource_property p[] = {
			{STR("vendor"), str_of(tellings[i].vendor)},
			{STR("uuid"), str_of(tellings[i].uuid[0])},
			{STR("vendor"), str_of(tellings[i].vendor)},
			{STR("uuid"), str_of(tellings[i].uuid[1])},
		};
		struct pool pool = pool_with(a, p, 2);
		struct resource_teller t = {&pool, &grant, tellings[i].telling};

		assert_string_equal(shown_variables(a, &t), tellings[i].shown);
		t.grant = NULL;
		assert_string_equal(shown_variables(a, &t), "");
		arena_close(a);
	}
}

/* Each vendor counts its own devices, and sees none of them if the test holds none. */
static void
vendors_have_their_own_numbers(void **state)
{
	struct arena *a = arena_open();
	const struct resource_property p[] = {
		{STR("vendor"), STR("amd")},
		{STR("device"), STR("0")},
		{STR("vendor"), STR("nvidia")},
		{STR("device"), STR("0")},
	};
	struct pool pool = pool_with(a, p, 2);
	struct grant_group one = {held, 1};
	struct grant nvidia = {&one, 1};
	struct resource_teller t = {
		&pool, &grant, {.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}};

	(void)state;
	assert_string_equal(shown_variables(a, &t),
		"CUDA_VISIBLE_DEVICES=0 ROCR_VISIBLE_DEVICES=0 HIP_VISIBLE_DEVICES=0");
	t.grant = &nvidia;
	assert_string_equal(shown_variables(a, &t),
		"CUDA_VISIBLE_DEVICES=0 ROCR_VISIBLE_DEVICES=-1 HIP_VISIBLE_DEVICES=-1");
	arena_close(a);
}

/* The GPUs of another partition, too, are hidden from a test. */
static void
vendors_of_other_partitions(void **state)
{
	struct arena *a = arena_open();
	struct resource_property amd[] = {
		{STR("vendor"), STR("amd")}, {STR("device"), STR("0")}};
	struct resource_property nvidia[] = {
		{STR("vendor"), STR("nvidia")}, {STR("device"), STR("0")}};
	struct pool pool = pool_of(a, "gpus 0=1; mem 0=1");
	struct grant_unit unit = {0, 0, 1};
	struct grant_group group = {&unit, 1};
	struct grant one = {&group, 1};
	struct resource_teller t = {
		&pool, &one, {.style = RESOURCE_STYLE_CTEST, .gpu_visible = true}};

	(void)state;
	pool.types[0].v[0].properties = amd;
	pool.types[1].v[0].properties = nvidia;
	pool.types[0].v[0].properties_n = pool.types[1].v[0].properties_n = 2;
	assert_string_equal(
		shown_variables(a, &t), "ROCR_VISIBLE_DEVICES=0 HIP_VISIBLE_DEVICES=0");
	pool.types[1].name = pool.types[0].name;
	pool.partitions_n = 2;
	assert_string_equal(shown_variables(a, &t),
		"CUDA_VISIBLE_DEVICES=-1 ROCR_VISIBLE_DEVICES=0 HIP_VISIBLE_DEVICES=0");
	unit.type = 1;
	assert_string_equal(shown_variables(a, &t),
		"CUDA_VISIBLE_DEVICES=0 ROCR_VISIBLE_DEVICES=-1 HIP_VISIBLE_DEVICES=-1");
	arena_close(a);
}

static const struct {
	const char *variable, *expanded, *of_none;
} placeholders[] = {
	{"A=%(gpu_ids)s", "A=1,0", "A="},
	{"A=%(gpus_ids)s;%(mem_ids)s!", "A=1,0;0!", "A=;!"},
	{"A=%(cpu_ids)s", "A=%(cpu_ids)s", "A=%(cpu_ids)s"},
	{"A=%(x)s%(gpu_ids)s", "A=%(x)s1,0", "A=%(x)s"},
	{"A=100%%(%(gpu_ids)", "A=100%(%(gpu_ids)", "A=100%(%(gpu_ids)"},
	{"A=%%(gpu_ids)s %(gpu_ids)s", "A=%(gpu_ids)s 1,0", "A=%(gpu_ids)s "},
	{"A=%(levelname)s %%Y", "A=%(levelname)s %%Y", "A=%(levelname)s %%Y"},
	{"A=%(%(gpu_ids)s", "A=%(1,0", "A=%("},
	{"A=plain", "A=plain", "A=plain"},
};

static void
placeholders_are_ids(void **state)
{
	struct arena *a = arena_open();
	struct pool pool = pool_with(a, NULL, 0);
	struct resource_teller t = {
		&pool, &grant, {.style = RESOURCE_STYLE_CCTR, .gpu_visible = false}};

	(void)state;
	for (size_t i = 0; i < ROWS(placeholders); i++) {
		t.grant = &grant;
		t.telling.style = RESOURCE_STYLE_CCTR;
		assert_string_equal(
			resource_placeholders(a, &t, placeholders[i].variable),
			placeholders[i].expanded);
		t.grant = NULL;
		assert_string_equal(
			resource_placeholders(a, &t, placeholders[i].variable),
			placeholders[i].of_none);
		t.telling.style = RESOURCE_STYLE_CTEST;
		assert_string_equal(
			resource_placeholders(a, &t, placeholders[i].variable),
			placeholders[i].variable);
	}
	arena_close(a);
}

/* The values are in the order of the ids. */
static void
tests_get_properties(void **state)
{
	struct arena *a = arena_open();
	const struct resource_property p[] = {
		{STR("bus"), STR("01")},
		{STR("x-y"), STR("a b")},
		{STR("bus"), STR("02")},
		{STR("X_y"), STR("c")},
	};
	struct pool pool = pool_with(a, p, 2);
	struct resource_teller t = {
		&pool, &grant, {.style = RESOURCE_STYLE_CCTR, .gpu_visible = false}};

	(void)state;
	assert_string_equal(shown_variables(a, &t),
		"CCTR_GPUS_IDS=1,0 CCTR_GPUS_SLOTS=3 CCTR_GPUS_PROPERTY_BUS=02,01 "
		"CCTR_GPUS_PROPERTY_X_Y=c, CCTR_MEM_IDS=0 CCTR_MEM_SLOTS=64");
	assert_string_equal(resource_placeholders(a, &t,
				    "A=%(gpu_property_bus)s:%(gpus_property_x-y)s"),
		"A=02,01:,a b");
	assert_string_equal(resource_placeholders(a, &t, "A=%(gpu_property_no)s"),
		"A=%(gpu_property_no)s");
	assert_true(str_is(resource_unknown_placeholder(a, &t,
				   STR("%(gpu_property_bus)s%(mem_property_bus)s")),
		"%(mem_property_bus)s"));
	t.telling.style = RESOURCE_STYLE_CTEST;
	assert_string_equal(shown_variables(a, &t), "");
	assert_true(resource_is_own_variable(STR("CCTR_GPUS_PROPERTY_BUS")));
	assert_true(resource_is_own_variable(STR("CCTR_MEM_SLOTS")));
	assert_false(resource_is_own_variable(STR("CCTR_COMPAT_VERSION")));
	assert_false(resource_is_own_variable(STR("MY_IDS")));
	arena_close(a);
}

static const struct {
	const char *variable, *unknown;
} unknowns[] = {
	{"A=%(gpu_ids)s", ""},
	{"A=%(gpu_ids)s%(gpuz_ids)s", "%(gpuz_ids)s"},
	{"A=%%(gpuz_ids)s", ""},
	{"A=%(levelname)s", ""},
	{"A=%(no name_ids)s", ""},
	{"A=%(%(cpus_ids)s", "%(cpus_ids)s"},
	{"A=plain", ""},
};

static void
unknown_placeholders_are_found(void **state)
{
	struct arena *a = arena_open();
	struct pool pool = pool_with(a, NULL, 0);
	struct resource_teller t = {
		&pool, &grant, {.style = RESOURCE_STYLE_CCTR, .gpu_visible = false}};

	(void)state;
	for (size_t i = 0; i < ROWS(unknowns); i++) {
		struct str found =
			resource_unknown_placeholder(a, &t, str_of(unknowns[i].variable));

		assert_string_equal(found.n ? str_z(a, found) : "", unknowns[i].unknown);
	}
	arena_close(a);
}

static const char *
variable(const char *const *environment, const char *name)
{
	size_t n = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=')
			return *environment + n + 1;
	return NULL;
}

/* What the test says of a variable counts; what cctr was started with does not. */
static void
tests_keep_what_they_set(void **state)
{
	struct arena *a = arena_open();
	struct pool pool = pool_with(a, NULL, 0);
	struct launch_environment_options o = {.pool = &pool,
		.telling = {.style = RESOURCE_STYLE_CCTR, .gpu_visible = true}};
	struct str own[] = {STR("HIP_VISIBLE_DEVICES=7"), STR("MINE=%(gpu_ids)s")};
	struct properties p = {.environment = {own, 2}};
	struct test t = {.properties = &p};
	struct launch_environment *e;
	const char *const *v;

	(void)state;
	setenv("CUDA_VISIBLE_DEVICES", "9", 1);
	setenv("HIP_VISIBLE_DEVICES", "9", 1);
	setenv("SESSION", "%(mem_ids)s", 1);
	setenv("CCTR_GPUS_IDS", "outer", 1);
	setenv("CCTR_FPGAS_IDS", "outer", 1);
	setenv("CANARY_GPU_IDS", "outer", 1);
	e = launch_environment_open(a, &o);
	v = launch_environment_of(
		e, a, &t, &(struct test_holding){.grant = &grant}, NULL);
	assert_string_equal(variable(v, "CUDA_VISIBLE_DEVICES"), "1,0");
	assert_string_equal(variable(v, "HIP_VISIBLE_DEVICES"), "7");
	assert_string_equal(variable(v, "MINE"), "1,0");
	assert_string_equal(variable(v, "SESSION"), "0");
	assert_string_equal(variable(v, "CCTR_GPUS_IDS"), "1,0");
	p.environment.n = 0;
	v = launch_environment_of(e, a, &t, &(struct test_holding){.grant = NULL}, NULL);
	assert_string_equal(variable(v, "CUDA_VISIBLE_DEVICES"), "9");
	assert_string_equal(variable(v, "SESSION"), "");
	assert_null(variable(v, "CCTR_GPUS_IDS"));
	assert_null(variable(v, "CCTR_FPGAS_IDS"));
	assert_null(variable(v, "CANARY_GPU_IDS"));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_follow_the_style),
		cmocka_unit_test(vendors_have_their_own_numbers),
		cmocka_unit_test(vendors_of_other_partitions),
		cmocka_unit_test(placeholders_are_ids),
		cmocka_unit_test(tests_get_properties),
		cmocka_unit_test(unknown_placeholders_are_found),
		cmocka_unit_test(tests_keep_what_they_set),
	};

	return run_unit_tests("resource_environment", tests, NULL, NULL);
}
