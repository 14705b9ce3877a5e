/* See live.h. */
#include "runner/run/live.h"

struct live_set {
	const struct run *run;
	const struct results *results;
	struct live **by_node; /* NULL: see live_at */
	struct live *chosen, *free;
	VEC(struct live *) all;
};

struct live_set *
live_open(const struct run *run, const struct results *results)
{
	struct live_set *s = NEW(run->arena, struct live_set);

	*s = (struct live_set){.run = run,
		.results = results,
		.by_node = NEW_ARRAY(run->arena, struct live *, run->plan->n)};
	return s;
}

static struct live *
live_new(struct live_set *s)
{
	struct live *l = NEW(s->run->arena, struct live);

	l->attempt_arena = arena_open();
	l->test_arena = arena_open();
	/* The first block of each stays when the rest goes. */
	arena_alloc(l->attempt_arena, 1);
	arena_alloc(l->test_arena, 1);
	l->attempt_mark = arena_mark(l->attempt_arena);
	l->test_mark = arena_mark(l->test_arena);
	VEC_PUSH(s->run->arena, &s->all, l);
	return l;
}

/* What the scheduler gives to the test. */
static void
live_grant(struct live_set *s, struct live *l, const struct action *start)
{
	l->preparation.grant = start->grant;
	l->preparation.fits_nowhere = start->fits_nowhere && !start->lacks_node;
	if (start->part) {
		l->preparation.part = start->part->number;
		l->preparation.partition = l->attempt.partition = start->part->name;
	}
	l->lacks_node = start->lacks_node;
	l->on_node = s->run->awaited_nodes && start->pool_node != MAP_NONE
			     ? start->pool_node + 1
			     : 0;
	l->preparation.pinned = start->processors;
	if (start->processors && s->run->affinity)
		l->preparation.processors = affinity_take(
			s->run->affinity, l->test_arena, start->processors, start->grant);
}

/* The attempt starts again, which counts as the same one. */
static struct live *
live_take_again(struct live_set *s, const struct action *start)
{
	struct live *l = s->by_node[start->node];

	l->waits_again = false;
	l->attempt.run--;
	l->attempt.runs_left++;
	live_grant(s, l, start);
	return l;
}

struct live *
live_take(struct live_set *s, const struct action *start)
{
	const struct run *run = s->run;
	const struct node *node = &run->plan->nodes[start->node];
	struct live *l = s->free ? s->free : live_new(s);
	bool repeats = run->repeat.mode != REPEAT_NEVER;
	const struct earlier *earlier = results_earlier(s->results, start->node);

	if (s->by_node[start->node])
		return live_take_again(s, start);
	s->free = l->next_free;
	l->attempt = (struct attempt){
		.node = start->node,
		.selected = &run->selection->v[start->node],
		.test = node->test,
		.number = node->number,
		.runs_left = (repeats ? run->repeat.count : 1) + 1,
	};
	if (earlier) {
		l->attempt.run = earlier->run;
		l->attempt.failures = earlier->failures;
	}
	l->losses = 0;
	l->stop = LIVE_GOES_ON;
	l->preparation = (struct preparation){
		.node = start->node,
		.selected = l->attempt.selected,
		.test = node->test,
	};
	live_grant(s, l, start);
	l->output = run_output_of(l->test_arena, node->test, run->tags);
	s->by_node[start->node] = l;
	return l;
}

void
live_unpin(struct live_set *s, struct live *l)
{
	if (l->preparation.processors.n)
		affinity_return(s->run->affinity, l->preparation.processors);
	l->preparation.processors = (struct processors){NULL, 0};
}

void
live_return(struct live_set *s, struct live *l)
{
	INVARIANT(s->by_node[l->attempt.node] == l);
	s->by_node[l->attempt.node] = NULL;
	run_output_close(&l->output);
	live_unpin(s, l);
	arena_rewind(l->attempt_arena, l->attempt_mark);
	arena_rewind(l->test_arena, l->test_mark);
	l->next_free = s->free;
	s->free = l;
}

struct live *
live_at(const struct live_set *s, node_id node)
{
	return s->by_node[node];
}

struct live *
live_running(const struct live_set *s, node_id node)
{
	struct live *l = s->by_node[node];

	return l && !l->waits_again && l != s->chosen ? l : NULL;
}

struct live *
live_next(const struct live_set *s, size_t *at)
{
	while (*at < s->all.n) {
		struct live *l = s->all.v[(*at)++];

		if (s->by_node[l->attempt.node] == l)
			return l;
	}
	return NULL;
}

size_t
live_most(const struct live_set *s)
{
	return s->all.n;
}

struct live *
live_chosen(const struct live_set *s)
{
	return s->chosen;
}

void
live_choose(struct live_set *s, struct live *l)
{
	s->chosen = l;
}

void
live_count_attempt(struct live *l)
{
	l->attempt.run++;
	l->attempt.runs_left--;
}

node_id
live_drop_chosen(struct live_set *s)
{
	struct live *l = s->chosen;
	node_id node = l->attempt.node;

	s->chosen = NULL;
	l->waits_again = l->losses > 0 || l->attempt.run > 0;
	if (!l->waits_again) {
		live_return(s, l);
		return node;
	}
	live_count_attempt(l);
	live_unpin(s, l);
	return node;
}

void
live_close(struct live_set *s)
{
	for (size_t i = 0; i < s->all.n; i++) {
		arena_close(s->all.v[i]->attempt_arena);
		arena_close(s->all.v[i]->test_arena);
	}
}
