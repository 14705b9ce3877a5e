/*
 * Of tests that end at about the same time, the one that has most to do with the next:
 * a dependency, a lock, a resource, then any; of these the longest. Steps go back in
 * time, so that tests without duration are passed by.
 */
#include "runner/critical.h"

#include <math.h>
#include <stdlib.h>

/* Ends that are one to a run with real processes; and so many are compared. */
#define SAME_END_S 0.001
enum { COMPARED = 64 };

struct dated {
	double at_s;
	node_id node;
};

static int
by_time(const void *left, const void *right)
{
	const struct dated *a = left, *b = right;

	if (a->at_s != b->at_s)
		return a->at_s < b->at_s ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

struct ends
ends_of(struct arena *a, const struct plan *p, struct times t)
{
	struct ends e = {.times = t, .v = NEW_ARRAY(a, node_id, p->n)};
	struct dated *dated = NEW_ARRAY(a, struct dated, p->n);

	for (node_id i = 0; i < p->n; i++)
		if (t.ended_s[i] >= 0)
			dated[e.n++] = (struct dated){t.ended_s[i], i};
	if (e.n)
		qsort(dated, e.n, sizeof *dated, by_time);
	for (size_t i = 0; i < e.n; i++)
		e.v[i] = dated[i].node;
	return e;
}

/* ---- why the next one started then --------------------------------------------------
 */

static bool
depends_on(const struct selected *s, node_id node)
{
	size_t low = 0, high = s->depends_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->depends[mid] < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->depends_n && s->depends[low] == node;
}

static struct str
shared_lock(const struct properties *a, const struct properties *b)
{
	for (size_t i = 0; i < a->resource_locks.n; i++)
		if (str_list_has(b->resource_locks, a->resource_locks.v[i]))
			return a->resource_locks.v[i];
	return STR_NONE;
}

static bool
asks_for(const struct resource_groups *g, struct str type)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			if (str_eq(g->v[i].v[k].type, type))
				return true;
	return false;
}

static struct str
shared_type(const struct resource_groups *a, const struct resource_groups *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->v[i].n; k++)
			if (asks_for(b, a->v[i].v[k].type))
				return a->v[i].v[k].type;
	return STR_NONE;
}

static struct step
step_from(const struct plan *p, node_id before, node_id node)
{
	const struct properties *a = p->nodes[before].test->properties;
	const struct properties *b = p->nodes[node].test->properties;
	struct step s = {.node = node, .kind = STEP_SLOTS};

	if (depends_on(&p->selection->v[node], before))
		s.kind = STEP_DEPENDENCY;
	else if ((s.name = shared_lock(a, b)).n)
		s.kind = STEP_LOCK;
	else if ((s.name = shared_type(&a->resource_groups, &b->resource_groups)).n)
		s.kind = STEP_RESOURCE;
	else if (a->run_serial || b->run_serial)
		s.kind = STEP_ALONE;
	return s;
}

/* Of e->v the first that ended later. */
static size_t
first_after(const struct ends *e, double at_s)
{
	size_t low = 0, high = e->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->times.ended_s[e->v[mid]] <= at_s)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Of two that have as much to do with the next, the longer one. */
static bool
is_better(const struct ends *e, enum step_kind a_kind, node_id a, enum step_kind b_kind,
	node_id b)
{
	if (a_kind != b_kind)
		return a_kind < b_kind;
	return e->times.started_s[a] < e->times.started_s[b];
}

/* MAP_NONE: it is the first. */
static node_id
step_back(const struct plan *p, const struct ends *e, node_id node, struct step *step)
{
	double start = e->times.started_s[node], last = HUGE_VAL;
	node_id best = MAP_NONE;

	*step = (struct step){.node = node};
	for (size_t i = first_after(e, start), n = 0; i-- > 0 && n < COMPARED; n++) {
		struct step s;

		if (e->times.started_s[e->v[i]] >= start)
			continue;
		if (last == HUGE_VAL)
			last = e->times.ended_s[e->v[i]];
		if (e->times.ended_s[e->v[i]] < last - SAME_END_S)
			break;
		s = step_from(p, e->v[i], node);
		if (best != MAP_NONE && !is_better(e, s.kind, e->v[i], step->kind, best))
			continue;
		*step = s;
		best = e->v[i];
	}
	return best;
}

/* ---- the way ------------------------------------------------------------------------
 */

static double
length(const struct ends *e, node_id node)
{
	return e->times.ended_s[node] < 0
		       ? 0
		       : e->times.ended_s[node] - e->times.started_s[node];
}

static void
turn(struct steps *s)
{
	for (size_t i = 0, k = s->v.n; i + 1 < k; i++) {
		struct step kept = s->v.v[i];

		s->v.v[i] = s->v.v[--k];
		s->v.v[k] = kept;
	}
}

/* By node, the longest way behind it. */
static double *
tails(struct arena *a, const struct plan *p, const struct ends *e)
{
	double *tail = NEW_ARRAY(a, double, p->n);

	for (size_t at = p->n; at-- > 0;) {
		node_id i = p->topological[at];

		for (uint32_t k = 0; k < p->nodes[i].users_n; k++) {
			node_id user = p->nodes[i].users[k];

			if (length(e, user) + tail[user] > tail[i])
				tail[i] = length(e, user) + tail[user];
		}
	}
	return tail;
}

static node_id
step_forth(const struct plan *p, const struct ends *e, const double *tail, node_id node)
{
	node_id best = MAP_NONE;
	double most = 0;

	for (uint32_t k = 0; k < p->nodes[node].users_n; k++) {
		node_id user = p->nodes[node].users[k];

		if (length(e, user) + tail[user] > most) {
			most = length(e, user) + tail[user];
			best = user;
		}
	}
	return best;
}

struct steps
critical_path(
	struct arena *a, const struct plan *p, const struct ends *e, node_id through)
{
	struct steps s = {.seconds = 0};
	const double *tail = tails(a, p, e);

	for (node_id i = through; i != MAP_NONE;) {
		struct step step;

		i = step_back(p, e, i, &step);
		VEC_PUSH(a, &s.v, step);
	}
	turn(&s);
	for (node_id i = through; (i = step_forth(p, e, tail, i)) != MAP_NONE;)
		VEC_PUSH(a, &s.v, (struct step){.node = i, .kind = STEP_DEPENDENCY});
	for (size_t i = 0; i < s.v.n; i++)
		s.seconds += length(e, s.v.v[i].node);
	return s;
}
