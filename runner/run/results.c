/* See results.h. */
#include "runner/run/results.h"

#include <string.h>

struct results {
	struct arena *a;
	const struct plan *plan;
	struct tally *tally;
	struct map setups; /* names of tests -> enum setup_end, unless they passed */
	uint32_t *at; /* by node: in the tally's results, from 1; 0: there is none */
	struct earlier *earlier; /* by node; NULL: no result was withdrawn */
	size_t ended;
};

struct results *
results_new(struct arena *a, const struct plan *p, struct tally *t, size_t finished_n)
{
	struct results *r = NEW(a, struct results);

	t->results.v = NEW_ARRAY(a, struct result, p->n);
	t->results.cap = p->n;
	*r = (struct results){.a = a,
		.plan = p,
		.tally = t,
		.setups = map_in(a),
		.at = NEW_ARRAY(a, uint32_t, p->n),
		.ended = finished_n};
	return r;
}

struct results_count
results_count(const struct results *r)
{
	return (struct results_count){r->ended, r->tally->passed, r->tally->failed};
}

const struct result *
results_of(const struct results *r, node_id node)
{
	uint32_t at = r->at[node];

	return at ? &r->tally->results.v[at - 1] : NULL;
}

const struct earlier *
results_earlier(const struct results *r, node_id node)
{
	return r->earlier && r->earlier[node].run ? &r->earlier[node] : NULL;
}

/* Whether the test was skipped, by cctr's decision, because resources are missing. */
static bool
lacks_resources(const struct outcome *o)
{
	return o->ending == END_NOT_STARTED &&
	       (o->refusal == REFUSED_RESOURCES_SKIP ||
		       o->refusal == REFUSED_FIXTURE_SKIP);
}

/* enum setup_end; MAP_NONE: the test keeps no other from running. */
static uint32_t
setup_end_of(const struct result *result)
{
	if (result->test->properties->disabled)
		return MAP_NONE;
	if (!verdict_is_pass(result->verdict.kind))
		return SETUP_FAILED;
	return lacks_resources(&result->outcome) ? SETUP_SKIPPED : MAP_NONE;
}

/* Tests may share a name: one that failed outdoes those that were skipped. */
static void
note_setup(uint32_t *end, uint32_t one)
{
	if (one == SETUP_FAILED || *end == MAP_NONE)
		*end = one;
}

/* The output goes; what else the attempt's arena has is copied. */
static struct result
copy_result(struct arena *a, const struct result *from)
{
	struct result to = *from;

	to.outcome.output = to.outcome.hang = STR_NONE;
	to.outcome.output_file = 0;
	if (from->outcome.details.p)
		to.outcome.details = str_dup(a, from->outcome.details);
	to.outcome.labels = str_list_dup(a, from->outcome.labels);
	return to;
}

void
results_add(struct results *r, const struct result *result)
{
	struct tally *t = r->tally;
	uint32_t end = setup_end_of(result);

	VEC_PUSH(r->a, &t->results, copy_result(r->a, result));
	r->at[result->node] = (uint32_t)t->results.n;
	r->ended++;
	if (end != MAP_NONE)
		note_setup(map_at(&r->setups, result->test->name), end);
	/* A disabled test does not count, whatever else prevented its start. */
	if (result->test->properties->disabled)
		return;
	if (verdict_is_pass(result->verdict.kind)) {
		t->passed++;
		t->flaky += result->flaky != FLAKY_NOT;
	} else {
		t->failed++;
	}
}

static void
note_earlier(struct results *r, const struct result *result)
{
	bool has_failed = result->outcome.ending != END_NOT_STARTED &&
			  !verdict_is_pass(result->verdict.kind) &&
			  !result->outcome.is_canceled;

	if (!r->earlier)
		r->earlier = NEW_ARRAY(r->a, struct earlier, r->plan->n);
	r->earlier[result->node] =
		(struct earlier){result->run, result->failures + has_failed};
}

static void
remove_result(struct results *r, node_id node)
{
	struct tally *t = r->tally;
	size_t at = r->at[node] - 1;

	memmove(&t->results.v[at], &t->results.v[at + 1],
		(--t->results.n - at) * sizeof *t->results.v);
	r->at[node] = 0;
	for (; at < t->results.n; at++)
		r->at[t->results.v[at].node] = (uint32_t)at + 1;
}

/* Other tests of the name may keep a test from running, too. */
static void
forget_setup(struct results *r, struct str name)
{
	const struct tally *t = r->tally;
	uint32_t end = MAP_NONE;

	for (size_t i = 0; i < t->results.n; i++)
		if (str_eq(t->results.v[i].test->name, name))
			note_setup(&end, setup_end_of(&t->results.v[i]));
	map_set(&r->setups, name, end);
}

struct result
results_withdraw(struct results *r, node_id node)
{
	struct tally *t = r->tally;
	struct result result = *results_of(r, node);
	bool is_pass = verdict_is_pass(result.verdict.kind);

	note_earlier(r, &result);
	remove_result(r, node);
	t->passed -= is_pass;
	t->failed -= !is_pass;
	t->flaky -= is_pass && result.flaky != FLAKY_NOT;
	r->ended--;
	forget_setup(r, result.test->name);
	return result;
}

struct str_list
results_setups(const struct results *r, struct arena *a, const struct selected *s,
	enum setup_end end)
{
	str_vec found = {0};
	struct str_list names;

	for (size_t i = 0; i < s->must_pass_n; i++) {
		struct str name = r->plan->nodes[s->must_pass[i]].test->name;

		if (map_get(&r->setups, name) == (uint32_t)end)
			VEC_PUSH(a, &found, name);
	}
	names = str_vec_list(&found);
	str_list_make_set(&names);
	return names;
}
