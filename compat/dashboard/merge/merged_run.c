/* See merged_run.h. */
#include "compat/dashboard/merge/merged_run.h"

#include <stdlib.h>

#include "runner/base/sort.h"

/* ---- the tests ------------------------------------------------------------------- */

/* The last attempt of a test in one shard. */
struct last {
	struct shard_attempt *attempt;
	const struct shard_file *file;
};
typedef VEC(struct last) last_vec;

SORT_BY(sort_last, struct last, ASCENDING(attempt->number) ASCENDING(file))

static struct pattern_list
patterns_of(struct arena *a, struct str_list texts)
{
	struct pattern *v = NEW_ARRAY(a, struct pattern, texts.n);
	const struct pattern **list = NEW_ARRAY(a, const struct pattern *, texts.n);

	for (size_t i = 0; i < texts.n; i++) {
		v[i].text = texts.v[i];
		list[i] = &v[i];
	}
	return (struct pattern_list){list, texts.n};
}

/* Sets what a record has not: pointers within it, and the machine of the shard. */
static void
complete_record(struct arena *a, struct shard_file *f)
{
	const char *host = str_z(a, f->record.head.host);

	for (size_t i = 0; i < f->record.attempts.n; i++) {
		struct shard_attempt *x = &f->record.attempts.v[i];

		x->properties.pass = patterns_of(a, x->pass);
		x->test.properties = &x->properties;
		if (!x->outcome.host && !x->outcome.node)
			x->outcome.host = host;
	}
}

static last_vec
collect_last(const struct merged_run *m)
{
	last_vec all = {0};

	for (size_t i = 0; i < m->n; i++) {
		const struct shard_record *r = &m->files[i].record;

		for (size_t k = 0; k < r->attempts.n; k++)
			if (r->attempts.v[k].is_last)
				VEC_PUSH(m->arena, &all,
					(struct last){&r->attempts.v[k], &m->files[i]});
	}
	sort_last(all.v, all.n);
	return all;
}

/* Of results of the same test, in the order of the shards. */
static const struct last *
choose_result(const struct last *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!verdict_is_pass(v[i].attempt->verdict.kind))
			return &v[i];
	return v;
}

static void
add_result(struct merged_run *m, const struct last *chosen)
{
	const struct shard_attempt *x = chosen->attempt;
	const struct selected *selected = &m->selection.v[m->selection.n - 1];
	struct outcome outcome = x->outcome;

	outcome.output = STR("");
	VEC_PUSH(m->arena, &m->tally.results,
		(struct result){.node = (node_id)(m->selection.n - 1),
			.selected = selected,
			.test = &x->test,
			.number = x->number,
			.outcome = outcome,
			.verdict = x->verdict,
			.flaky = x->flaky});
	if (!verdict_is_uncounted(x->verdict.kind)) {
		m->tally.passed += verdict_is_pass(x->verdict.kind);
		m->tally.failed += !verdict_is_pass(x->verdict.kind);
	}
	m->tally.flaky += x->flaky != FLAKY_NOT;
}

static void
add_test(struct merged_run *m, struct test *tests, const struct last *chosen)
{
	struct selection *s = &m->selection;
	const struct shard_attempt *x = chosen->attempt;

	tests[s->n] = x->test;
	m->chosen[s->n] = chosen->file;
	s->v[s->n] = (struct selected){.test = (test_id)s->n, .number = x->number};
	s->n++;
	s->loaded = s->n;
	s->largest_number = x->number;
	if (x->test.name.n > s->longest_name)
		s->longest_name = x->test.name.n;
	add_result(m, chosen);
}

/* ---- the run --------------------------------------------------------------------- */

/* From the first start to the last end. */
static void
set_times(struct merged_run *m)
{
	int64_t from_us = INT64_MAX, to_us = INT64_MIN;

	for (size_t i = 0; i < m->n; i++) {
		const struct shard_record *r = &m->files[i].record;

		if (r->head.started_us < from_us)
			from_us = r->head.started_us;
		if (r->end.ended_us > to_us)
			to_us = r->end.ended_us;
	}
	m->tally.started_s = from_us / 1000000;
	m->tally.ended_s = to_us / 1000000;
	if (to_us > from_us)
		m->tally.duration_ns = ((uint64_t)to_us - (uint64_t)from_us) * 1000;
}

struct merged_run *
merged_run_of(struct arena *a, struct shard_file *files, size_t n)
{
	struct merged_run *m = NEW(a, struct merged_run);
	struct suite *suite = NEW(a, struct suite);
	struct test *tests;
	last_vec all;

	*m = (struct merged_run){.arena = a, .files = files, .n = n};
	for (size_t i = 0; i < n; i++)
		complete_record(a, &files[i]);
	all = collect_last(m);
	tests = NEW_ARRAY(a, struct test, all.n);
	m->selection.v = NEW_ARRAY(a, struct selected, all.n);
	m->chosen = NEW_ARRAY(a, const struct shard_file *, all.n);
	for (size_t i = 0, k; i < all.n; i = k) {
		for (k = i + 1; k < all.n; k++)
			if (all.v[k].attempt->number != all.v[i].attempt->number)
				break;
		add_test(m, tests, choose_result(&all.v[i], k - i));
	}
	*suite = (struct suite){.tests = tests, .n = m->selection.n};
	m->selection.suite = suite;
	set_times(m);
	return m;
}

static int
compare_number(const void *key, const void *element)
{
	const unsigned *number = key;
	const struct selected *s = element;

	return (*number > s->number) - (*number < s->number);
}

static void
tell_attempt(const struct merged_run *m, const struct merged_listener *l,
	const struct shard_file *f, const struct shard_attempt *x)
{
	const struct selection *s = &m->selection;
	const struct selected *selected =
		bsearch(&x->number, s->v, s->n, sizeof *s->v, compare_number);
	struct attempt attempt = {.selected = selected,
		.test = &x->test,
		.number = x->number,
		.run = x->run,
		.partition = x->partition};

	/* A run that was stopped may have attempts of a test without a last one. */
	if (!selected)
		return;
	attempt.node = (node_id)(selected - s->v);
	if (!l->hears_all && m->chosen[attempt.node] != f)
		return;
	l->report->type->event(
		l->report, &(struct event){.kind = EVENT_END,
				   .attempt = &attempt,
				   .launch = x->has_launch ? &x->launch : NULL,
				   .refusal = x->has_refusal ? &x->refusal : NULL,
				   .outcome = &x->outcome,
				   .verdict = &x->verdict,
				   .is_last = x->is_last,
				   .flaky = x->flaky});
}

void
merged_run_tell(const struct merged_run *m, const struct merged_listener *l)
{
	l->report->type->event(l->report, &(struct event){.kind = EVENT_BEGIN});
	for (size_t i = 0; i < m->n; i++) {
		const struct shard_record *r = &m->files[i].record;

		if (l->enter)
			l->enter(l->context, &m->files[i]);
		for (size_t k = 0; k < r->attempts.n; k++)
			tell_attempt(m, l, &m->files[i], &r->attempts.v[k]);
	}
	l->report->type->event(
		l->report, &(struct event){.kind = EVENT_FINISH, .tally = &m->tally});
}
