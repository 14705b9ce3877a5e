/* Runs the tests and writes the records of the run. */
#ifndef CCTR_COMPAT_RUN_EXECUTION_H
#define CCTR_COMPAT_RUN_EXECUTION_H

#include "compat/run/run_files.h"
#include "compat/run/run_tests.h"

struct run_result {
	enum exit_code code;
	bool is_over; /* since 3.30 a run without a plan has failed, and nothing follows
		       */
};
/* Removes what an earlier run said to a CI server: this one may end before it says
 * anything. false after messages. */
bool execution_clear(struct run_context *c, const struct run_settings *s);
/* Closes the files. explanation: of --explain. */
struct run_result execution_run(struct run_context *c, const struct run_settings *s,
	struct run_tests *t, const struct run_files *files,
	struct explanation *explanation);

#endif
