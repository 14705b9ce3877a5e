/* The files of a run that reports write: LastTest.log, JUnit, Test.xml. Listings write
 * them too: the log has its frame, JUnit no test case. */
#ifndef CCTR_COMPAT_RUN_RUN_FILES_H
#define CCTR_COMPAT_RUN_RUN_FILES_H

#include "compat/run/run_settings.h"
#include "runner/run/report.h"

enum { RUN_FILES_MOST = 7 };
struct run_files {
	struct report *log; /* NULL: none */
	struct report *others[RUN_FILES_MOST - 2];
	size_t others_n;
	struct report *shard; /* the record of --shard, which its caller ends; or NULL */
};

/* The selection may be filled in later, but before the first event. NULL after
 * messages. */
struct report *run_files_open_log(struct run_context *c, const struct run_settings *s,
	const struct selection *selection);
void run_files_open_others(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_files *f);
/* Appends the files to reports; returns how many. */
size_t run_files_list(const struct run_files *f, struct report **reports);

/* Close reports, and print the messages. false: one could not be written. */
bool run_files_close_reports(
	struct run_context *c, struct report *const *reports, size_t n);
bool run_files_close(struct run_context *c, const struct run_files *f);
/* For a run without a plan: newer releases leave the log incomplete, and write nothing
 * else. As run_files_close. */
bool run_files_leave(struct run_context *c, const struct run_files *f);

#endif
