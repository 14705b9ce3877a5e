/* compat/submit_url: names and addresses, in both dialects. */
#include "compat/dashboard/submit/submit_url.h"
#include "tests/unit/unit.h"

static struct submit_names
names_of(const char *site, const char *build)
{
	return (struct submit_names){.site = str_of(site),
		.build = str_of(build),
		.tag = STR("20240102-0304"),
		.group = STR("G")};
}

static void
test_remote_names(void **state)
{
	static const struct {
		unsigned version;
		const char *site, *build, *name;
	} rows[] = {
		{3025, "s", "b", "s___b___20240102-0304-G___XML___T.xml"},
		{3025, "s:", "b:*\n", "s:___b___20240102-0304-G___XML___T.xml"},
		{3025, "", "", "___(empty)___20240102-0304-G___XML___T.xml"},
		{3025, "s", ":", "s___(empty)___20240102-0304-G___XML___T.xml"},
		{4004, "s:", "b:*\n", "s___b___20240102-0304-G___XML___T.xml"},
		{4004, "s", "", "s___(empty)___20240102-0304-G___XML___T.xml"},
		{4004, "s", ":", "s______20240102-0304-G___XML___T.xml"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct dialect dialect = dialect_of(rows[i].version);
		struct submit_names names = names_of(rows[i].site, rows[i].build);

		assert_string_equal(
			submit_remote_name(a, &names, &dialect, STR("T.xml")).p,
			rows[i].name);
		arena_close(a);
	}
}

static void
test_addresses(void **state)
{
	struct arena *a = arena_open();
	struct submit_names names = names_of("a b", "x/\xc3\xa9~");

	(void)state;
	assert_string_equal(submit_url(a, STR("http://h/s"), STR("a+b \xc3\xa9:/%&=?\\"),
				    NULL, STR("5"))
				    .p,
		"http://h/s?FileName=a%2Bb%20\xc3\xa9:%2F%25%26%3D%3F%5C&MD5=5");
	assert_string_equal(
		submit_url(a, STR("http://h/s?p=1"), STR("n"), &names, STR("5")).p,
		"http://h/s?p=1&FileName=n&build=x%2F%C3%A9~&site=a%20b"
		"&stamp=20240102-0304-G&MD5=5");
	names.subproject = STR("s p");
	assert_string_equal(
		submit_url(a, STR("http://h/s?"), STR("n"), &names, STR("5")).p,
		"http://h/s?&FileName=n&build=x%2F%C3%A9~&site=a%20b"
		"&stamp=20240102-0304-G&subproject=s%20p&MD5=5");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remote_names),
		cmocka_unit_test(test_addresses),
	};

	return run_unit_tests("submit_url", tests, NULL, NULL);
}
