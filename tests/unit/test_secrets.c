/* Passwords and tokens in what is shown. */
#include "compat/format/secrets.h"

#include <time.h>

#include "tests/unit/unit.h"

struct row {
	const char *text, *shown; /* NULL: as it is */
};

static void
check_all(const struct row *rows, size_t n,
	struct str (*shown)(struct arena *a, struct str text))
{
	struct arena *a = arena_open();

	for (size_t i = 0; i < n; i++) {
		struct str text = str_of(rows[i].text), got = shown(a, text);

		assert_string_equal(
			str_z(a, got), rows[i].shown ? rows[i].shown : rows[i].text);
		if (!rows[i].shown)
			assert_ptr_equal(got.p, text.p);
	}
	arena_close(a);
}

static void
urls(void **state)
{
	static const struct row rows[] = {
		{"http://host/submit.php?project=A", NULL},
		{"http://me:pw@host:80/x", "http://me:***@host:80/x"},
		{"http://me:p:w@host/", "http://me:***@host/"},
		{"http://me:p@w@host/", "http://me:***@host/"},
		{"http://me:@host/", NULL},
		{"https://ghp_1234@host/", "https://***@host/"},
		{"http://host/a@b:c", NULL},
		{"http://host:8080/@a/b", NULL},
		{"http://host:8080/x?to=a@b", NULL},
		{"http://me:12/34@host/x", "http://me:***@host/x"},
		{"http://me:12/34@host/x?to=a@b", "http://me:***@host/x?to=a@b"},
		{"http://me:/34@host:80/x", "http://me:***@host:80/x"},
		{"http://[::1]:8080/a@b", NULL},
		{"http://[::1]/a@b", NULL},
		{"http://me:p/w@host/x", "http://me:***@host/x"},
		{"http://me:p#w@host/x", "http://me:***@host/x"},
		{"http://me:p w@host/x", "http://me:***@host/x"},
		{"http://host/?token=x1&project=A", "http://host/?token=***&project=A"},
		{"http://host/?a=b&api_key=x1#f", "http://host/?a=b&api_key=***#f"},
		{"http://me:pw@host/?token=x1", "http://me:***@host/?token=***"},
		{"me:pw@proxy:3128", "me:***@proxy:3128"},
		{"proxy:3128", NULL},
		{"proxy", NULL},
		{"", NULL},
		{"://", NULL},
		{"x://@", NULL},
		{"http://me:pw@", "http://me:***@"},
	};

	(void)state;
	check_all(rows, ROWS(rows), secrets_masked_word);
}

static void
lines(void **state)
{
	static const struct row rows[] = {
		{"make -j2 all", NULL},
		{"git clone \"https://me:pw@host/a.git\" b@c",
			"git clone \"https://me:***@host/a.git\" b@c"},
		{"see http://host/ and mail a@b", NULL},
		{"cmake -DTOKEN=x1 -DA=b", "cmake -DTOKEN=*** -DA=b"},
		{"cmake \"-DMY_TOKEN:STRING=x 1\" ..",
			"cmake \"-DMY_TOKEN:STRING=***\" .."},
		{"cmake -DTOKEN:STRING=x1 -DA:STRING=b",
			"cmake -DTOKEN:STRING=*** -DA:STRING=b"},
		{"cmake '-DTOKEN=x 1' -DA=b", "cmake '-DTOKEN=***' -DA=b"},
		{"cmake -DTOKEN=\"x 1\" -DA=b", "cmake -DTOKEN=*** -DA=b"},
		{"cmake -DTOKEN_RING=2 -DTOKENS=3", NULL},
		{"svn --password pw up", "svn --password *** up"},
		{"svn --password=pw up", "svn --password=*** up"},
		{"svn --password \"p w\" up", "svn --password *** up"},
		{"\"svn\" \"--password\" \"p w\" \"up\"",
			"\"svn\" \"--password\" *** \"up\""},
		{"--password", NULL},
		{"--password ", NULL},
		{"--password \"", "--password ***"},
		{"PASSWORD=", NULL},
	};

	(void)state;
	check_all(rows, ROWS(rows), secrets_masked);
}

static void
values(void **state)
{
	static const struct {
		const char *name, *value, *shown;
	} rows[] = {
		{"DropSitePassword", "pw", "***"},
		{"DropSitePassword", "", ""},
		{"SubmitURL", "http://me:pw@host/", "http://me:***@host/"},
		{"SVNOptions", "--username me --password pw",
			"--username me --password ***"},
		{"GITUpdateCustom", "sh;--password;pw", "sh;--password;***"},
		{"MakeCommand", "\"make\" \"TOKEN=a b\" all",
			"\"make\" \"TOKEN=***\" all"},
		{"AWS_SECRET_ACCESS_KEY", "x1", "***"},
		{"GIT_AUTHOR_NAME", "me", "me"},
		{"PWD", "/home/me", "/home/me"},
		{"OLDPWD", "/home/me", "/home/me"},
		{"KEYBOARD", "de", "de"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_string_equal(str_z(a, secrets_masked_value(a, str_of(rows[i].name),
						     str_of(rows[i].value))),
			rows[i].shown);
	arena_close(a);
}

static void
words(void **state)
{
	struct str v[] = {STR("svn"), STR("--password"), STR("p\" w"),
		STR("-DTOKEN=x \"1"), STR("https://me:p w@host/"), STR("up")};
	static const char *const shown[] = {
		"svn", "--password", "***", "-DTOKEN=***", "https://me:***@host/", "up"};
	struct arena *a = arena_open();
	struct str_list l = secrets_masked_words(a, (struct str_list){v, ROWS(v)});

	(void)state;
	assert_int_equal(l.n, ROWS(v));
	for (size_t i = 0; i < l.n; i++)
		assert_string_equal(str_z(a, l.v[i]), shown[i]);
	arena_close(a);
}

/* A NUL is a character like others. */
static void
nul_bytes(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	assert_true(str_eq(
		secrets_masked(a, STR("A=b\0TOKEN=x&y#z")), STR("A=b\0TOKEN=***")));
	assert_true(str_eq(secrets_masked(a, STR("http://me:p\0w@host/")),
		STR("http://me:***@host/")));
	assert_true(
		str_eq(secrets_masked(a, STR("?token=x\0y&a=b")), STR("?token=***&a=b")));
	arena_close(a);
}

/* One word of 1 MiB that repeats `part`. */
static void
check_quick(const char *part)
{
	struct arena *a = arena_open();
	struct buf word = {.arena = a};
	clock_t began = clock();

	while (word.n < 1 << 20)
		buf_z(&word, part);
	buf_z(&word, "&token=c");
	assert_true(str_ends(secrets_masked(a, buf_as_str(&word)), STR("&token=***")));
	assert_true(clock() - began < 20 * CLOCKS_PER_SEC);
	arena_close(a);
}

static void
many_parts_are_quick(void **state)
{
	(void)state;
	check_quick("a=b&");
	check_quick("://");
	check_quick("://a:b/");
	check_quick("://a:1/");
	check_quick("://a:1/?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls),
		cmocka_unit_test(lines),
		cmocka_unit_test(values),
		cmocka_unit_test(words),
		cmocka_unit_test(nul_bytes),
		cmocka_unit_test(many_parts_are_quick),
	};

	return run_unit_tests("secrets", tests, NULL, NULL);
}
