/* What cctr prints, and where: -V, -VV, -Q, --progress, -O. */
#ifndef CCTR_COMPAT_OPTIONS_CONSOLE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_CONSOLE_OPTIONS_H

#include "runner/base/base.h"

struct console_options {
	bool verbose, extra_verbose, quiet, debug, progress;
	struct str output_log; /* -O */
	str_vec earlier_logs; /* of -O before; they get only messages about options */
	bool is_script; /* a script runs: less is shown */
};

#endif
