/* See commands.h. */
#include "compat/instrument/commands.h"

#include <stdlib.h>
#include <string.h>

#include "compat/instrument/index.h"
#include "compat/instrument/watcher.h"
#include "runner/base/streams.h"

static bool
is_command(int argc, char *const *argv, const char *word, int words)
{
	return argc == words && strcmp(argv[1], word) == 0;
}

bool
instrument_command(struct arena *a, int argc, char *const *argv, int *code)
{
	bool starts = is_command(argc, argv, "--start-instrumentation", 3);
	bool collects = is_command(argc, argv, "--collect-instrumentation", 3);
	bool waits = is_command(argc, argv, "--wait-and-collect-instrumentation", 4);
	struct dialect dialect;
	struct str build;
	const struct instrumentation *i;
	bool ok;

	INVARIANT(code);
	if (!starts && !collects && !waits)
		return false;
	build = str_of(argv[2]);
	dialect = instrument_dialect(a, build);
	if (!dialect.has[DIALECT_CMAKE_INSTRUMENTATION])
		return false;
	if (waits) {
		ok = watcher_wait(a, &dialect, build, strtol(argv[3], NULL, 10));
	} else {
		i = instrumentation_read(a, &dialect, build);
		streams_put(STREAM_ERROR, i->messages);
		ok = starts ? watcher_start(a, i) : instrument_collect(a, i, HOOK_MANUAL);
	}
	*code = ok ? 0 : 1;
	return true;
}
