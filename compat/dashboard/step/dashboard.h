/* What the caller of steps keeps from one step to the next. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_DASHBOARD_H
#define CCTR_COMPAT_DASHBOARD_STEP_DASHBOARD_H

#include "compat/dashboard/step/step.h"
#include "compat/options/run_options.h"
#include "compat/options/schedule_options.h"

/* What a call of ctest_test or ctest_memcheck leaves to later calls. */
struct kept_options {
	bool is_set;
	struct schedule_options schedule; /* the jobs, and whether the order is random */
	struct run_options run; /* stop_s and stop_on_failure */
	/* Until 4.0: */
	struct repeat repeats[PARTS];
	struct str spec_files[PARTS]; /* resource specifications */
	struct str junits[PARTS]; /* OUTPUT_JUNIT */
};
struct dashboard {
	struct arena *arena;
	const struct dialect *dialect;
	struct console *console;
	const struct test_inputs *inputs;
	struct configuration configuration;
	struct str binary; /* as spelled; files go below it */
	struct stamp stamp;
	step_files files; /* written under this tag */
	int interrupted; /* the signal that ended a step early */
	const char *unset; /* by the last step, for later ones; or NULL */
	/* For a script: */
	double limit_s; /* of tests, in its last call; 0: none */
	bool wants_files; /* ctest_start was called */
	/* Keys that -D sets; a command's own value does not override them. */
	VEC(struct variable) defined;
	struct str_list headers; /* from the last HTTPHEADER */
	struct str build; /* its number, from the server's last answer */
	/* Of earlier calls: until 4.0 later calls use them, too. */
	int indices[PARTS];
	struct custom_kept custom; /* and of CTestCustom.cmake */
	/* Of earlier calls that ran, and with the present call, which perhaps does not.
	 */
	struct kept_options kept, next;
};

/* The input of a step that the caller completes: custom, directory, source and call are
 * not set. It refers to d. */
struct step_input dashboard_input(const struct dashboard *d, const struct options *o);
/* Takes what later steps need from a result. */
void dashboard_fold(struct dashboard *d, const struct step_result *r);

#endif
