/*
 * A build whose commands are launched by cctr --launch (CTEST_USE_LAUNCHERS): what the
 * launchers are told, and the fragments of Build.xml that they leave.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_LAUNCH_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_LAUNCH_H

#include "compat/dashboard/step/step.h"

struct build_launch {
	struct dashboard *d;
	bool is_on; /* asked for, and there is a tag */
	/* Filled: */
	struct str directory; /* of the fragments: Testing/<tag>/Build */
	size_t errors, warnings;
	str_vec fragments; /* paths, in the order in which they were written */
};
/* Removes the fragments of an earlier build, and lets the environment of all commands say
 * what launchers are to do. */
void build_launch_begin(struct build_launch *l);
/* From now on launchers only launch. */
void build_launch_end(struct build_launch *l);
/* The command itself failed with this output: where no launcher says why, a fragment of
 * its own does. */
void build_launch_note(struct build_launch *l, const struct str_list *words,
	int exit_code, struct str log);
/* Finds the fragments: the first ones, as many of each kind as are reported. */
void build_launch_collect(struct build_launch *l);

#endif
