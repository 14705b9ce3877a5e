/* See quiet_tests.h. */
#include "compat/run/quiet_tests.h"

#include "compat/format/regex.h"
#include "compat/run/filters.h"

bool
quiet_tests_select(struct run_context *c, const struct run_settings *s,
	struct run_suite *suite, struct run_tests *tests)
{
	struct buf ignored = {.arena = c->arena};
	struct console_capture capture = {.out = &ignored, .err = &ignored};
	struct console_options options = {.quiet = true};
	struct run_context quiet = {.arena = c->arena,
		.dialect = c->dialect,
		.console = console_open(c->arena, &options, c->dialect, &capture),
		.patterns = match_set_open(c->arena, regex_parse),
		.diag = diag_in(c->arena)};
	struct filter f = {0};
	bool is_read;

	filters_read_labels(&quiet, &s->options.selection, &f);
	filters_read_names(&quiet, &s->options.selection, &f);
	is_read = run_suite_load(&quiet, s, &f, suite) &&
		  run_tests_select(&quiet, s, suite, &f, tests) == EXIT_OK;
	match_set_close(quiet.patterns);
	return console_close(quiet.console) && is_read;
}
