/* The grammar of RESOURCE_GROUPS: rows of text and groups, as ctest 3.25 reads them. */
#include <string.h>

#include "compat/resources/resource_groups.h"
#include "tests/unit/unit.h"

/* "(a:1 b:2) ()": groups; NULL: malformed; LARGE: too large. */
#define LARGE "too large"
static const struct {
	const char *text, *groups;
} rows[] = {
	{"threads:2", "(threads:2)"},
	{"3,threads:2", "(threads:2) (threads:2) (threads:2)"},
	{"3,threads:2,gpus:4",
		"(threads:2 gpus:4) (threads:2 gpus:4) (threads:2 gpus:4)"},
	{"2,threads:2;gpus:4", "(threads:2) (threads:2) (gpus:4)"},
	{"threads:2;2,gpus:4", "(threads:2) (gpus:4) (gpus:4)"},
	{"threads:2;gpus:4", "(threads:2) (gpus:4)"},
	{"1,threads:2;0,gpus:4", "(threads:2)"},
	{"1,_:1", "(_:1)"},
	{"1,a:1", "(a:1)"},
	{"2", "() ()"},
	{"1;2,threads:1", "() (threads:1) (threads:1)"},
	{"1,,threads:1", "(threads:1)"},
	{";1,threads:1", "(threads:1)"},
	{"1,threads:1;", "(threads:1)"},
	{"1,threads:1,", "(threads:1)"},
	{"threads:1,threads:1", "(threads:1 threads:1)"},
	{"threads:1;;threads:2", "(threads:1) (threads:2)"},
	{"1,", "()"},
	{";", ""},
	{"", ""},
	{",", NULL},
	{"1,0:1", NULL},
	{"1,A:1", NULL},
	{"1,a-b:1", NULL},
	{"invalid", NULL},
	{",1,invalid:1", NULL},
	{"1,1", NULL},
	{"-1,invalid:1", NULL},
	{"1,invalid:*", NULL},
	{"1,invalid:-1", NULL},
	{"1,invalid:-", NULL},
	{"1,invalid:ab2", NULL},
	{"1,invalid :2", NULL},
	{"1, invalid:2", NULL},
	{"1,invalid:ab", NULL},
	/* names and numbers */
	{"g1_:1", "(g1_:1)"},
	{"_9:1", "(_9:1)"},
	{"9a:1", NULL},
	{":1", NULL},
	{"g:007", "(g:7)"},
	{"002", "() ()"},
	{"g:0", "(g:0)"},
	{"g:2147483647", "(g:2147483647)"},
	{"0", ""},
	{"0,g:1;h:0", "(h:0)"},
	{"g:1x", NULL},
	/* amounts of memory, which only cctr knows */
	{"mem:2G", "(mem:2048)"},
	{"2,mem:1T,g:1;mem:5M", "(mem:1048576 g:1) (mem:1048576 g:1) (mem:5)"},
	{"mem:1K,mem:1025K,mem:0G", "(mem:1 mem:2 mem:0)"},
	{"mem:2048T", LARGE},
	{"mem:9999999999999T", LARGE},
	{"mem:2g", NULL},
	{"mem:2GB", NULL},
	{"mem:G", NULL},
	{"2G,mem:1", NULL},
	{"g:1:2", NULL},
	{"g:", NULL},
	{"g:,", NULL},
	{"g:;", NULL},
	{"g:1 ", NULL},
	{" g:1", NULL},
	{"\tg:1", NULL},
	{"g:1,2", NULL},
	{"[g:1]", NULL},
	{"g:1\\;h:2", NULL},
	/* separators */
	{"g:1;2", "(g:1) () ()"},
	{"g:1,,", "(g:1)"},
	{"g:1,,,h:2", "(g:1 h:2)"},
	{"2,,", "() ()"},
	{"2;", "() ()"},
	{";;;", ""},
	{"g:1;,", NULL},
	{";,g:1", NULL},
	{"3;,g:1", NULL},
	/* a ';' right behind a ',' does not end the group */
	{"3,;", ""},
	{"3,,;;", ""},
	{"2,g:1,;", ""},
	{"g:1,;h:2", "(g:1 h:2)"},
	{"3,;h:2", "(h:2) (h:2) (h:2)"},
	{"2,g:1,,;;h:1", "(g:1 h:1) (g:1 h:1)"},
	{"2,g:1,;;1,;3", "(g:1) (g:1) (g:1)"},
	{"3,;2", "() ()"},
	{"g:1,;2,h:1", "(g:1 h:1) (g:1 h:1)"},
	{"3,;,g:1", NULL},
	{"g:1,;,h:1", NULL},
	/* ctest wraps around or breaks */
	{"g:2147483648", LARGE},
	{"g:99999999999999999999", LARGE},
	{"4294967296", LARGE},
	{"99999999999999999999", LARGE},
	{"1048577", LARGE},
	{"g:4294967297", LARGE},
	{"1048576,g:1;2,g:1", LARGE},
	{"99999999999999999999,g:1;g:1", LARGE},
	{"g:2147483648,h:1;i:1", LARGE},
	{"g:2147483648;h", NULL},
	{"99999999999999999999,,1", NULL},
};

static struct str
shown(struct arena *a, const struct resource_groups *groups)
{
	struct buf out = {.arena = a};

	buf_z(&out, "");
	for (size_t g = 0; g < groups->n; g++) {
		buf_z(&out, g ? " (" : "(");
		for (size_t i = 0; i < groups->v[g].n; i++)
			buf_fmt(&out, "%s%.*s:%llu", i ? " " : "",
				STR_ARG(groups->v[g].v[i].type),
				(unsigned long long)groups->v[g].v[i].slots);
		buf_char(&out, ')');
	}
	return str_dup(a, buf_as_str(&out));
}

static void
texts_become_groups(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct resource_groups g = {.n = 0};
		enum groups_text is = resource_groups_parse(a, str_of(rows[i].text), &g);
		bool is_large = rows[i].groups && strcmp(rows[i].groups, LARGE) == 0;
		enum groups_text expected = is_large         ? GROUPS_TOO_LARGE
					    : rows[i].groups ? GROUPS_RIGHT
							     : GROUPS_MALFORMED;

		if (is != expected)
			print_error("row %zu: %s\n", i, rows[i].text);
		assert_int_equal(is, expected);
		assert_string_equal(
			shown(a, &g).p, expected == GROUPS_RIGHT ? rows[i].groups : "");
	}
	arena_close(a);
}

/* Setting the property again appends; a malformed text changes nothing. */
static void
groups_accumulate(void **state)
{
	struct arena *a = arena_open();
	struct resource_groups g = {.n = 0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(
			resource_groups_parse(a, STR("2,a:1"), &g), GROUPS_RIGHT);
		assert_int_equal(
			resource_groups_parse(a, STR("b:1;c"), &g), GROUPS_MALFORMED);
		assert_int_equal(g.n, 2 * (size_t)i + 2);
	}
	for (size_t i = 0; i < g.n; i++)
		assert_true(g.v[i].n == 1 && str_is(g.v[i].v[0].type, "a"));
	assert_true(arena_bytes(a) < 1 << 20);
	arena_close(a);
}

static void
a_nul_is_malformed(void **state)
{
	struct arena *a = arena_open();
	struct resource_groups g = {.n = 0};

	(void)state;
	assert_int_equal(
		resource_groups_parse(a, str_cut("a:1\0", 4), &g), GROUPS_MALFORMED);
	assert_int_equal(
		resource_groups_parse(a, str_cut("\0", 1), &g), GROUPS_MALFORMED);
	assert_int_equal(resource_groups_parse(a, STR_NONE, &g), GROUPS_RIGHT);
	assert_int_equal(g.n, 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_groups),
		cmocka_unit_test(groups_accumulate),
		cmocka_unit_test(a_nul_is_malformed),
	};

	return run_unit_tests("resource_groups", tests, NULL, NULL);
}
