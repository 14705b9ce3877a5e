/* SHA3-256: NIST's examples, and lengths around the end of a block. */
#include "compat/format/sha3.h"
#include "tests/unit/unit.h"

static void
test_lengths(void **state)
{
	static const struct {
		size_t n; /* of the letter a */
		const char *sum;
	} rows[] = {
		{0, "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"},
		{1, "80084bf2fba02475726feb2cab2d8215eab14bc6bdd8bfb2c8151257032ecd8b"},
		{135, "8094bb53c44cfb1e67b7c30447f9a1c33696d2463ecc1d9c92538913392843c9"},
		{136, "3fc5559f14db8e453a0a3091edbd2bc25e11528d81c66fa570a4efdcc2695ee1"},
		{137, "f8d6846cedd2ccfadf15c5879ef95af724d799eed7391fb1c91f95344e738614"},
		{1000, "8f3934e6f7a15698fe0f396b95d8c4440929a8fa6eae140171c068b4549fbf8"
		       "1"},
	};
	char bytes[1000], sum[SHA3_256_TEXT];

	(void)state;
	memset(bytes, 'a', sizeof bytes);
	for (size_t i = 0; i < ROWS(rows); i++) {
		sha3_256_text(sum, str_cut(bytes, rows[i].n));
		assert_string_equal(sum, rows[i].sum);
	}
}

static void
test_text(void **state)
{
	char sum[SHA3_256_TEXT];

	(void)state;
	sha3_256_text(sum, STR("abc"));
	assert_string_equal(
		sum, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_text),
	};

	return run_unit_tests("sha3", tests, NULL, NULL);
}
