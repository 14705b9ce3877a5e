/* again: which options of a run are part of the command that runs a test again. */
#include "compat/run/again.h"
#include "tests/unit/unit.h"

static const struct {
	const char *words[8];
	const char *command;
} rows[] = {
	{{NULL}, "cctr -V"},
	{{"/a b/cctr", "-j4", "-R", "x", "-V"}, "'/a b/cctr' -V"},
	{{"cctr", "--test-dir", "b", "-C", "Debug", "-F"},
		"cctr --test-dir b -C Debug -V"},
	{{"cctr", "--test-dir=a b", "--output-junit", "o"}, "cctr '--test-dir=a b' -V"},
	{{"cctr", "--resource-spec-file", "s.json", "--html=o", "-r", "gpus=2"},
		"cctr --resource-spec-file s.json -r gpus=2 -V"},
	{{"cctr", "--resource-pool-file=p.yaml", "--oversubscribe", "gpus=2"},
		"cctr --resource-pool-file=p.yaml --oversubscribe gpus=2 -V"},
	{{"cctr", "-E", "$(x)", "--manifest", "$(y)"}, "cctr --manifest '$(y)' -V"},
};

static void
the_command_has_what_places_the_run(void **state)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str words[8];
		struct str_list list = {.v = words};
		struct str got;

		while (list.n < 8 && rows[i].words[list.n]) {
			words[list.n] = str_of(rows[i].words[list.n]);
			list.n++;
		}
		got = again_command(*state, list);
		if (!str_is(got, rows[i].command))
			fail_msg("row %zu: %.*s", i, STR_ARG(got));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_command_has_what_places_the_run, open_arena, close_arena),
	};

	return run_unit_tests("again", tests, NULL, NULL);
}
