/* One run of a program for a comparison, and what it wrote. */
#ifndef CCTR_COMPAT_COMPARE_COMPARE_RUN_H
#define CCTR_COMPAT_COMPARE_COMPARE_RUN_H

#include "compat/compare/set_aside.h"
#include "runner/process/command.h"

struct compare_run {
	const char *name; /* "ctest" */
	struct str folder; /* with "out", "err" and the files that aside_collect moves */
	struct str_list words;
	const sigset_t *ends; /* signals that the caller blocks, as in command.h */
	struct command_end end;
	double seconds;
	str_vec files; /* relative to the folder, sorted */
};

/* Runs the words with copies of what was set aside, and collects what they wrote. false
 * after diag_error, or where a signal ended it: r->end tells. */
CCTR_MUST_CHECK bool compare_run(struct arena *a, struct compare_run *r,
	const struct aside *aside, struct diag *d);
/* As a shell reports it. */
int compare_run_code(const struct compare_run *r);

#endif
