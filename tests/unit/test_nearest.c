/* Which word a misspelled one means. */
#include "runner/base/nearest.h"
#include "tests/unit/unit.h"

static void
meant(void **state)
{
	static struct str words[] = {STR("gpus"), STR("--simulate"), STR("--schedule"),
		STR("--explain"), STR("")};
	static const struct {
		const char *typed, *meant; /* "" where no word is near */
	} rows[] = {
		{"gpu", "gpus"},
		{"gpsu", "gpus"},
		{"gpxs", "gpus"},
		{"gpuss", "gpus"},
		{"cpu", ""},
		{"--simulat", "--simulate"},
		{"-simulate", "--simulate"},
		{"--shedule", "--schedule"},
		{"--explian", "--explain"},
		{"--simulate", "--simulate"},
		{"--schadull", "--schedule"},
		{"--schadulled", ""},
		{"--quiet", ""},
		{"", ""},
		{"g", ""},
		{"a word of more than sixty-four bytes, which no one types as an option",
			""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str found =
			nearest_word(str_of(rows[i].typed), (struct str_list){words, 5});

		if (!str_is(found, rows[i].meant))
			print_message("row %zu\n", i);
		assert_true(str_is(found, rows[i].meant));
	}
	assert_false(nearest_word(STR("gpus"), (struct str_list){words, 0}).p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(meant)};

	return run_unit_tests("nearest", tests, NULL, NULL);
}
