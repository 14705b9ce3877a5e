/* See batch_groups.h. */
#include "runner/batch/batch_groups.h"

/* So many in a process at most, so that a crash costs little; and fewer where not every
 * one of several processor slots would get some processes. */
enum { MOST_TOGETHER = 200, PROCESSES_PER_SLOT = 4, FAILURES_MOST = 10 };

static const struct framework *const frameworks[] = {&googletest, &catch2};
enum { FRAMEWORKS = sizeof frameworks / sizeof *frameworks };

/* ---- which tests are alike ------------------------------------------------------- */

static bool
has_plain_verdict(const struct properties *p, const struct framework *f)
{
	if (p->will_fail || p->pass.n || p->fail.n || p->timeout_after_match.is_set)
		return false;
	return !p->skip.n || (p->skip.n == 1 && f->skip_text &&
				     str_is(p->skip.v[0]->text, f->skip_text));
}

/* What a test gets or needs for itself alone keeps it out. */
static bool
can_share(const struct properties *p)
{
	return !p->defect.n && !p->disabled && !p->required_files.n &&
	       !p->resource_groups.n && p->nodes <= 1 && !p->pmix &&
	       !p->generated_resource_spec_file.n;
}

static void
add_text(struct buf *key, struct str s)
{
	buf_fmt(key, "%zu:", s.n);
	buf_str(key, s);
}

static void
add_texts(struct buf *key, struct str_list l)
{
	buf_fmt(key, "%zu;", l.n);
	for (size_t i = 0; i < l.n; i++)
		add_text(key, l.v[i]);
}

static void
add_nodes(struct buf *key, const uint32_t *v, size_t n)
{
	buf_fmt(key, "%zu;", n);
	for (size_t i = 0; i < n; i++)
		buf_fmt(key, "%u,", v[i]);
}

/* All that says how a test runs, but for its case. */
static void
add_properties(struct buf *key, const struct properties *p)
{
	add_texts(key, p->environment);
	add_texts(key, p->environment_modification);
	add_texts(key, p->resource_locks);
	add_texts(key, p->labels); /* --timeout-multiplier */
	add_text(key, p->timeout_signal_name);
	buf_fmt(key, "%d,%d,%g,%d,%g,%d,%d,%zu,", p->processors, p->has_timeout,
		p->timeout_s, p->has_timeout_grace, p->timeout_grace_s, p->run_serial,
		p->processor_affinity, p->skip.n);
}

static struct str
key_of(struct arena *a, const struct selected *s, const struct test *t,
	const struct batch_case *c)
{
	struct buf key = {.arena = a};

	add_text(&key, t->directory);
	for (size_t i = 0; i < t->command.n; i++)
		add_text(&key, i == c->at ? STR("*") : t->command.v[i]);
	add_nodes(&key, s->depends, s->depends_n);
	add_nodes(&key, s->must_pass, s->must_pass_n);
	add_properties(&key, t->properties);
	return buf_as_str(&key);
}

static const struct framework *
find_framework(struct arena *a, const struct test *t, struct batch_case *c)
{
	for (size_t i = 0; i < FRAMEWORKS; i++)
		if (has_plain_verdict(t->properties, frameworks[i]) &&
			frameworks[i]->find_case(a, t, c))
			return frameworks[i];
	return NULL;
}

/* ---- groups ---------------------------------------------------------------------- */

struct building {
	struct arena *a;
	const struct batch_options *o;
	struct map keys; /* numbers of groups */
	struct map cases_known; /* of all groups */
	VEC(struct batch_group *) groups;
	uint32_t *of; /* by node: the group from 1; 0: none */
	struct batch_case *cases; /* by node */
};

static void
put_in_group(struct building *b, uint32_t node)
{
	const struct selected *s = &b->o->selection->v[node];
	const struct test *t = selected_test(b->o->selection, node);
	struct batch_case *c = &b->cases[node];
	const struct framework *f;
	uint32_t number;
	struct str key;

	if ((b->o->finished && b->o->finished[node]) || !can_share(t->properties))
		return;
	f = find_framework(b->a, t, c);
	if (!f)
		return;
	key = str_fmt(b->a, "%s,%u,%u,%.*s", f->name, c->at,
		b->o->apart ? b->o->apart[node] : 0, STR_ARG(key_of(b->a, s, t, c)));
	/* One run of the case is no proof for two tests. */
	if (!map_add(&b->cases_known,
		    str_fmt(b->a, "%.*s%.*s", STR_ARG(key), STR_ARG(c->name))))
		return;
	number = map_number(&b->keys, key);
	if (number == b->groups.n) {
		VEC_PUSH(b->a, &b->groups, NEW(b->a, struct batch_group));
		b->groups.v[number]->framework = f;
	}
	b->groups.v[number]->n++;
	b->of[node] = number + 1;
}

static void
open_group(struct building *b, struct batch_group *g)
{
	size_t parallel = b->o->parallel ? b->o->parallel : 1;
	size_t most = parallel == 1 ? g->n : g->n / parallel / PROCESSES_PER_SLOT;

	if (g->n < 2)
		return;
	most = most > MOST_TOGETHER ? MOST_TOGETHER : most;
	g->most = g->most_ever = most < 2 ? 2 : most;
	g->v = NEW_ARRAY(b->a, struct batch_test, g->n);
	g->n = 0;
}

static void
add_test(struct building *b, uint32_t node, struct batch_groups *groups)
{
	struct batch_group *g = b->of[node] ? b->groups.v[b->of[node] - 1] : NULL;

	if (!g || !g->v)
		return;
	groups->by_node[node] = &g->v[g->n];
	g->v[g->n++] = (struct batch_test){
		.node = node,
		.group = g,
		.choice = b->cases[node],
		.words = selected_test(b->o->selection, node)->command.n,
	};
}

struct batch_groups
batch_groups_build(struct arena *a, const struct batch_options *o)
{
	size_t n = o->selection->n;
	struct building b = {.a = a,
		.o = o,
		.keys = map_in(a),
		.cases_known = map_in(a),
		.of = NEW_ARRAY(a, uint32_t, n),
		.cases = NEW_ARRAY(a, struct batch_case, n)};
	struct batch_groups groups = {NEW_ARRAY(a, struct batch_test *, n), n};

	INVARIANT(o->order);
	for (uint32_t i = 0; i < n; i++)
		put_in_group(&b, i);
	for (size_t i = 0; i < b.groups.n; i++)
		open_group(&b, b.groups.v[i]);
	for (size_t i = 0; i < n; i++)
		add_test(&b, o->order[i], &groups);
	return groups;
}

struct batch_test *
batch_group_next(struct batch_group *g)
{
	while (g->first < g->n && g->v[g->first].state != BATCH_WAITS)
		g->first++;
	return g->first < g->n ? &g->v[g->first] : NULL;
}

/* ---- the end of a process -------------------------------------------------------- */

/* Of a name that the report has several times. */
#define NOT_ONE (MAP_NONE - 1)

static struct map
number_cases(struct arena *scratch, const struct batch_report *r)
{
	struct map names = map_in(scratch);

	for (uint32_t i = 0; r && i < r->v.n; i++) {
		uint32_t *at = map_at(&names, r->v.v[i].name);

		*at = *at == MAP_NONE ? i : NOT_ONE;
	}
	return names;
}

/* Of a process that is not good: whether the case is likely the reason. */
static bool
is_suspect(const struct batch_end *end, const struct case_report *c, struct str name)
{
	return (c && !c->passed) || (end->last_begun.n && str_eq(name, end->last_begun));
}

static void
separate(struct batch_test *t)
{
	if (t->state == BATCH_WAITS)
		t->state = BATCH_ALONE;
}

/* Where nothing is known of what went wrong, fewer run together, in the end none. */
static void
shrink(struct batch_group *g, struct batch_test *const *v, size_t n)
{
	g->most = n / 2 < 2 ? 2 : n / 2;
	for (size_t i = 0; n < 4 && i < n; i++)
		separate(v[i]);
	g->failures++;
	for (size_t i = 0; g->failures > FAILURES_MOST && i < g->n; i++)
		separate(&g->v[i]);
}

static void
grow(struct batch_group *g)
{
	g->failures = 0;
	g->most = 2 * g->most < g->most_ever ? 2 * g->most : g->most_ever;
}

static void
look_at_first(struct batch_group *g, const struct batch_test *t)
{
	size_t at = (size_t)(t - g->v);

	if (at < g->first)
		g->first = at;
}

void
batch_group_settle(struct batch_group *g, struct batch_test *const *v, size_t n,
	const struct batch_end *end, struct case_report *cases)
{
	struct arena *scratch = arena_open();
	struct map names = number_cases(scratch, end->report);
	bool is_explained = false;

	INVARIANT(n > 0 && n <= g->n);
	for (size_t i = 0; i < n; i++) {
		uint32_t at = map_get(&names, v[i]->choice.name);
		const struct case_report *c =
			at >= NOT_ONE ? NULL : &end->report->v.v[at];

		if (v[i]->state != BATCH_RUNS)
			continue;
		v[i]->state = BATCH_WAITS;
		if (end->is_good && c && c->passed) {
			v[i]->state = BATCH_PROVEN;
			cases[i] = *c;
			is_explained = true;
		} else if (!end->is_good && is_suspect(end, c, v[i]->choice.name)) {
			v[i]->state = BATCH_ALONE;
			is_explained = true;
		}
		look_at_first(g, v[i]);
	}
	for (size_t i = 0; is_explained && end->is_good && i < n; i++)
		separate(v[i]);
	if (!is_explained)
		shrink(g, v, n);
	else if (end->is_good)
		grow(g);
	arena_close(scratch);
}
