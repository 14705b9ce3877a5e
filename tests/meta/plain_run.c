/*
 * A runner of tests without dashboards, scripts and presets of a dashboard's steps: what
 * it links shows that a plain run needs none of compat/dashboard. rooms.sh builds on it.
 */
#include "compat/command_line/command_line.h"
#include "compat/run/mode.h"
#include "manifests/bridge/testfile.h"
#include "runner/base/streams.h"
#include "runner/process/guardian.h"
#include "runner/process/install_paths.h"

int
main(int argc, char **argv)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(3025);
	struct options o;
	options_messages messages = {0};
	struct test_inputs inputs = {.source = &testfile_source,
		.share = share_directory(a),
		.custom = testfile_custom};
	struct console *console;
	struct run_context c;
	struct run_end end;

	if (!command_line_parse(a, &dialect, NULL, argc, argv, &o, &messages))
		return EXIT_USAGE;
	guardian_begin();
	console = console_open(a, &o.console, &dialect, NULL);
	c = run_context_of(a, &dialect, console);
	c.directory = path_here(a);
	end = test_mode(&c, run_settings_read(&c, &o, &inputs, NULL));
	if (!console_close(console) && end.code == EXIT_OK)
		end.code = EXIT_USAGE;
	guardian_end();
	streams_drain();
	streams_close();
	arena_close(a);
	return end.interrupted ? EXIT_USAGE : (int)end.code;
}
