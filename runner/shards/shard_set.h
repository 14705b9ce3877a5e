/* Whether records are all shards of one run, each once. */
#ifndef CCTR_RUNNER_SHARDS_SHARD_SET_H
#define CCTR_RUNNER_SHARDS_SHARD_SET_H

#include "runner/shards/shard_record.h"

struct shard_file {
	struct str path;
	bool is_named; /* by the user: it may be a FIFO */
	struct shard_record record;
};

/* Reads the record of f->path. false after a diag_error: it cannot be read, is damaged or
 * has no end. */
CCTR_MUST_CHECK bool shard_file_read(
	struct arena *a, struct shard_file *f, struct diag *d);
/* Sorts the files by shard. false after one diag_error: one is missing, is there twice,
 * was interrupted, or is of another set of runs. A warning where a run that failed has no
 * result for some of its tests. */
CCTR_MUST_CHECK bool shard_set_check(
	struct arena *a, struct shard_file *v, size_t n, struct diag *d);
/* The exit code of the worst shard: 8, where tests failed, is the worst of all. */
int shard_set_code(const struct shard_file *v, size_t n);

#endif
