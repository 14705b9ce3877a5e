/* The record that a run with --shard leaves in the folder Testing. */
#ifndef CCTR_COMPAT_RUN_SHARD_FILE_H
#define CCTR_COMPAT_RUN_SHARD_FILE_H

#include "compat/run/run_tests.h"
#include "runner/run/report.h"

/* Removes the record of an earlier run of the same shard. false after messages: the run
 * must not begin. Nothing without --shard. */
CCTR_MUST_CHECK bool shard_file_clear(
	struct run_context *c, const struct run_settings *s);
/* NULL: the run has no record. */
struct report *shard_file_open(
	struct run_context *c, const struct run_settings *s, const struct run_tests *t);
/* The run has ended with that exit code. Returns it, or EXIT_TESTS_FAILED after a
 * message: the record is not whole. */
enum exit_code shard_file_end(
	struct run_context *c, struct report *record, enum exit_code code);

#endif
