/* Which tests a run is about, and what they may use. */
#ifndef CCTR_COMPAT_RUN_RUN_TESTS_H
#define CCTR_COMPAT_RUN_RUN_TESTS_H

#include "compat/launch/executable.h"
#include "compat/resources/resource_pool.h"
#include "compat/run/explain.h"
#include "compat/run/partition_choice.h"
#include "compat/run/run_nodes.h"
#include "compat/run/run_suite.h"
#include "compat/run/shard_choice.h"
#include "runner/model/select.h"
#include "runner/resources/affinity.h"

/* Newer dialects read the pool last: only a plan needs it, and its errors are printed
 * after the plan's own. */
struct run_resources {
	struct resource_pool pool;
	struct diag late; /* messages that only a plan prints */
	bool is_refused; /* there can be no plan, see late */
};
/* false: the pool cannot be read; that has been reported. */
bool run_resources_read(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, const struct run_nodes *nodes,
	struct resource_pool *pool);

struct run_tests {
	struct selection selection;
	struct shard_part part; /* --shard */
	bool imagines_nodes; /* nothing runs, but it matters where tests would run */
	struct run_nodes nodes;
	struct run_resources resources;
	struct partitions *partitions; /* --partition; NULL: none */
	struct layout processors; /* for tests that have their own; n is 0: none do */
	struct explained explained; /* --explain */
	struct executable_finder *finder; /* of their programs */
};
/* Selects tests of the suite. f: its labels and names are read. EXIT_OK, or the exit code
 * after messages. */
enum exit_code run_tests_select(struct run_context *c, const struct run_settings *s,
	const struct run_suite *suite, struct filter *f, struct run_tests *t);
/* As run_tests_select, and finds their resources. t: its nodes, or that they are
 * imagined. EXIT_OK, or the exit code after messages. */
enum exit_code run_tests_choose(struct run_context *c, const struct run_settings *s,
	const struct run_suite *suite, struct filter *f, struct run_tests *t);

#endif
