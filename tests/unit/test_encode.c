/* encode: the archive of a file with a short and a long name, and of an old one, as tar
 * reads it. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/format/encode.h"
#include "tests/unit/unit.h"

static void
write_bytes(const char *path, struct str bytes)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
}

/* The names in the archive, then its content. */
static void
expect_archive(struct arena *a, const char *archive, const char *expected)
{
	char got[2 * NAME_MAX] = "";
	FILE *f =
		popen(str_fmt_z(a, "tar -tzf %s && tar -xOzf %s", archive, archive), "r");

	assert_non_null(f);
	got[fread(got, 1, sizeof got - 1, f)] = '\0';
	assert_int_equal(pclose(f), 0);
	assert_string_equal(got, expected);
}

static void
names_of_every_length_are_kept(void **state)
{
	static const int lengths[] = {1, 99, 100, 101, NAME_MAX};
	struct arena *a = *state;
	char folder[] = "/tmp/cctr-encode-XXXXXX";
	const char *archive;

	assert_non_null(mkdtemp(folder));
	archive = str_fmt_z(a, "%s.tar.gz", folder);
	for (size_t i = 0; i < ROWS(lengths); i++) {
		struct buf tar = {.arena = a};
		const char *name = str_fmt_z(a, "%0*d", lengths[i], 7);
		const char *path = str_fmt_z(a, "%s/%s", folder, name);

		write_bytes(path, STR("text\n"));
		assert_true(encode_archive(&tar, str_of(path)));
		write_bytes(archive, buf_as_str(&tar));
		expect_archive(a, archive, str_fmt_z(a, "%s\ntext\n", name));
		unlink(path);
	}
	unlink(archive);
	rmdir(folder);
}

static void
old_file_has_the_first_time(void **state)
{
	struct arena *a = *state;
	char folder[] = "/tmp/cctr-encode-XXXXXX", got[200] = "";
	const struct timespec before_1970[2] = {{-1000000, 0}, {-1000000, 0}};
	struct buf tar = {.arena = a};
	const char *path, *archive;
	FILE *f;

	assert_non_null(mkdtemp(folder));
	path = str_fmt_z(a, "%s/old", folder);
	archive = str_fmt_z(a, "%s/old.tar.gz", folder);
	write_bytes(path, STR("text\n"));
	assert_int_equal(utimensat(AT_FDCWD, path, before_1970, 0), 0);
	assert_true(encode_archive(&tar, str_of(path)));
	write_bytes(archive, buf_as_str(&tar));
	f = popen(str_fmt_z(a, "tar --utc -tvzf %s", archive), "r");
	assert_non_null(f);
	got[fread(got, 1, sizeof got - 1, f)] = '\0';
	assert_int_equal(pclose(f), 0);
	assert_non_null(strstr(got, " 1970-01-01 00:00 old\n"));
	unlink(archive);
	unlink(path);
	rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			names_of_every_length_are_kept, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			old_file_has_the_first_time, open_arena, close_arena),
	};

	return run_unit_tests("encode", tests, NULL, NULL);
}
