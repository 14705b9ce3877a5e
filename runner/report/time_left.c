/* See time_left.h. */
#include "runner/report/time_left.h"

#include "runner/base/sort.h"

struct length {
	double seconds;
	node_id node;
};

SORT_BY(sort_lengths, struct length, DESCENDING(seconds) ASCENDING(node))

static node_id *
sort_by_length(struct arena *a, const struct plan *p, const struct expected *expected)
{
	node_id *sorted = NEW_ARRAY(a, node_id, p->n);
	struct length *v = NEW_ARRAY(a, struct length, p->n);

	for (node_id i = 0; i < p->n; i++)
		v[i] = (struct length){expected[i].seconds, i};
	sort_lengths(v, p->n);
	for (size_t i = 0; i < p->n; i++)
		sorted[i] = v[i].node;
	return sorted;
}

/* How much of the run's slots the test keeps from others. */
static double
slots_of(const struct time_left *t, node_id node)
{
	const struct properties *p = t->plan->nodes[node].test->properties;
	size_t n = (size_t)p->processors;

	return (double)(p->run_serial || n > t->slots ? t->slots : n);
}

struct time_left
time_left_of(struct arena *a, const struct plan *p, const struct expected *expected,
	size_t slots)
{
	struct time_left t = {.plan = p,
		.expected = expected,
		.slots = slots,
		.is_begun = NEW_ARRAY(a, bool, p->n),
		.longest = sort_by_length(a, p, expected)};
	size_t known = 0;

	for (node_id i = 0; i < p->n; i++) {
		known += !expected[i].is_guess;
		t.work_s += expected[i].seconds * slots_of(&t, i);
	}
	t.is_known = known * 2 > p->n;
	return t;
}

void
time_left_begin(struct time_left *t, node_id node)
{
	if (t->is_begun[node])
		return;
	t->is_begun[node] = true;
	t->work_s -= t->expected[node].seconds * slots_of(t, node);
}

static double
longest_that_waits(struct time_left *t)
{
	while (t->next < t->plan->n && t->is_begun[t->longest[t->next]])
		t->next++;
	return t->next < t->plan->n ? t->expected[t->longest[t->next]].seconds : 0;
}

double
time_left_seconds(struct time_left *t, const struct running *running, uint64_t now_ns)
{
	double longest_s = longest_that_waits(t), work_s = t->work_s;

	if (!t->is_known)
		return -1;
	for (node_id i = running->first; i != MAP_NONE; i = running->v[i].after) {
		double left_s =
			t->expected[i].seconds - running_seconds(&running->v[i], now_ns);

		if (left_s <= 0)
			continue;
		work_s += left_s * slots_of(t, i);
		if (left_s > longest_s)
			longest_s = left_s;
	}
	if (t->slots && work_s / (double)t->slots > longest_s)
		longest_s = work_s / (double)t->slots;
	return longest_s;
}
