/* ui: where a run has a live display, and when that is coloured. */
#include "compat/console/ui.h"
#include "tests/unit/unit.h"

static const struct {
	struct console_options o;
	struct ui_place p;
	bool is_live;
} rows[] = {
	{{.ui = UI_AUTO}, {.is_terminal = true, .term = "xterm"}, true},
	{{.ui = UI_LIVE}, {.is_terminal = true, .term = "xterm"}, true},
	{{.ui = UI_PLAIN}, {.is_terminal = true, .term = "xterm"}, false},
	{{.ui = UI_AUTO}, {.term = "xterm"}, false},
	{{.ui = UI_LIVE}, {.term = "xterm"}, false},
	{{.ui = UI_AUTO}, {.is_terminal = true}, false},
	{{.ui = UI_LIVE}, {.is_terminal = true}, false},
	{{.ui = UI_LIVE}, {.is_terminal = true, .term = ""}, false},
	{{.ui = UI_LIVE}, {.is_terminal = true, .term = "dumb"}, false},
	{{.ui = UI_AUTO}, {.is_terminal = true, .term = "xterm", .ci = "true"}, false},
	{{.ui = UI_AUTO}, {.is_terminal = true, .term = "xterm", .ci = ""}, true},
	{{.ui = UI_LIVE}, {.is_terminal = true, .term = "xterm", .ci = "true"}, true},
	{{.is_called_ctest = true}, {.is_terminal = true, .term = "xterm"}, false},
	{{.is_called_ctest = true, .ui = UI_LIVE}, {.is_terminal = true, .term = "tmux"},
		true},
	{{.quiet = true, .ui = UI_LIVE}, {.is_terminal = true, .term = "xterm"}, false},
	{{.progress = true, .ui = UI_LIVE}, {.is_terminal = true, .term = "xterm"},
		false},
	{{.verbose = true}, {.is_terminal = true, .term = "xterm"}, true},
	{{.verbose = true, .debug = true}, {.is_terminal = true, .term = "xterm"}, false},
};

static void
display_is_for_people_at_terminals(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		if (ui_is_live(&rows[i].o, &rows[i].p) != rows[i].is_live)
			fail_msg("row %zu", i);
}

static void
colours_are_as_asked(void **state)
{
	static const struct {
		struct ui_place p;
		bool has;
	} colours[] = {
		{{.no_colour = NULL}, true},
		{{.no_colour = "1"}, false},
		{{.no_colour = ""}, true},
		{{.no_colour = "1", .colour_force = "1"}, false},
		{{.colour = "0"}, false},
		{{.colour = "1"}, true},
		{{.colour = "0", .colour_force = "1"}, true},
		{{.colour = "0", .colour_force = "0"}, false},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(colours); i++)
		if (ui_has_colour(&colours[i].p) != colours[i].has)
			fail_msg("row %zu", i);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(display_is_for_people_at_terminals),
		cmocka_unit_test(colours_are_as_asked),
	};

	return run_unit_tests("ui", tests, NULL, NULL);
}
