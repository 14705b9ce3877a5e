/* The shards of a run as one run that reports can hear again. */
#ifndef CCTR_COMPAT_DASHBOARD_MERGE_MERGED_RUN_H
#define CCTR_COMPAT_DASHBOARD_MERGE_MERGED_RUN_H

#include "runner/shards/shard_set.h"

struct merged_run {
	struct arena *arena;
	struct shard_file *files;
	size_t n;
	/* Each test once, though setups and cleanups of fixtures may have run in several
	 * shards: then the first that failed counts, else the first. */
	struct selection selection;
	const struct shard_file **chosen; /* by index of the selection */
	struct tally tally;
};

/* files: checked by shard_set_check; they are borrowed and completed. */
struct merged_run *merged_run_of(struct arena *a, struct shard_file *files, size_t n);

struct merged_listener {
	struct report *report;
	bool hears_all; /* every attempt in every shard, not only what counts */
	/* Before the attempts of a shard; may be NULL. */
	void (*enter)(void *context, const struct shard_file *shard);
	void *context;
};
/* Sends the events of the whole run: those of one shard after those of another. */
void merged_run_tell(const struct merged_run *m, const struct merged_listener *l);

#endif
