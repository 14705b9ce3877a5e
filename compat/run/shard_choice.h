/* --shard: the part of the selected tests that this run has. */
#ifndef CCTR_COMPAT_RUN_SHARD_CHOICE_H
#define CCTR_COMPAT_RUN_SHARD_CHOICE_H

#include "compat/run/run_settings.h"
#include "runner/model/select.h"

/* What the line on standard error says of the shard. */
struct shard_part {
	uint64_t key, tests, own; /* of all shards, of this one */
	const bool *is_own; /* by index of the suite; NULL: there are no shards */
};

/* Replaces the selection, which f has made, by that of the shard, and says on standard
 * error what each shard has. false after diag_error: the file of times cannot be read. */
CCTR_MUST_CHECK bool shard_choose(struct run_context *c, const struct run_settings *s,
	struct filter *f, struct selection *selection, struct shard_part *part);

#endif
