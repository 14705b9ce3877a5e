/* Writes the record of a shard while its tests run. shard_record.h. */
#ifndef CCTR_RUNNER_SHARDS_REPORT_SHARD_H
#define CCTR_RUNNER_SHARDS_REPORT_SHARD_H

#include "runner/shards/shard_record.h"

struct shard_writer_options {
	struct str path;
	struct str start; /* where attached files of relative names are: path_in */
	struct shard_head head; /* but for started_us */
	const bool *is_own; /* by index of the suite */
};

/* "cctr-shard-2-of-5" */
struct str shard_record_name(struct arena *a, uint32_t shard, uint32_t shards);
/* The record of an earlier run must not count for this one. false after a diag_error: it
 * is still there. */
CCTR_MUST_CHECK bool shard_record_remove(struct str path, struct diag *d);

/* Makes the file. A failure is kept until report_shard_end. */
struct report *report_shard_open(struct arena *a, const struct shard_writer_options *o);
/* After the report was closed or stopped: the run is over, with that exit code, or by
 * that signal. false after a diag_error: the record is not whole. */
CCTR_MUST_CHECK bool report_shard_end(
	struct report *r, int code, int signal, struct diag *d);

#endif
