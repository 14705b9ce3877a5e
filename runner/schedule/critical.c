/*
 * Of tests that end at about the same time, the one that has most to do with the next:
 * a dependency, a lock, one that runs alone, a resource, then any; of these the longest.
 * Tests without duration are ignored, so that every step goes back in time.
 */
#include "runner/schedule/critical.h"

#include "runner/base/sort.h"
#include "runner/schedule/request_class.h"

/* Ends that are one to a run with real processes. So many are compared, or all of one
 * time: the next step is before that time, so that none is compared twice. */
#define SAME_END_S 0.001
enum { COMPARED = 64 };

SORT_BY(sort_events, struct slot_event, ASCENDING(at_s) ASCENDING(node))

static void
sort_and_sum(struct slot_event *v, size_t n)
{
	sort_events(v, n);
	for (size_t i = 1; i < n; i++)
		v[i].slots += v[i - 1].slots;
}

struct course
course_of(struct arena *a, const struct plan *p, const struct scheduler_options *o,
	struct times t)
{
	struct course c = {.times = t, .o = o};

	INVARIANT(t.started_s && t.ended_s);
	c.starts = NEW_ARRAY(a, struct slot_event, p->n);
	c.ends = NEW_ARRAY(a, struct slot_event, p->n);
	for (node_id i = 0; i < p->n; i++) {
		size_t slots = request_slots(o, p, i);

		if (t.ended_s[i] <= t.started_s[i])
			continue;
		c.starts[c.n] = (struct slot_event){t.started_s[i], i, slots};
		c.ends[c.n++] = (struct slot_event){t.ended_s[i], i, slots};
	}
	sort_and_sum(c.starts, c.n);
	sort_and_sum(c.ends, c.n);
	return c;
}

/* ---- why the next one started then ----------------------------------------------- */

static bool
depends_on(const struct selected *s, node_id node)
{
	size_t i;

	BISECT(i, s->depends_n, s->depends[i] >= node);
	return i < s->depends_n && s->depends[i] == node;
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
	else if (a->run_serial || b->run_serial)
		s.kind = STEP_ALONE;
	else if ((s.name = shared_type(&a->resource_groups, &b->resource_groups)).n)
		s.kind = STEP_RESOURCE;
	return s;
}

/* The first that was later; or at that time, if that is to count. */
static size_t
first_after(const struct slot_event *v, size_t n, double at_s, bool or_then)
{
	size_t i;

	BISECT(i, n, v[i].at_s > at_s || (or_then && v[i].at_s == at_s));
	return i;
}

static size_t
slots_until(const struct slot_event *v, size_t n, double at_s)
{
	size_t i = first_after(v, n, at_s, true);

	return i ? v[i - 1].slots : 0;
}

/* Just before that time. */
static bool
had_slots(const struct plan *p, const struct course *c, node_id node, double at_s)
{
	size_t used =
		slots_until(c->starts, c->n, at_s) - slots_until(c->ends, c->n, at_s);

	return used + request_slots(c->o, p, node) <= c->o->parallel;
}

/* Of two that have as much to do with the next, the one after the other; where they ran
 * at the same time, the longer one. */
static bool
is_better(const struct course *c, enum step_kind a_kind, node_id a, enum step_kind b_kind,
	node_id b)
{
	if (a_kind != b_kind)
		return a_kind < b_kind;
	if (c->times.ended_s[b] <= c->times.started_s[a] ||
		c->times.ended_s[a] <= c->times.started_s[b])
		return c->times.started_s[a] > c->times.started_s[b];
	return c->times.started_s[a] < c->times.started_s[b];
}

/* Those that ended last before the test started; all of one time. */
struct candidates {
	size_t first, end; /* of course.ends */
	double from_s;
};
static struct candidates
candidates_for(const struct course *c, node_id node)
{
	double start = c->times.started_s[node];
	struct candidates s = {.end = first_after(c->ends, c->n, start, false)};

	s.first = s.end;
	while (s.first > 0) {
		double at_s = c->ends[s.first - 1].at_s, last_s = c->ends[s.end - 1].at_s;

		if (at_s < last_s - SAME_END_S ||
			(at_s < last_s && s.end - s.first >= COMPARED))
			break;
		s.from_s = at_s;
		s.first--;
	}
	return s;
}

/* Of what a test depends on, what ended last; MAP_NONE: nothing has a duration. */
static node_id
last_dependency(const struct plan *p, const struct course *c, node_id node)
{
	const struct selected *s = &p->selection->v[node];
	const double *ended_s = c->times.ended_s;
	node_id last = MAP_NONE;

	for (size_t i = 0; i < s->depends_n; i++) {
		node_id k = s->depends[i];

		if (ended_s[k] > c->times.started_s[k] &&
			(last == MAP_NONE || ended_s[k] > ended_s[last]))
			last = k;
	}
	return last;
}

/* MAP_NONE: it is the first. */
static node_id
step_back(const struct plan *p, const struct course *c, node_id node, struct step *step)
{
	struct candidates near = candidates_for(c, node);
	bool had = had_slots(p, c, node, near.from_s);
	node_id best = MAP_NONE, last = last_dependency(p, c, node);

	*step = (struct step){.node = node};
	for (size_t i = near.first; i < near.end; i++) {
		node_id before = c->ends[i].node;
		struct step s = step_from(p, before, node);

		if (s.kind == STEP_RESOURCE && !had)
			s = (struct step){.node = node, .kind = STEP_SLOTS};
		if (best == MAP_NONE || is_better(c, s.kind, before, step->kind, best)) {
			*step = s;
			best = before;
		}
	}
	/* It may be one of more than are compared. */
	if (last == MAP_NONE || step->kind == STEP_DEPENDENCY ||
		c->times.ended_s[last] < c->ends[near.end - 1].at_s - SAME_END_S)
		return best;
	*step = (struct step){.node = node, .kind = STEP_DEPENDENCY};
	return last;
}

/* ---- the way --------------------------------------------------------------------- */

static double
duration_of(const struct course *c, node_id node)
{
	return c->times.ended_s[node] < 0
		       ? 0
		       : c->times.ended_s[node] - c->times.started_s[node];
}

static void
reverse_steps(struct steps *s)
{
	for (size_t i = 0, k = s->v.n; i + 1 < k; i++) {
		struct step kept = s->v.v[i];

		s->v.v[i] = s->v.v[--k];
		s->v.v[k] = kept;
	}
}

/* By node, the longest path of tests after it. */
static double *
longest_tails(struct arena *a, const struct plan *p, const struct course *c)
{
	double *tail = NEW_ARRAY(a, double, p->n);

	for (size_t at = p->n; at-- > 0;) {
		node_id i = p->topological[at];

		for (uint32_t k = 0; k < p->nodes[i].users_n; k++) {
			node_id user = p->nodes[i].users[k];

			if (duration_of(c, user) + tail[user] > tail[i])
				tail[i] = duration_of(c, user) + tail[user];
		}
	}
	return tail;
}

static node_id
step_forth(const struct plan *p, const struct course *c, const double *tail, node_id node)
{
	node_id best = MAP_NONE;
	double most = 0;

	for (uint32_t k = 0; k < p->nodes[node].users_n; k++) {
		node_id user = p->nodes[node].users[k];

		if (duration_of(c, user) + tail[user] > most) {
			most = duration_of(c, user) + tail[user];
			best = user;
		}
	}
	return best;
}

struct steps
critical_path(
	struct arena *a, const struct plan *p, const struct course *c, node_id through)
{
	struct steps s = {.seconds = 0};
	const double *tail = longest_tails(a, p, c);

	INVARIANT(through < p->n && c->times.ended_s[through] >= 0);
	for (node_id i = through; i != MAP_NONE;) {
		struct step step;

		i = step_back(p, c, i, &step);
		VEC_PUSH(a, &s.v, step);
	}
	reverse_steps(&s);
	for (node_id i = through; (i = step_forth(p, c, tail, i)) != MAP_NONE;)
		VEC_PUSH(a, &s.v, (struct step){.node = i, .kind = STEP_DEPENDENCY});
	for (size_t i = 0; i < s.v.n; i++)
		s.seconds += duration_of(c, s.v.v[i].node);
	return s;
}
