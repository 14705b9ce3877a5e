/*
 * Tests that stay together are one set of a union-find structure. Then the sets, the
 * longest first, each go to the shard that has the least so far (Graham's LPT).
 *
 * A test is a helper if it only serves fixtures that other selected tests require. It is
 * in no shard of its own, since each shard adds it. Two things make it an ordinary test:
 * no ordinary test needs it after all, or another test of the selection has its name, for
 * which select_tests would not add it. A helper that DEPENDS links to other tests pins
 * its fixtures: all that use them stay in one shard, however long they take.
 */
#include "runner/schedule/shards.h"

#include "runner/base/heap.h"
#include "runner/base/sort.h"

/* So that tests which take no time are spread, too. */
enum { LEAST_US = 1000 };

typedef VEC(uint32_t) id_vec;

struct fixture {
	bool adds_setups, adds_cleanups; /* select_tests adds these */
	id_vec users, helpers; /* indices of the selection */
	bool is_pinned;
	uint32_t server; /* index + 1 of a test that serves it, if no test requires it */
};
/* A set of tests that stays together. */
struct group {
	uint32_t first; /* the least index of its tests */
	uint64_t us;
};
struct splitter {
	struct arena *a;
	const struct selection *s;
	const struct filter *f;
	const struct properties **properties; /* by index of the selection */
	struct map names; /* name -> index of the first test of that name */
	struct map fixture_names;
	VEC(struct fixture) fixtures;
	id_vec pinned; /* of them, as they are found */
	uint64_t *us; /* by index; of the root of a set: all of the set */
	uint32_t *parent; /* union-find */
	bool *is_helper, *is_pinned;
	uint32_t *stamp; /* by index: the fixture that has counted the set */
};

/* ---- sets ------------------------------------------------------------------------ */

static uint32_t
root_of(struct splitter *p, uint32_t i)
{
	while (p->parent[i] != i)
		i = p->parent[i] = p->parent[p->parent[i]];
	return i;
}

/* The root of a set is its least index. */
static void
unite_sets(struct splitter *p, uint32_t x, uint32_t y)
{
	uint32_t a = root_of(p, x), b = root_of(p, y);

	if (a == b)
		return;
	if (b < a) {
		uint32_t c = a;

		a = b;
		b = c;
	}
	p->parent[b] = a;
	p->us[a] += p->us[b];
}

/* ---- fixtures -------------------------------------------------------------------- */

static struct fixture *
fixture_at(struct splitter *p, struct str name)
{
	uint32_t id = map_number(&p->fixture_names, name);
	const struct pattern *setup = p->f->exclude_fixture_setup;
	const struct pattern *cleanup = p->f->exclude_fixture_cleanup;

	if (id == p->fixtures.n)
		VEC_PUSH(p->a, &p->fixtures,
			(struct fixture){
				.adds_setups = !setup || !filter_meets(setup, name),
				.adds_cleanups =
					!cleanup || !filter_meets(cleanup, name)});
	return &p->fixtures.v[id];
}

static void
gather_users(struct splitter *p)
{
	for (uint32_t i = 0; i < p->s->n; i++) {
		const struct properties *o = p->properties[i];

		for (size_t k = 0; !o->disabled && k < o->fixtures_required.n; k++)
			VEC_PUSH(p->a, &fixture_at(p, o->fixtures_required.v[k])->users,
				i);
	}
}

/* Of a test that serves fixtures: it becomes a helper, if select_tests adds it for all
 * that use them. */
static bool
add_helper(struct splitter *p, uint32_t i, struct str_list fixtures, bool is_cleanup)
{
	bool is_added = false;

	for (size_t k = 0; k < fixtures.n; k++) {
		struct fixture *f = fixture_at(p, fixtures.v[k]);

		if (!f->users.n)
			continue;
		if (is_cleanup ? f->adds_cleanups : f->adds_setups) {
			is_added = true;
			VEC_PUSH(p->a, &f->helpers, i);
		} else {
			p->is_pinned[i] = true;
		}
	}
	return is_added;
}

static void
pin_fixture(struct splitter *p, struct str name)
{
	struct fixture *f = fixture_at(p, name);

	if (!f->is_pinned)
		VEC_PUSH(p->a, &p->pinned, (uint32_t)(f - p->fixtures.v));
	f->is_pinned = true;
}

/* All that use the fixtures of the test stay together, and with the test. */
static void
pin_fixtures_of(struct splitter *p, uint32_t i)
{
	const struct properties *o = p->properties[i];

	p->is_pinned[i] = true;
	for (size_t k = 0; k < o->fixtures_setup.n; k++)
		pin_fixture(p, o->fixtures_setup.v[k]);
	for (size_t k = 0; k < o->fixtures_cleanup.n; k++)
		pin_fixture(p, o->fixtures_cleanup.v[k]);
}

static void
find_helpers(struct splitter *p)
{
	for (uint32_t i = 0; i < p->s->n; i++) {
		const struct properties *o = p->properties[i];
		bool sets_up = add_helper(p, i, o->fixtures_setup, false);
		bool cleans_up = add_helper(p, i, o->fixtures_cleanup, true);

		p->is_helper[i] = sets_up || cleans_up;
		if (p->is_pinned[i])
			pin_fixtures_of(p, i);
	}
}

/* A test of the selection with the name of another one is not added by its fixture. */
static void
refuse_names(struct splitter *p)
{
	for (uint32_t i = 0; i < p->s->n; i++) {
		uint32_t first = map_get(&p->names, selected_test(p->s, i)->name);

		if (first == i)
			continue;
		for (int k = 0; k < 2; k++) {
			uint32_t one = k ? i : first;

			if (p->is_helper[one])
				pin_fixtures_of(p, one);
			p->is_helper[one] = false;
		}
	}
}

/* Helpers that no ordinary test adds, since only helpers require their fixtures. */
static void
refuse_unreached(struct splitter *p)
{
	id_vec found = {0};
	bool *is_reached = NEW_ARRAY(p->a, bool, p->s->n);

	for (uint32_t i = 0; i < p->s->n; i++)
		if (!p->is_helper[i])
			VEC_PUSH(p->a, &found, i);
	for (size_t at = 0; at < found.n; at++) {
		const struct properties *o = p->properties[found.v[at]];

		for (size_t k = 0; !o->disabled && k < o->fixtures_required.n; k++) {
			struct fixture *f = fixture_at(p, o->fixtures_required.v[k]);

			for (size_t h = 0; h < f->helpers.n; h++)
				if (p->is_helper[f->helpers.v[h]] &&
					!is_reached[f->helpers.v[h]]) {
					is_reached[f->helpers.v[h]] = true;
					VEC_PUSH(p->a, &found, f->helpers.v[h]);
				}
			f->helpers.n = 0; /* once is enough */
		}
	}
	for (uint32_t i = 0; i < p->s->n; i++)
		if (p->is_helper[i] && !is_reached[i]) {
			p->is_helper[i] = false;
			pin_fixtures_of(p, i);
		}
}

/* ---- what stays together --------------------------------------------------------- */

/* Whether the test requires a fixture that the helper serves: they are together. */
static bool
needs_helper(const struct properties *user, const struct properties *helper)
{
	for (size_t i = 0; i < user->fixtures_required.n; i++)
		if (str_list_has(helper->fixtures_setup, user->fixtures_required.v[i]) ||
			str_list_has(
				helper->fixtures_cleanup, user->fixtures_required.v[i]))
			return true;
	return false;
}

static bool
share_fixture(const struct properties *a, const struct properties *b)
{
	for (size_t i = 0; i < a->fixtures_setup.n; i++)
		if (str_list_has(b->fixtures_setup, a->fixtures_setup.v[i]) ||
			str_list_has(b->fixtures_cleanup, a->fixtures_setup.v[i]))
			return true;
	for (size_t i = 0; i < a->fixtures_cleanup.n; i++)
		if (str_list_has(b->fixtures_cleanup, a->fixtures_cleanup.v[i]) ||
			str_list_has(b->fixtures_setup, a->fixtures_cleanup.v[i]))
			return true;
	return false;
}

/* One of the two waits for the other. */
static void
link_tests(struct splitter *p, uint32_t x, uint32_t y)
{
	const struct properties *a = p->properties[x], *b = p->properties[y];
	bool are_helpers = p->is_helper[x] && p->is_helper[y];

	if (are_helpers ? share_fixture(a, b)
			: (p->is_helper[x] && !b->disabled && needs_helper(b, a)) ||
				  (p->is_helper[y] && !a->disabled && needs_helper(a, b)))
		return;
	unite_sets(p, x, y);
	if (p->is_helper[x])
		pin_fixtures_of(p, x);
	if (p->is_helper[y])
		pin_fixtures_of(p, y);
}

static void
link_by_depends(struct splitter *p)
{
	for (uint32_t i = 0; i < p->s->n; i++) {
		struct str_list names = p->properties[i]->depends;
		uint32_t first = map_get(&p->names, selected_test(p->s, i)->name);

		if (first != i)
			unite_sets(p, first, i);
		for (size_t k = 0; k < names.n; k++) {
			uint32_t other = map_get(&p->names, names.v[k]);

			if (other != MAP_NONE && other != i)
				link_tests(p, i, other);
		}
	}
}

/* The test serves a fixture that no selected test requires: all that do stay together. */
static void
unite_server(struct splitter *p, uint32_t i, struct fixture *f)
{
	if (f->users.n)
		return;
	if (f->server)
		unite_sets(p, f->server - 1, i);
	f->server = i + 1;
	if (p->is_helper[i])
		pin_fixtures_of(p, i);
}

static void
unite_idle_servers(struct splitter *p)
{
	for (uint32_t i = 0; i < p->s->n; i++) {
		const struct properties *o = p->properties[i];

		for (size_t k = 0; k < o->fixtures_setup.n; k++)
			unite_server(p, i, fixture_at(p, o->fixtures_setup.v[k]));
		for (size_t k = 0; k < o->fixtures_cleanup.n; k++)
			unite_server(p, i, fixture_at(p, o->fixtures_cleanup.v[k]));
	}
}

/* Unites all that use a pinned fixture, and pins what brings its helpers in: the list
 * grows during the loop. */
static void
unite_pinned(struct splitter *p)
{
	for (size_t k = 0; k < p->pinned.n; k++) {
		id_vec users = p->fixtures.v[p->pinned.v[k]].users;

		for (size_t i = 0; i < users.n; i++) {
			unite_sets(p, users.v[0], users.v[i]);
			if (p->is_helper[users.v[i]] && !p->is_pinned[users.v[i]])
				pin_fixtures_of(p, users.v[i]);
		}
	}
}

/* Unites the tests with the fixture's users whose helpers were pinned. */
static void
unite_servers(struct splitter *p)
{
	for (uint32_t i = 0; i < p->s->n; i++) {
		const struct properties *o = p->properties[i];
		const struct str_list served[] = {o->fixtures_setup, o->fixtures_cleanup};

		for (size_t l = 0; l < 2; l++)
			for (size_t k = 0; k < served[l].n; k++) {
				const struct fixture *f = fixture_at(p, served[l].v[k]);

				if (f->is_pinned && f->users.n)
					unite_sets(p, i, f->users.v[0]);
			}
	}
}

/* Fills in the times of the sets, without helpers. Returns their sum. */
static uint64_t
sum_sets(struct splitter *p, const uint64_t *us)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->s->n; i++) {
		if (p->is_helper[i])
			continue;
		p->us[root_of(p, i)] += us[i];
		total += us[i];
	}
	return total;
}

/* Unites the users of a fixture that together take no longer than `most_us`. */
static void
unite_users(struct splitter *p, uint64_t most_us)
{
	for (uint32_t k = 0; k < p->fixtures.n; k++) {
		const struct fixture *f = &p->fixtures.v[k];
		uint64_t us = 0;

		for (size_t i = 0; i < f->users.n; i++) {
			uint32_t root = root_of(p, f->users.v[i]);

			if (!p->is_helper[f->users.v[i]] && p->stamp[root] != k + 1)
				us += p->us[root];
			p->stamp[root] = k + 1;
		}
		for (size_t i = 1; us <= most_us && i < f->users.n; i++)
			unite_sets(p, f->users.v[0], f->users.v[i]);
	}
}

/* ---- the split ------------------------------------------------------------------- */

SORT_BY(sort_groups, struct group, DESCENDING(us) ASCENDING(first))

/* The groups of tests that are no helpers; us counts no helpers. */
static struct group *
find_groups(struct splitter *p, const uint64_t *us, uint32_t *group_of, size_t *n)
{
	struct group *v = NEW_ARRAY(p->a, struct group, p->s->n);
	uint32_t *at = NEW_ARRAY(p->a, uint32_t, p->s->n);

	*n = 0;
	for (uint32_t i = 0; i < p->s->n; i++) {
		uint32_t root = root_of(p, i);

		if (p->is_helper[i])
			continue;
		if (!at[root]) {
			v[*n] = (struct group){.first = i};
			at[root] = (uint32_t)++ * n;
		}
		v[at[root] - 1].us += us[i];
		group_of[i] = v[at[root] - 1].first;
	}
	sort_groups(v, *n);
	return v;
}

static void
deal_groups(struct splitter *p, const uint64_t *us, struct shards *out)
{
	uint32_t *group_of = NEW_ARRAY(p->a, uint32_t, p->s->n);
	uint32_t *shard_of = NEW_ARRAY(p->a, uint32_t, p->s->n);
	heap least = {0};
	size_t n;
	struct group *v = find_groups(p, us, group_of, &n);

	for (uint32_t i = 0; i < out->n; i++)
		heap_push_by_id(p->a, &least, 0, i);
	for (size_t g = 0; g < n; g++) {
		uint32_t shard = least.v[0].id;

		heap_pop_by_id(&least);
		shard_of[v[g].first] = shard;
		out->us[shard] += v[g].us;
		heap_push_by_id(p->a, &least, out->us[shard], shard);
	}
	out->longest_us = n ? v[0].us : 0;
	for (uint32_t i = 0; i < p->s->n; i++) {
		out->of[i] = p->is_helper[i] ? SHARD_EVERY : shard_of[group_of[i]];
		if (p->is_helper[i])
			continue;
		out->tests[out->of[i]]++;
		out->own++;
		out->total_us += us[i];
	}
}

static uint64_t
key_of(const struct splitter *p, const struct shards *out)
{
	uint64_t key = STR_SUM_EMPTY;

	for (size_t i = 0; i < p->s->n; i++) {
		struct str name = selected_test(p->s, i)->name;
		uint32_t facts[] = {
			out->n, p->s->v[i].number, out->of[i], (uint32_t)name.n};

		key = str_sum(key, str_cut((const char *)facts, sizeof facts));
		key = str_sum(key, name);
	}
	return key;
}

/* Whole milliseconds, so that sums can be checked as they are shown. */
static uint64_t *
times_in_us(struct arena *a, const struct splitter *p, const struct expected *times)
{
	uint64_t *us = NEW_ARRAY(a, uint64_t, p->s->n);

	for (size_t i = 0; i < p->s->n; i++) {
		us[i] = seconds_to_ns(times[i].seconds) / 1000;
		us[i] -= us[i] % 1000;
		if (us[i] > UINT64_MAX / 2 / p->s->n)
			us[i] = UINT64_MAX / 2 / p->s->n;
		if (us[i] < LEAST_US)
			us[i] = LEAST_US;
	}
	return us;
}

static struct splitter
splitter_of(struct arena *a, const struct selection *s, const struct filter *f)
{
	struct splitter p = {.a = a,
		.s = s,
		.f = f,
		.properties = NEW_ARRAY(a, const struct properties *, s->n),
		.names = map_in(a),
		.fixture_names = map_in(a),
		.us = NEW_ARRAY(a, uint64_t, s->n),
		.parent = NEW_ARRAY(a, uint32_t, s->n),
		.is_helper = NEW_ARRAY(a, bool, s->n),
		.is_pinned = NEW_ARRAY(a, bool, s->n),
		.stamp = NEW_ARRAY(a, uint32_t, s->n)};

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t *first = map_at(&p.names, selected_test(s, i)->name);

		p.properties[i] = selected_test(s, i)->properties;
		p.parent[i] = i;
		if (*first == MAP_NONE)
			*first = i;
	}
	return p;
}

struct shards
shards_plan(struct arena *a, const struct selection *s, const struct filter *f,
	const struct expected *times, uint32_t n)
{
	struct splitter p = splitter_of(a, s, f);
	const uint64_t *us = times_in_us(a, &p, times);
	struct shards out = {.n = n,
		.of = NEW_ARRAY(a, uint32_t, s->n),
		.tests = NEW_ARRAY(a, size_t, n),
		.us = NEW_ARRAY(a, uint64_t, n)};
	uint64_t total;

	INVARIANT(n >= 1 && n <= SHARDS_MOST);
	gather_users(&p);
	find_helpers(&p);
	refuse_names(&p);
	refuse_unreached(&p);
	link_by_depends(&p);
	unite_idle_servers(&p);
	unite_pinned(&p);
	unite_servers(&p);
	total = sum_sets(&p, us);
	unite_users(&p, total / n);
	deal_groups(&p, us, &out);
	out.key = key_of(&p, &out);
	return out;
}
