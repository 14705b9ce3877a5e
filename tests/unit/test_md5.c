/* MD5: the suite of RFC 1321, and lengths around the ends of blocks. */
#include <stdlib.h>
#include <unistd.h>

#include "compat/format/md5.h"
#include "tests/unit/unit.h"

static void
test_texts(void **state)
{
	static const struct {
		const char *text, *sum;
	} rows[] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
			"d174ab98d277d9f5a5611c2c9f419d9f"},
		{"12345678901234567890123456789012345678901234567890123456789012345678901"
		 "234567890",
			"57edf4a22be3c955ac49da2e2107b67a"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		char sum[MD5_TEXT];

		md5_text(sum, str_of(rows[i].text));
		assert_string_equal(sum, rows[i].sum);
	}
}

static void
test_lengths(void **state)
{
	static const struct {
		size_t n;
		const char *sum;
	} rows[] = {
		{55, "04364420e25c512fd958a70738aa8f72"},
		{56, "668a72d5ba17f08e62dabcafad6db14b"},
		{57, "693037871c4a9d3d8685018905cb530a"},
		{63, "7dc2ca208106a2f703567bdff99d8981"},
		{64, "c1bb4f81d892b2d57947682aeb252456"},
		{65, "1bc932052302d074bdec39795fe00cf6"},
		{119, "ab347a5f68c8a443cfcddc633f12c24f"},
		{120, "fb98667f98096de92620b64f46e1c5b5"},
		{128, "d69cb61a6ee87200676eb0d4b90edbcb"},
		{200, "30a83621ce5422fbdfdd539777458c78"},
	};
	char text[200];

	(void)state;
	memset(text, 'x', sizeof text);
	for (size_t i = 0; i < ROWS(rows); i++) {
		char sum[MD5_TEXT];

		md5_text(sum, str_cut(text, rows[i].n));
		assert_string_equal(sum, rows[i].sum);
	}
}

static void
test_descriptors(void **state)
{
	char path[] = "/tmp/cctr-md5-XXXXXX";
	int fd = mkstemp(path);
	char digest[MD5_TEXT];
	uint64_t size;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "-abc", 4), 4);
	assert_int_equal(lseek(fd, 1, SEEK_SET), 1);
	assert_true(md5_descriptor(digest, fd, &size));
	assert_string_equal(digest, "900150983cd24fb0d6963f7d28e17f72");
	assert_int_equal(size, 3);
	for (int i = 0; i < 40000; i++)
		assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
	assert_true(md5_descriptor(digest, fd, &size));
	assert_string_equal(digest, "33766cd480de06a6b2e053eb8f67583e");
	assert_int_equal(size, 40000);
	close(fd);
	unlink(path);
	assert_false(md5_descriptor(digest, fd, &size));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_texts), cmocka_unit_test(test_lengths)};

	return run_unit_tests("md5", tests, NULL, NULL);
}
