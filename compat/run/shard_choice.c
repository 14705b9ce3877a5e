/*
 * Only what all runs are given decides: the tests, what they declare, and the file of
 * --timings.
 * Records of earlier runs differ from machine to machine, and a test would be in no
 * shard.
 */
#include "compat/run/shard_choice.h"

#include <inttypes.h>

#include "compat/run/suite_times.h"
#include "runner/schedule/shards.h"

/* "2,057" */
static void
add_number(struct buf *out, uint64_t n)
{
	if (n >= 1000) {
		add_number(out, n / 1000);
		buf_fmt(out, ",%03" PRIu64, n % 1000);
	} else {
		buf_fmt(out, "%" PRIu64, n);
	}
}

static void
add_seconds(struct buf *out, uint64_t us)
{
	add_number(out, us / 1000000);
	buf_fmt(out, ".%03" PRIu64, us / 1000 % 1000);
}

/* shard: from 0. run_n: how many tests its run has. */
static struct str
describe_shard(struct arena *a, const struct shards *all, uint32_t shard, size_t run_n)
{
	struct buf out = {.arena = a};

	buf_fmt(&out, "cctr: shard %u of %u: ", shard + 1, all->n);
	add_number(&out, all->tests[shard]);
	buf_z(&out, " of ");
	add_number(&out, all->own);
	buf_z(&out, " tests, expected ");
	add_seconds(&out, all->us[shard]);
	buf_z(&out, " of ");
	add_seconds(&out, all->total_us);
	buf_z(&out, " s; all shards: ");
	for (uint32_t i = 0; i < all->n; i++) {
		buf_z(&out, i ? " + " : "");
		add_number(&out, all->tests[i]);
	}
	buf_z(&out, " tests, ");
	for (uint32_t i = 0; i < all->n; i++) {
		buf_z(&out, i ? " + " : "");
		add_seconds(&out, all->us[i]);
	}
	buf_fmt(&out, " s; %zu more for fixtures; key %016" PRIx64 "\n",
		run_n - all->tests[shard], all->key);
	return buf_as_str(&out);
}

/* A file that is missing on one machine would give it other shards. */
static bool
read_times(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct recorded *recorded)
{
	struct timings_file file = suite_timings_file(c, s);
	struct timings times;

	if (!file.is_named)
		return true;
	file.must_exist = true;
	if (!timings_load(c->arena, &file, &times, &c->diag))
		return false;
	timings_fill(&times, s->options.configuration, selection, recorded);
	return true;
}

bool
shard_choose(struct run_context *c, const struct run_settings *s, struct filter *f,
	struct selection *selection, struct shard_part *part)
{
	const struct selection_options *o = &s->options.selection;
	struct recorded *recorded = NEW_ARRAY(c->arena, struct recorded, selection->n);
	bool *accepted = NEW_ARRAY(c->arena, bool, selection->suite->n);
	struct shards all;

	INVARIANT(o->shard >= 1 && o->shard <= o->shards);
	if (!read_times(c, s, selection, recorded))
		return false;
	all = shards_plan(c->arena, selection, f,
		expected_times(c->arena, selection, recorded), o->shards);
	for (size_t i = 0; i < selection->n; i++)
		accepted[selection->v[i].test] = all.of[i] == o->shard - 1;
	f->accepted = accepted;
	*part = (struct shard_part){
		.key = all.key,
		.tests = all.own,
		.own = all.tests[o->shard - 1],
		.is_own = accepted,
	};
	*selection = select_tests(c->arena, selection->suite, f);
	console_raw_error(
		c->console, describe_shard(c->arena, &all, o->shard - 1, selection->n));
	return true;
}
