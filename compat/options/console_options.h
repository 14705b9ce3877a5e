/* What cctr prints, and where: -V, -VV, -Q, --progress, -O. */
#ifndef CCTR_COMPAT_OPTIONS_CONSOLE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_CONSOLE_OPTIONS_H

#include "runner/base/base.h"

/* --ui. UI_AUTO: UI_LIVE for people who call cctr by its name. */
enum ui_mode { UI_AUTO, UI_LIVE, UI_PLAIN };
struct console_options {
	bool verbose, extra_verbose, quiet, debug, progress;
	bool has_colour; /* by the environment, before a preset changes that */
	struct str output_log; /* -O */
	str_vec earlier_logs; /* of -O before; they get only messages about options */
	bool is_script; /* a script runs: less is shown */
	bool is_called_ctest; /* the name by which cctr was called is that of ctest */
	enum ui_mode ui;
};

#endif
