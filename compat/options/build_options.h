/* What the command line says for --build-and-test. The options are rows of
 * option_table.c. */
#ifndef CCTR_COMPAT_OPTIONS_BUILD_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_BUILD_OPTIONS_H

#include "runner/base/base.h"

struct build_options {
	bool is_asked; /* --build-and-test */
	struct str source, binary; /* as given */
	struct str generator, platform, toolset, project, make_program;
	struct str config_sample, exe_dir, run_dir;
	str_vec targets; /* "" is the default one */
	str_vec options; /* of cmake */
	str_vec test_command;
	bool no_cmake, no_clean, two_config;
	double timeout_s; /* 0 or less: no limit */
};

#endif
