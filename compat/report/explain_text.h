/* The texts of --explain, made from what was recorded. */
#ifndef CCTR_COMPAT_REPORT_EXPLAIN_TEXT_H
#define CCTR_COMPAT_REPORT_EXPLAIN_TEXT_H

#include "runner/schedule/critical.h"
#include "runner/schedule/watch.h"

struct account {
	const struct plan *plan;
	const struct pool *pool; /* NULL: none */
	struct times times;
	const bool *finished; /* by node: finished in an earlier run; or NULL */
	/* By node: why the test did not run; empty where it ran. NULL: all ran. */
	const struct str *reasons;
	/* By node: the nodes of the engine on which the test ran, the first one first, or
	 * none. NULL: all ran on this machine. */
	const struct str_list *nodes;
	double end_s; /* end of the whole run */
};
/* What it waited for. */
void explain_reason(
	struct buf *out, const struct account *a, node_id node, const struct wait *w);
/* When the test started and ended, and each wait before the start. */
void explain_waits(struct buf *out, const struct account *a, const struct watched *t);
void explain_steps(struct buf *out, const struct account *a, const struct steps *s);

/* How long the run would take with one more of the named resource. */
struct gain {
	struct str name;
	double seconds;
};
void explain_gains(struct buf *out, double makespan_s, const struct gain *v, size_t n);

#endif
