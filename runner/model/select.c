/*
 * Selection: load-time drops, filters, numbers, then fixtures.
 *
 * Invariant: a test's number is its position among the loaded tests and never changes
 * afterwards. Fixtures and dependencies refer to tests by name, and names may repeat: a
 * dependency is the first selected test of its name. Everything is linear in the tests,
 * their properties and the dependencies that result: names and fixtures are numbered
 * once, and "already there" is a stamp, not a search.
 */
#include "runner/model/select.h"

#include "runner/base/sort.h"

typedef VEC(uint32_t) id_vec;

struct fixture {
	struct str name;
	id_vec setups, cleanups; /* indices of candidates, of all loaded tests */
	id_vec users, chosen_setups; /* indices of entries, of the selection */
	bool is_known; /* its tests have been added */
};

/* A test that got a number. */
struct candidate {
	test_id test;
	uint32_t name; /* number of its name */
};

/* A candidate that was selected, in the order of selection. */
struct entry {
	uint32_t candidate;
	uint32_t links; /* index + 1; 0: fixtures add nothing */
};
/* What the fixtures of an entry add to it. */
struct fixture_links {
	str_vec names; /* DEPENDS and more, if has_names */
	id_vec must_pass; /* names */
	bool has_names;
};

struct chooser {
	struct arena *a;
	const struct suite *suite;
	const struct filter *f;
	struct selection *out;
	struct candidate *loaded;
	size_t n;
	struct map own_names; /* for a suite that has no numbers */
	const struct map *names;
	const uint32_t *numbers; /* by test: the number of its name */
	size_t names_n;
	struct map fixture_ids;
	VEC(struct fixture) fixtures;
	VEC(struct entry) chosen;
	VEC(struct fixture_links) links;
	bool *is_name_chosen; /* by name: whether a test of the name is selected */
	/* With depends: the first candidate of each name, MAP_NONE: none that may be
	 * added. Else NULL. */
	uint32_t *addable;
	uint32_t *seen, stamp; /* by name: seen[name] == stamp is "already there" */
	uint32_t *first, *next; /* selected tests by name: chains of indices */
};

static const struct test *
test_of(const struct chooser *c, uint32_t candidate)
{
	return &c->suite->tests[c->loaded[candidate].test];
}

/* ---- loading --------------------------------------------------------------------- */

/* -E without -R drops tests before they get a number. */
static bool
is_dropped(const struct chooser *c, const struct map *ignored, const struct test *t)
{
	const struct filter *f = c->f;

	if (f->ignore_names.n && map_has(ignored, t->name))
		return true;
	return f->exclude_name && !f->include_name &&
	       filter_meets(f->exclude_name, t->name);
}

static void
number_names(struct chooser *c)
{
	uint32_t *numbers;

	c->names = &c->suite->names;
	c->numbers = c->suite->name_numbers;
	if (!c->numbers) {
		c->names = &c->own_names;
		map_reserve(&c->own_names, c->suite->n);
		c->numbers = numbers = NEW_ARRAY(c->a, uint32_t, c->suite->n);
		for (test_id t = 0; t < c->suite->n; t++)
			numbers[t] = map_number(&c->own_names, c->suite->tests[t].name);
	}
	c->names_n = c->names->n;
}

static void
load_entries(struct chooser *c)
{
	struct map ignored = map_of(c->a, c->f->ignore_names);

	number_names(c);
	c->loaded = NEW_ARRAY(c->a, struct candidate, c->suite->n);
	for (test_id t = 0; t < c->suite->n; t++)
		if (!is_dropped(c, &ignored, &c->suite->tests[t]))
			c->loaded[c->n++] = (struct candidate){t, c->numbers[t]};
	c->is_name_chosen = NEW_ARRAY(c->a, bool, c->names_n);
	c->seen = NEW_ARRAY(c->a, uint32_t, c->names_n);
	/* Pages that are not used take no memory. */
	c->chosen.v = NEW_ARRAY(c->a, struct entry, c->n);
	c->chosen.cap = c->n;
}

/* ---- filters --------------------------------------------------------------------- */

/* Removes candidates by a list of names; the others stay in order. */
static size_t
keep_named(struct chooser *c, uint32_t *candidates, size_t n)
{
	const struct filter *f = c->f;
	struct map only = map_of(c->a, f->only_names);
	struct map without = map_of(c->a, f->without_names);
	size_t kept = 0;

	if (!f->has_only_names && !f->without_names.n)
		return n;
	for (size_t i = 0; i < n; i++) {
		struct str name = test_of(c, candidates[i])->name;

		if (f->has_only_names && !map_has(&only, name))
			continue;
		if (f->without_names.n && map_has(&without, name))
			continue;
		candidates[kept++] = candidates[i];
	}
	return kept;
}

static size_t
keep_tests(struct chooser *c, uint32_t *candidates, size_t n)
{
	const bool *accepted = c->f->accepted;
	struct map tests = map_of(c->a, c->f->tests);
	size_t kept = 0;

	if (!c->f->tests.n && !accepted)
		return n;
	for (size_t i = 0; i < n; i++) {
		if (accepted && !accepted[c->loaded[candidates[i]].test])
			continue;
		if (!c->f->tests.n || map_has(&tests, test_of(c, candidates[i])->name))
			candidates[kept++] = candidates[i];
	}
	return kept;
}

static void
choose_test(struct chooser *c, uint32_t candidate)
{
	c->is_name_chosen[c->loaded[candidate].name] = true;
	VEC_PUSH(c->a, &c->chosen, (struct entry){.candidate = candidate});
}

static void
choose_each(struct chooser *c, uint32_t *candidates, size_t n)
{
	n = keep_tests(c, candidates, n);
	for (size_t i = 0; i < n; i++)
		choose_test(c, candidates[i]);
}

static void
choose_listed(struct chooser *c)
{
	bool *listed = NEW_ARRAY(c->a, bool, c->n + 1);
	uint32_t *candidates = NEW_ARRAY(c->a, uint32_t, c->n);
	size_t n = 0;

	for (size_t i = 0; i < c->f->numbers_n; i++)
		if (c->f->numbers[i] <= c->n)
			listed[c->f->numbers[i]] = true;
	for (uint32_t i = 0; i < c->n; i++)
		if (!c->f->numbers_n || listed[i + 1])
			candidates[n++] = i;
	choose_each(c, candidates, n);
}

static void
choose_all(struct chooser *c, uint32_t *candidates, size_t n)
{
	choose_each(c, candidates, keep_named(c, candidates, n));
}

/* With -U numbers count all tests, and without any numbers every test passes. */
static void
choose_union(struct chooser *c)
{
	struct filter_numbers v = filter_numbers(c->a, &c->f->range, c->n);
	uint32_t *passing = NEW_ARRAY(c->a, uint32_t, c->n);
	size_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (!v.has_any || filter_has_number(&v, i + 1) ||
			filter_passes(c->f, test_of(c, i)))
			passing[n++] = i;
	choose_all(c, passing, n);
}

/* Without -U numbers count the tests that pass the patterns. */
static void
choose_filtered(struct chooser *c)
{
	uint32_t *passing = NEW_ARRAY(c->a, uint32_t, c->n);
	size_t n = 0, chosen = 0;
	struct filter_numbers v;

	for (uint32_t i = 0; i < c->n; i++)
		if (filter_passes(c->f, test_of(c, i)))
			passing[n++] = i;
	v = filter_numbers(c->a, &c->f->range, n);
	for (size_t k = 0; k < n; k++)
		if (!v.has_any || filter_has_number(&v, k + 1))
			passing[chosen++] = passing[k];
	choose_all(c, passing, chosen);
}

/* ---- fixtures -------------------------------------------------------------------- */

static struct fixture *
fixture_at(struct chooser *c, struct str name)
{
	uint32_t id = map_number(&c->fixture_ids, name);

	if (id == c->fixtures.n)
		VEC_PUSH(c->a, &c->fixtures, (struct fixture){.name = name});
	return &c->fixtures.v[id];
}

static void
gather_fixtures(struct chooser *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct properties *p = test_of(c, i)->properties;

		for (size_t k = 0; k < p->fixtures_setup.n; k++)
			VEC_PUSH(c->a, &fixture_at(c, p->fixtures_setup.v[k])->setups, i);
		for (size_t k = 0; k < p->fixtures_cleanup.n; k++)
			VEC_PUSH(c->a, &fixture_at(c, p->fixtures_cleanup.v[k])->cleanups,
				i);
	}
}

/* The links of e, which are made if there are none. Valid until others are made. */
static struct fixture_links *
add_links(struct chooser *c, struct entry *e)
{
	if (!e->links) {
		VEC_PUSH(c->a, &c->links, (struct fixture_links){.has_names = false});
		e->links = (uint32_t)c->links.n;
	}
	return &c->links.v[e->links - 1];
}

/* From now on "seen" is about the entry's names. */
static void
open_names(struct chooser *c, struct entry *e)
{
	struct str_list declared = test_of(c, e->candidate)->properties->depends;
	struct fixture_links *l = add_links(c, e);

	c->stamp++;
	if (!l->has_names)
		VEC_PUSH_ALL(c->a, &l->names, declared);
	l->has_names = true;
	for (size_t i = 0; i < l->names.n; i++) {
		uint32_t name = map_get(c->names, l->names.v[i]);

		if (name != MAP_NONE)
			c->seen[name] = c->stamp;
	}
}

static void
add_name(struct chooser *c, struct entry *e, uint32_t candidate)
{
	uint32_t name = c->loaded[candidate].name;

	if (c->seen[name] == c->stamp)
		return;
	c->seen[name] = c->stamp;
	VEC_PUSH(c->a, &add_links(c, e)->names, test_of(c, candidate)->name);
}

static void
add_tests(struct chooser *c, const struct fixture *f, const id_vec *tests,
	const struct pattern *unless, bool is_cleanup)
{
	if (unless && filter_meets(unless, f->name))
		return;
	for (size_t i = 0; i < tests->n; i++) {
		uint32_t t = tests->v[i];

		if (c->is_name_chosen[c->loaded[t].name])
			continue;
		choose_test(c, t);
		VEC_PUSH(c->a, &c->out->additions,
			(struct addition){is_cleanup, test_of(c, t)->name, f->name});
	}
}

/* Entry e requires the fixture. The vector of entries may move. */
static void
require_fixture(struct chooser *c, uint32_t e, struct fixture *f)
{
	VEC_PUSH(c->a, &f->users, e);
	for (size_t i = 0; i < f->setups.n; i++) {
		add_name(c, &c->chosen.v[e], f->setups.v[i]);
		VEC_PUSH(c->a, &add_links(c, &c->chosen.v[e])->must_pass,
			c->loaded[f->setups.v[i]].name);
	}
	if (f->is_known)
		return;
	f->is_known = true;
	add_tests(c, f, &f->setups, c->f->exclude_fixture_setup, false);
	add_tests(c, f, &f->cleanups, c->f->exclude_fixture_cleanup, true);
}

/* ---- dependencies ---------------------------------------------------------------- */

static void
gather_addable(struct chooser *c)
{
	struct map without = map_of(c->a, c->f->without_names);

	c->addable = NEW_ARRAY(c->a, uint32_t, c->names_n);
	for (size_t i = 0; i < c->names_n; i++)
		c->addable[i] = MAP_NONE;
	for (uint32_t i = (uint32_t)c->n; i-- > 0;) {
		const struct test *t = test_of(c, i);

		if (!filter_leaves_out(c->f, t) && !map_has(&without, t->name))
			c->addable[c->loaded[i].name] = i;
	}
}

static void
add_depends(struct chooser *c, const struct properties *p)
{
	for (size_t i = 0; c->addable && i < p->depends.n; i++) {
		uint32_t name = map_get(c->names, p->depends.v[i]);

		if (name != MAP_NONE && !c->is_name_chosen[name] &&
			c->addable[name] != MAP_NONE)
			choose_test(c, c->addable[name]);
	}
}

/* The list grows during the loop, so that fixtures of fixtures are found, and
 * dependencies of dependencies. */
static void
expand_fixtures(struct chooser *c)
{
	for (uint32_t e = 0; e < c->chosen.n; e++) {
		const struct properties *p =
			test_of(c, c->chosen.v[e].candidate)->properties;

		if (p->disabled)
			continue;
		add_depends(c, p);
		if (p->fixtures_required.n)
			open_names(c, &c->chosen.v[e]);
		for (size_t k = 0; k < p->fixtures_required.n; k++)
			require_fixture(c, e, fixture_at(c, p->fixtures_required.v[k]));
		for (size_t k = 0; k < p->fixtures_setup.n; k++)
			VEC_PUSH(c->a,
				&fixture_at(c, p->fixtures_setup.v[k])->chosen_setups, e);
	}
}

static void
depend_on(struct chooser *c, struct entry *e, const id_vec *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		add_name(c, e, c->chosen.v[entries->v[i]].candidate);
}

/* A cleanup waits for all tests that use the fixture and all that set it up. */
static void
order_cleanups(struct chooser *c)
{
	for (uint32_t e = 0; e < c->chosen.n; e++) {
		struct entry *entry = &c->chosen.v[e];
		const struct properties *p = test_of(c, entry->candidate)->properties;

		if (p->fixtures_cleanup.n)
			open_names(c, entry);
		for (size_t k = 0; k < p->fixtures_cleanup.n; k++) {
			const struct fixture *f = fixture_at(c, p->fixtures_cleanup.v[k]);

			depend_on(c, entry, &f->users);
			depend_on(c, entry, &f->chosen_setups);
		}
	}
}

/* ---- the result ------------------------------------------------------------------ */

/* Chains of selected tests by name, ascending. */
static void
index_names(struct chooser *c)
{
	const struct selection *s = c->out;

	c->first = NEW_ARRAY(c->a, uint32_t, c->names_n);
	c->next = NEW_ARRAY(c->a, uint32_t, s->n);
	for (size_t i = 0; i < c->names_n; i++)
		c->first[i] = MAP_NONE;
	for (size_t i = s->n; i-- > 0;) {
		uint32_t name = c->loaded[s->v[i].number - 1].name;

		c->next[i] = c->first[name];
		c->first[name] = (uint32_t)i;
	}
}

SORT_BY(sort_indices, uint32_t, ITSELF)

static void
resolve_depends(struct chooser *c, struct selected *t)
{
	if (!t->depends_names.n)
		return;
	t->depends = NEW_ARRAY(c->a, uint32_t, t->depends_names.n);
	c->stamp++;
	for (size_t i = 0; i < t->depends_names.n; i++) {
		uint32_t name = map_get(c->names, t->depends_names.v[i]);

		if (name == MAP_NONE || c->first[name] == MAP_NONE ||
			c->seen[name] == c->stamp)
			continue;
		c->seen[name] = c->stamp;
		t->depends[t->depends_n++] = c->first[name];
	}
	sort_indices(t->depends, t->depends_n);
}

struct named {
	struct str name;
	uint32_t index;
};

SORT_BY(sort_named, struct named, TEXTUAL(name) ASCENDING(index))

/* By name, since failures are recorded by name: all selected tests of that name count. */
static void
resolve_must_pass(struct chooser *c, struct selected *t, const id_vec *names)
{
	VEC(struct named) found = {0};

	c->stamp++;
	for (size_t i = 0; i < names->n; i++) {
		uint32_t name = names->v[i];

		if (c->seen[name] == c->stamp)
			continue;
		c->seen[name] = c->stamp;
		for (uint32_t k = c->first[name]; k != MAP_NONE; k = c->next[k])
			VEC_PUSH(c->a, &found,
				(struct named){
					c->suite->tests[c->out->v[k].test].name, k});
	}
	if (!found.n)
		return;
	sort_named(found.v, found.n);
	t->must_pass = NEW_ARRAY(c->a, uint32_t, found.n);
	t->must_pass_n = found.n;
	for (size_t i = 0; i < found.n; i++)
		t->must_pass[i] = found.v[i].index;
}

/* NULL: fixtures added nothing to the entry. */
static const struct fixture_links *
find_links(const struct chooser *c, uint32_t entry)
{
	uint32_t links = c->chosen.v[entry].links;

	return links ? &c->links.v[links - 1] : NULL;
}

static void
fill_selected(struct chooser *c, const uint32_t *entry_of)
{
	struct selection *s = c->out;

	s->v = NEW_ARRAY(c->a, struct selected, c->chosen.n);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct test *t = test_of(c, i);
		const struct fixture_links *l;

		if (entry_of[i] == MAP_NONE)
			continue;
		l = find_links(c, entry_of[i]);
		s->v[s->n++] = (struct selected){
			.test = c->loaded[i].test,
			.number = i + 1,
			.depends_names = l && l->has_names ? str_vec_list(&l->names)
							   : t->properties->depends,
		};
		s->largest_number = i + 1;
		if (t->name.n > s->longest_name)
			s->longest_name = t->name.n;
	}
}

static void
finish_selection(struct chooser *c)
{
	struct selection *s = c->out;
	uint32_t *entry_of = NEW_ARRAY(c->a, uint32_t, c->n);

	for (size_t i = 0; i < c->n; i++)
		entry_of[i] = MAP_NONE;
	for (uint32_t e = 0; e < c->chosen.n; e++)
		entry_of[c->chosen.v[e].candidate] = e;
	fill_selected(c, entry_of);
	index_names(c);
	for (size_t i = 0; i < s->n; i++) {
		const struct fixture_links *l =
			find_links(c, entry_of[s->v[i].number - 1]);

		resolve_depends(c, &s->v[i]);
		if (l)
			resolve_must_pass(c, &s->v[i], &l->must_pass);
	}
}

struct str *
selection_names(struct arena *a, const struct selection *s)
{
	struct str *names = NEW_ARRAY(a, struct str, s->n);

	for (size_t i = 0; i < s->n; i++)
		names[i] = selected_test(s, i)->name;
	return names;
}

struct selection
select_tests(struct arena *a, const struct suite *s, const struct filter *f)
{
	struct selection out = {.suite = s};
	struct chooser c = {
		.a = a,
		.suite = s,
		.f = f,
		.out = &out,
		.own_names = map_in(a),
		.fixture_ids = map_in(a),
	};

	INVARIANT(f);
	load_entries(&c);
	out.loaded = c.n;
	if (f->only_numbers)
		choose_listed(&c);
	else if (f->use_union)
		choose_union(&c);
	else
		choose_filtered(&c);
	gather_fixtures(&c);
	if (f->with_depends)
		gather_addable(&c);
	expand_fixtures(&c);
	order_cleanups(&c);
	finish_selection(&c);
	return out;
}
