/*
 * A build whose commands run through cctr --launch (CTEST_USE_LAUNCHERS): the input of
 * the launchers, and the fragments of Build.xml that they write.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_LAUNCH_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_LAUNCH_H

#include "compat/dashboard/step/step.h"

struct build_launch {
	const struct step_input *in;
	bool is_on; /* requested, and there is a tag */
	/* Filled: */
	struct str directory; /* of the fragments: Testing/<tag>/Build */
	const char *const *environment; /* of the build */
	/* The rules for warnings are written. Else launchers only run their commands. */
	bool has_input;
	size_t errors, warnings;
	str_vec fragments; /* paths, in the order in which they were written */
};
/* Removes the fragments of an earlier build, and sets the environment of the build. */
void build_launch_begin(struct build_launch *l);
/* Reports commands that could not be noted. */
void build_launch_end(struct build_launch *l);
/* Call it when the command itself failed with this output. If no launcher gives the
 * reason, writes a fragment that does. */
void build_launch_note(struct build_launch *l, const struct str_list *words,
	int exit_code, struct str log);
/* Finds the first fragments: as many of each kind as are reported. */
void build_launch_collect(struct build_launch *l);

#endif
