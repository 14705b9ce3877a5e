/* resource_pool and its options: sources in their order, and the pool that is shown. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/command_line/command_line.h"
#include "compat/resources/resource_pool.h"
#include "compat/resources/resource_spec.h"
#include "runner/resources/pool_sources.h"
#include "tests/unit/pool_show.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#define SPEC                                                                             \
	"{\"version\":{\"major\":1,\"minor\":0},\"local\":[{\"gpus\":[{\"id\":\"a\","    \
	"\"slots\":2}]}]}"

enum { WORDS = 5 };

static bool
parse_words(struct arena *a, const char *const *words, struct options *o)
{
	char *argv[WORDS + 1] = {(char *)"cctr"};
	options_messages messages = {0};
	struct diag d = diag_in(a);
	struct dialect dialect;
	int argc = 1;

	assert_true(dialect_choose(&dialect, a, STR("3.25"), NULL, STR("."), &d));
	for (int i = 0; i < WORDS && words[i]; i++)
		argv[argc++] = (char *)words[i];
	return command_line_parse(a, &dialect, NULL, argc, argv, o, &messages);
}

/* ---- options --------------------------------------------------------------------- */

static const char *const refused[] = {"gpus", "gpus=", "=4", "gpus=x", "gpus=-1",
	"GPUs=1", "gpus=1:", "gpus=1:x", "gpus=1048577", "gpus=1:4294967296",
	"gpus=4294967297", "gpus=1:2:3"};
static const char *const factors_refused[] = {
	"gpus=0", "gpus", "gpus=2:2", "gpus=4294967296"};
static const char *const words_refused[] = {"--show-resources=xml",
	"--insufficient-resources=maybe", "--resource-environment=bazel",
	"--resource-placement=tight", "--gpu-backend=opencl", "--gpu-backend="};

static void
bad_values_are_refused(void **state)
{
	struct arena *a = arena_open();
	struct options o;

	(void)state;
	for (size_t i = 0; i < ROWS(refused); i++)
		assert_false(parse_words(
			a, (const char *[WORDS]){"--resource", refused[i]}, &o));
	for (size_t i = 0; i < ROWS(factors_refused); i++)
		assert_false(parse_words(a,
			(const char *[WORDS]){"--oversubscribe", factors_refused[i]},
			&o));
	for (size_t i = 0; i < ROWS(words_refused); i++)
		assert_false(parse_words(a, (const char *[WORDS]){words_refused[i]}, &o));
	arena_close(a);
}

static void
good_values_are_kept(void **state)
{
	struct arena *a = arena_open();
	struct options o;

	(void)state;
	assert_true(parse_words(a,
		(const char *[WORDS]){"--resource=gpus=4:3", "--gpu-visible",
			"--show-resources", "--insufficient-resources=skip",
			"--resource-environment=canary"},
		&o));
	assert_int_equal(o.resources.numbers.n, 1);
	assert_true(str_is(o.resources.numbers.v[0].type, "gpus"));
	assert_int_equal(o.resources.numbers.v[0].n, 4);
	assert_int_equal(o.resources.numbers.v[0].slots, 3);
	assert_true(o.resources.gpu_visible && o.resources.skip_insufficient);
	assert_int_equal(o.resources.show, SHOW_RESOURCES_HUMAN);
	assert_int_equal(o.resources.style, RESOURCE_STYLE_CANARY);
	assert_true(parse_words(a,
		(const char *[WORDS]){"--show-resources=json",
			"--insufficient-resources=fail", "--resource-placement", "pack"},
		&o));
	assert_int_equal(o.resources.placement, PACK_TIGHT);
	assert_int_equal(o.resources.show, SHOW_RESOURCES_JSON);
	assert_false(o.resources.skip_insufficient);
	arena_close(a);
}

/* ---- sources --------------------------------------------------------------------- */

static bool
fake_pool_file(struct arena *a, struct str path, struct pool *pool, struct diag *d)
{
	struct str *nodes = NEW_ARRAY(a, struct str, 2);
	struct pool parts[] = {
		pool_of(a, "gpus x=1 y=2; zoo z=1"), pool_of(a, "gpus x=3")};

	if (str_is(path, "pool.yaml")) {
		*pool = pool_of(a, "gpus x=1; zoo z=1");
		return true;
	}
	/* "NODE NODE", and NODE alone */
	nodes[0] = str_cut(path.p, str_find(path, ' '));
	nodes[1] = str_trim(str_from(path, nodes[0].n));
	if (str_is(path, "nope"))
		return diag_error(d, NO_PLACE, "no such pool");
	*pool = pool_join(a, nodes, parts, nodes[1].n ? 2 : 1);
	return true;
}

static const struct {
	const char *words[WORDS];
	const char *suite_file; /* the specification as CTEST_RESOURCE_SPEC_FILE */
	const char *shown_as; /* NULL: none there */
	const char *gpus; /* NULL: fails */
	bool is_probed;
	enum resource_style style;
} sources[] = {
	{{NULL}, "", NULL, "", false, RESOURCE_STYLE_CTEST},
	{{"--gpu-visible"}, "", NULL, "", false, RESOURCE_STYLE_CTEST},
	{{"--resource-spec-file", "SPEC"}, "", "SPEC", "gpus a=2", false,
		RESOURCE_STYLE_CTEST},
	{{NULL}, "SPEC", "SPEC", "gpus a=2", false, RESOURCE_STYLE_CTEST},
	{{"--resource-spec-file", "SPEC", "--resource", "gpus=1:5"}, "", "SPEC",
		"gpus 0=5", false, RESOURCE_STYLE_CCTR},
	{{"--resource-spec-file", "SPEC", "--oversubscribe", "gpus=3"}, "", "SPEC",
		"gpus a=6", false, RESOURCE_STYLE_CCTR},
	{{"--resource-spec-file", "SPEC", "--resource-environment=cctr"}, "", "SPEC",
		"gpus a=2", false, RESOURCE_STYLE_CCTR},
	{{"--resource", "gpus=2", "--oversubscribe", "gpus=2"}, "SPEC", "SPEC",
		"gpus 0=2 1=2", false, RESOURCE_STYLE_CCTR},
	{{"--resource", "gpus=2", "--oversubscribe=gpus=2", "--oversubscribe=gpus=3"}, "",
		"--resource", "gpus 0=6 1=6", true, RESOURCE_STYLE_CCTR},
	{{"--resource", "gpus=2", "--resource", "gpus=1"}, "", "--resource", "gpus 0=1",
		true, RESOURCE_STYLE_CCTR},
	{{"--resource-spec-file", "auto"}, "SPEC", "auto", "gpus", true,
		RESOURCE_STYLE_CCTR},
	{{"--resource-pool-file", "pool.yaml"}, "SPEC", "pool.yaml", "gpus x=1", true,
		RESOURCE_STYLE_CCTR},
	/* of several nodes the one that is here; a node alone is here */
	{{"--resource-pool-file", "other here"}, "", "other here", "gpus x=3", true,
		RESOURCE_STYLE_CCTR},
	{{"--resource-pool-file", "here.cluster other"}, "", "here.cluster other",
		"gpus x=1 y=2", true, RESOURCE_STYLE_CCTR},
	{{"--resource-pool-file", "other localhost"}, "", "other localhost", "gpus x=3",
		true, RESOURCE_STYLE_CCTR},
	{{"--resource-pool-file", "other"}, "", "other", "gpus x=1 y=2", true,
		RESOURCE_STYLE_CCTR},
	{{"--resource-pool-file", "other another"}, "", NULL, NULL, false,
		RESOURCE_STYLE_DEFAULT},
	{{"--resource-pool-file", "here.other ere"}, "", NULL, NULL, false,
		RESOURCE_STYLE_DEFAULT},
	{{"--resource-pool-file", "pool.yaml", "--resource-spec-file", "auto"}, "",
		"pool.yaml", "gpus x=1", true, RESOURCE_STYLE_CCTR},
	{{"--no-resource-spec=unlimited"}, "", NULL, "", false, RESOURCE_STYLE_CTEST},
	{{"--no-resource-spec=serial"}, "", NULL, "", false, RESOURCE_STYLE_CTEST},
	{{"--no-resource-spec", "auto"}, "", "auto", "gpus", true, RESOURCE_STYLE_CCTR},
	{{"--no-resource-spec=auto"}, "SPEC", "SPEC", "gpus a=2", false,
		RESOURCE_STYLE_CTEST},
	{{"--no-resource-spec=auto", "--resource-spec-file", "SPEC"}, "", "SPEC",
		"gpus a=2", false, RESOURCE_STYLE_CTEST},
	{{"--show-resources"}, "", "--resource", "gpus", true, RESOURCE_STYLE_CCTR},
	{{"--show-resources", "--gpu-backend=none", "--resource=gpus=1"}, "",
		"--resource", "gpus 0=1", true, RESOURCE_STYLE_CCTR},
	{{"--resource-pool-file", "pool.yaml", "--gpu-backend", "none"}, "", "pool.yaml",
		"gpus x=1", true, RESOURCE_STYLE_CCTR},
	{{"--show-resources"}, "SPEC", "SPEC", "gpus a=2", false, RESOURCE_STYLE_CTEST},
	{{"--resource-pool-file", "pool.yaml", "--resource-spec-file", "SPEC"}, "", NULL,
		NULL, false, RESOURCE_STYLE_DEFAULT},
	{{"--resource-pool-file", "nope"}, "", NULL, NULL, false, RESOURCE_STYLE_DEFAULT},
	{{"--resource-spec-file", "nope"}, "", NULL, NULL, false, RESOURCE_STYLE_DEFAULT},
	{{"--resource", "gpus=1", "--oversubscribe", "zoo=2"}, "", NULL, NULL, false,
		RESOURCE_STYLE_DEFAULT},
	{{"--resource", "gpus=1:9", "--oversubscribe", "gpus=4294967295"}, "", NULL, NULL,
		false, RESOURCE_STYLE_DEFAULT},
};

static const char *
gpus_of(struct arena *a, const struct pool *p)
{
	uint32_t at = pool_type(p, STR("gpus"));
	struct pool one = {
		.types = at == MAP_NONE ? NULL : &p->types[at], .n = at != MAP_NONE};

	return pool_line(a, &one);
}

static void
check_source(struct arena *a, size_t i, struct str spec)
{
	const char *words[WORDS];
	struct options o;
	struct diag d = diag_in(a);
	struct dialect dialect;
	struct resource_sources from = {.dialect = &dialect,
		.options = &o.resources,
		.pool_file = fake_pool_file,
		.host = STR("here.cluster")};
	struct resource_pool found;
	const char *shown_as = sources[i].shown_as;

	assert_true(dialect_choose(&dialect, a, STR("3.25"), NULL, STR("."), &d));
	for (size_t k = 0; k < WORDS; k++) {
		words[k] = sources[i].words[k];
		if (words[k] && strcmp(words[k], "SPEC") == 0)
			words[k] = spec.p;
	}
	if (sources[i].suite_file[0])
		from.suite_file = spec;
	if (shown_as && strcmp(shown_as, "SPEC") == 0)
		shown_as = spec.p;
	assert_true(parse_words(a, words, &o));
	if (!sources[i].gpus) {
		assert_false(resource_pool_load(a, &from, &found, &d));
		assert_int_equal(d.errors, 1);
		return;
	}
	if (!resource_pool_load(a, &from, &found, &d))
		fail_msg("row %zu: %s", i, d.entries.v[0].text.p);
	assert_int_equal(found.is_there, shown_as != NULL);
	if (!shown_as)
		return;
	assert_string_equal(str_z(a, found.shown_as), shown_as);
	/* A machine that has GPUs has other ones than none. */
	if (strcmp(sources[i].gpus, "gpus") != 0)
		assert_string_equal(gpus_of(a, &found.pool), sources[i].gpus);
	assert_int_equal(found.telling.style, sources[i].style);
	assert_int_equal(
		pool_type(&found.pool, STR("cpus")) != MAP_NONE, sources[i].is_probed);
}

static void
stronger_sources_win(void **state)
{
	char name[] = "/tmp/cctr-spec-XXXXXX";
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, SPEC, sizeof SPEC - 1), sizeof SPEC - 1);
	close(fd);
	for (size_t i = 0; i < ROWS(sources); i++) {
		struct arena *a = arena_open();

		check_source(a, i, str_of(name));
		arena_close(a);
	}
	unlink(name);
}

/* ---- showing --------------------------------------------------------------------- */

static const char *const pools[] = {"", "gpus", "gpus 0=2 1=4; mem 0=100", "a x=0"};

static void
shown_json_is_a_specification(void **state)
{
	struct dialect dialect = dialect_of(3025);

	(void)state;
	for (size_t i = 0; i < ROWS(pools); i++) {
		struct arena *a = arena_open();
		struct pool p = pool_of(a, pools[i]), again;
		const struct resource_property properties[] = {
			{STR("model"), STR("Gr\"een\"")}, {STR("vendor"), STR("nvidia")}};
		struct buf out = {.arena = a};
		struct diag d = diag_in(a);

		if (p.n && p.types[0].n) {
			p.types[0].v[0].properties = properties;
			p.types[0].v[0].properties_n = 2;
		}
		resource_pool_show(&out, &p, SHOW_RESOURCES_JSON, STR_NONE);
		assert_true(resource_spec_load(a, &dialect, STR(""),
			text_file(a, "spec.json", buf_as_str(&out)), &again, &d));
		assert_string_equal(pool_line(a, &again), pool_line(a, &p));
		arena_close(a);
	}
}

static void
shown_to_people(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of(a, "fpgas; gpus 0=1 a=4");
	const struct resource_property vendor = {STR("vendor"), STR("nvidia")};
	struct str names[] = {STR("n1"), STR("n2")};
	struct buf out = {.arena = a};

	(void)state;
	p.types[1].v[1].properties = &vendor;
	p.types[1].v[1].properties_n = 1;
	resource_pool_show(&out, &p, SHOW_RESOURCES_HUMAN, STR_NONE);
	assert_string_equal(
		out.p, "fpgas: 0\ngpus: 2\n  0: 1 slot\n  a: 4 slots, vendor nvidia\n");
	p.nodes = names;
	p.nodes_n = 2;
	p.types[1].v[1].node = 1;
	out.n = 0;
	resource_pool_show(&out, &p, SHOW_RESOURCES_HUMAN, STR("of x"));
	assert_string_equal(out.p, "fpgas: 0\ngpus: 2\n  0: 1 slot, node n1\n"
				   "  a: 4 slots, node n2, vendor nvidia\n"
				   "nodes: 2, of x\n  n1: gpus 1 (0)\n"
				   "  n2: gpus 4 (a)\n");
	out.n = 0;
	resource_pool_show(&out, &p, SHOW_RESOURCES_JSON, STR("of x"));
	assert_non_null(strstr(out.p, "\"node\" : \"n1\""));
	assert_non_null(strstr(out.p, "\"node\" : \"n2\""));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_values_are_refused),
		cmocka_unit_test(good_values_are_kept),
		cmocka_unit_test(stronger_sources_win),
		cmocka_unit_test(shown_json_is_a_specification),
		cmocka_unit_test(shown_to_people),
	};

	return run_unit_tests("resource_pool", tests, NULL, NULL);
}
