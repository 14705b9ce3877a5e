/* Long lists show only their first and last rows. Waits that two decimals would show as 0
 * are left out. */
#include "compat/report/explain_text.h"

#include <math.h>

enum { ROWS_AT_EACH_END = 10 };

static struct str
name_of(const struct account *a, node_id node)
{
	return a->plan->nodes[node].test->name;
}

/* true: row i of n is one of the rows that are left out. */
static bool
is_left_out(struct buf *out, size_t i, size_t n)
{
	size_t left_out = n > 2 * ROWS_AT_EACH_END ? n - 2 * ROWS_AT_EACH_END : 0;

	if (i == ROWS_AT_EACH_END && left_out)
		buf_fmt(out, "  %25s     %zu more\n", "...", left_out);
	return i >= ROWS_AT_EACH_END && i < ROWS_AT_EACH_END + left_out;
}

static void
add_times(struct buf *out, double from_s, double to_s)
{
	buf_fmt(out, "  %12.2f %12.2f sec ", from_s, to_s);
}

/* ---- reasons --------------------------------------------------------------------- */

static struct str
find_common(const struct str_list *a, const struct str_list *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_list_has(*b, a->v[i]))
			return a->v[i];
	return STR_NONE;
}

static void
add_dependency(struct buf *out, const struct account *a, node_id node, node_id on)
{
	const struct properties *p = a->plan->nodes[node].test->properties;
	const struct properties *q = a->plan->nodes[on].test->properties;
	struct str name = name_of(a, on), fixture;

	if (str_list_has(p->depends, name))
		buf_fmt(out, "after %.*s", STR_ARG(name));
	else if ((fixture = find_common(&p->fixtures_required, &q->fixtures_setup)).n)
		buf_fmt(out, "fixture %.*s, set up by %.*s", STR_ARG(fixture),
			STR_ARG(name));
	else if ((fixture = find_common(&p->fixtures_cleanup, &q->fixtures_required)).n)
		buf_fmt(out, "fixture %.*s, used by %.*s", STR_ARG(fixture),
			STR_ARG(name));
	else if ((fixture = find_common(&p->fixtures_cleanup, &q->fixtures_setup)).n)
		buf_fmt(out, "fixture %.*s, set up by %.*s", STR_ARG(fixture),
			STR_ARG(name));
	else
		buf_fmt(out, "after %.*s", STR_ARG(name));
}

static void
add_holders(
	struct buf *out, const char *lead, const struct account *a, const struct wait *w)
{
	size_t shown = w->holders_n < HOLDERS_SHOWN ? w->holders_n : HOLDERS_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		const struct wait_holder *h = &w->holders[i];

		buf_fmt(out, "%s%.*s", i ? ", " : lead, STR_ARG(name_of(a, h->node)));
		if (h->amount)
			buf_fmt(out, " (%llu)", (unsigned long long)h->amount);
		if (a->times.ended_s[h->node] >= 0)
			buf_fmt(out, " until %.2f", a->times.ended_s[h->node]);
	}
	if (w->holders_n > shown)
		buf_fmt(out, " and %zu more", w->holders_n - shown);
	if (w->passed)
		buf_fmt(out, "; %zu other%s started", w->passed,
			w->passed == 1 ? "" : "s");
}

static void
add_need(struct buf *out, const struct account *a, const char *what, const struct wait *w)
{
	buf_fmt(out, "%s: needs %llu, %llu free", what, (unsigned long long)w->why.wanted,
		(unsigned long long)w->why.is_free);
	add_holders(out, ", held by ", a, w);
}

static void
add_resource(struct buf *out, const struct account *a, const struct wait *w)
{
	const struct blocker *b = &w->why;
	unsigned long long wanted = b->wanted, is_free = b->is_free;
	const struct resource_instance *i;

	buf_fmt(out, "%.*s: needs %llu", STR_ARG(b->name), wanted);
	if (b->instance == MAP_NONE) {
		buf_fmt(out, ", %llu free%s", is_free,
			is_free < wanted ? "" : " but not where it fits");
	} else {
		i = &a->pool->types[b->type].v[b->instance];
		buf_fmt(out, " on one instance, %.*s has %llu of %llu free",
			STR_ARG(i->id), is_free, (unsigned long long)i->slots);
	}
	add_holders(out, ", held by ", a, w);
}

/* Only the lock on all resources together, used without a pool, has no name. */
static void
add_lock(struct buf *out, const struct account *a, const struct blocker *b)
{
	bool is_named = b->name.n && b->name.p[0];

	buf_fmt(out, "%s%.*s, held by %.*s", is_named ? "lock " : "resources",
		is_named ? (int)b->name.n : 0, b->name.p, STR_ARG(name_of(a, b->node)));
}

static void
add_reservation(struct buf *out, const struct account *a, const struct blocker *b)
{
	buf_fmt(out, "reserved for %.*s", STR_ARG(name_of(a, b->node)));
	if (b->until_s > 0)
		buf_fmt(out, " from %.2f", b->until_s);
}

void
explain_reason(
	struct buf *out, const struct account *a, node_id node, const struct wait *w)
{
	const struct blocker *b = &w->why;

	switch (b->kind) {
	case BLOCKED_NOT:
		break;
	case BLOCKED_BY_DEPENDENCY:
		add_dependency(out, a, node, b->node);
		break;
	case BLOCKED_BY_PARTITION:
		buf_fmt(out, "partition %.*s is not active", STR_ARG(b->name));
		break;
	case BLOCKED_BY_SLOTS:
		add_need(out, a, "processors", w);
		break;
	case BLOCKED_BY_PROCESSORS:
		add_need(out, a, "processors to itself", w);
		break;
	case BLOCKED_BY_OTHERS:
		buf_z(out, "runs alone");
		add_holders(out, ", waits for ", a, w);
		break;
	case BLOCKED_BY_SERIAL:
		buf_fmt(out, "%.*s runs alone", STR_ARG(name_of(a, b->node)));
		break;
	case BLOCKED_BY_LOCK:
		add_lock(out, a, b);
		break;
	case BLOCKED_BY_RESOURCE:
		add_resource(out, a, w);
		break;
	case BLOCKED_BY_LEASE:
		buf_fmt(out, "%.*s: kept for %.*s", STR_ARG(b->name),
			STR_ARG(name_of(a, b->node)));
		break;
	case BLOCKED_BY_RESERVATION:
		add_reservation(out, a, b);
		break;
	case BLOCKED_BY_RANK:
		buf_z(out, "others come first");
		break;
	case BLOCKED_BY_LOAD:
		add_need(out, a, "load", w);
		break;
	case BLOCKED_BY_STOP:
		buf_z(out, "nothing starts any more");
		break;
	}
}

/* ---- one test -------------------------------------------------------------------- */

static bool
is_shown(const struct wait *w)
{
	return llround(100 * w->from_s) != llround(100 * w->to_s);
}

static void
add_rows(struct buf *out, const struct account *a, const struct watched *t)
{
	size_t shown = 0, i = 0;

	for (size_t k = 0; k < t->waits.n; k++)
		shown += is_shown(&t->waits.v[k]);
	for (size_t k = 0; k < t->waits.n; k++) {
		const struct wait *w = &t->waits.v[k];

		if (!is_shown(w) || is_left_out(out, i++, shown))
			continue;
		add_times(out, w->from_s, w->to_s);
		explain_reason(out, a, t->node, w);
		buf_char(out, '\n');
	}
}

static void
add_nodes(struct buf *out, struct str_list nodes)
{
	for (size_t i = 0; i < nodes.n; i++)
		buf_fmt(out, "%s%.*s",
			i              ? ", "
			: nodes.n == 1 ? "Node          "
				       : "Nodes         ",
			STR_ARG(nodes.v[i]));
	if (nodes.n)
		buf_char(out, '\n');
}

void
explain_waits(struct buf *out, const struct account *a, const struct watched *t)
{
	double start = a->times.started_s[t->node], end = a->times.ended_s[t->node];
	struct str reason = a->reasons ? a->reasons[t->node] : STR_NONE;
	bool ran = start >= 0 && !reason.n;

	INVARIANT(t);
	buf_fmt(out, "Explained     %.*s\n\n", STR_ARG(name_of(a, t->node)));
	if (a->finished && a->finished[t->node]) {
		buf_z(out, "Start         earlier run\n");
		return;
	}
	if (ran)
		buf_fmt(out, "Start         %12.2f sec\n", start);
	else
		buf_z(out, "Start                never\n");
	if (reason.n)
		buf_fmt(out, "Reason        %.*s\n", STR_ARG(reason));
	if (ran && end >= 0)
		buf_fmt(out, "End           %12.2f sec\n", end);
	if (ran && a->nodes)
		add_nodes(out, a->nodes[t->node]);
	buf_fmt(out, "Wait          %12.2f sec\n", start >= 0 ? start : a->end_s);
	add_rows(out, a, t);
}

/* ---- paths ----------------------------------------------------------------------- */

static void
add_step(struct buf *out, const struct account *a, const struct step *s)
{
	add_times(out, a->times.started_s[s->node], a->times.ended_s[s->node]);
	buf_str(out, name_of(a, s->node));
	switch (s->kind) {
	case STEP_FIRST:
		break;
	case STEP_DEPENDENCY:
		buf_z(out, ", dependency");
		break;
	case STEP_LOCK:
		buf_fmt(out, ", lock %.*s", STR_ARG(s->name));
		break;
	case STEP_RESOURCE:
		buf_fmt(out, ", resource %.*s", STR_ARG(s->name));
		break;
	case STEP_ALONE:
		buf_z(out, ", alone");
		break;
	case STEP_SLOTS:
		buf_z(out, ", processors");
		break;
	}
	buf_char(out, '\n');
}

void
explain_steps(struct buf *out, const struct account *a, const struct steps *s)
{
	buf_fmt(out, "Critical path %12.2f sec\n", s->seconds);
	for (size_t i = 0; i < s->v.n; i++)
		if (!is_left_out(out, i, s->v.n))
			add_step(out, a, &s->v.v[i]);
}

void
explain_gains(struct buf *out, double makespan_s, const struct gain *v, size_t n)
{
	INVARIANT(v || !n);
	buf_z(out, "One more\n");
	for (size_t i = 0; i < n; i++) {
		double percent =
			makespan_s > 0 ? 100 * (v[i].seconds / makespan_s - 1) : 0;

		if (fabs(percent) < 0.05)
			percent = 0;
		buf_fmt(out, "  %12.2f sec %+6.1f %% %.*s\n", v[i].seconds, percent,
			STR_ARG(v[i].name));
	}
}
