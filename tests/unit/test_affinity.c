/*
 * affinity: choices on machines that are written down, as hwloc's synthetic topologies,
 * and random ones against what makes a set compact.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/has_hwloc.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

static struct layout
layout_of(struct arena *a, const char *synthetic)
{
	struct topology_text text = {synthetic, NULL};
	struct layout l;

	assert_true(topology_layout(a, &text, true, &l));
	return l;
}

static struct affinity *
allocator(struct arena *a, const struct layout *l, bool is_compact)
{
	struct affinity_options o = {.layout = l, .is_compact = is_compact};

	return affinity_new(a, &o);
}

static void
write_processors(struct buf *b, struct processors p)
{
	for (size_t i = 0; i < p.n; i++)
		buf_fmt(b, "%s%u", i ? "," : "", p.v[i]);
}

/* ---- written down ---------------------------------------------------------------- */

/* Packages, memory nodes, caches, cores, threads. */
#define TWO_NODES "pack:2 [numa] l3:2 core:2 pu:2"
#define FLAT "core:4 pu:1"

/* "2" takes two, "-0" gives back what the first of them took. */
static const struct {
	const char *synthetic;
	bool is_compact;
	const char *steps, *given;
} rows[] = {
	/* in order */
	{FLAT, false, "1 2 1", "0; 1,2; 3"},
	{FLAT, false, "1 2 -0 2", "0; 1,2; 0,3"},
	{FLAT, false, "2 1 -0 1 2", "0,1; 2; 0; 1,3"},
	{"core:4 pu:1(indexes=3,1,2,0)", false, "1 2", "0; 1,2"},
	/* one core after the other in the same cache, then threads of busy cores */
	{TWO_NODES, true, "1 1 1 1 1 1 1 1 1", "0; 2; 4; 6; 8; 10; 12; 14; 1"},
	/* a cache for each pair, not the rest of one and a bit of the next */
	{TWO_NODES, true, "1 2 1", "0; 4,6; 2"},
	/* a node before threads of one cache */
	{TWO_NODES, true, "1 3", "0; 2,4,6"},
	{TWO_NODES, true, "4 4", "0,2,4,6; 8,10,12,14"},
	/* threads of one node before idle cores of two, all cores of it first */
	{TWO_NODES, true, "5", "0,1,2,4,6"},
	{TWO_NODES, true, "8 8", "0,1,2,3,4,5,6,7; 8,9,10,11,12,13,14,15"},
	/* what is left of several nodes, the largest piece first */
	{TWO_NODES, true, "6 6 4", "0,1,2,3,4,6; 8,9,10,11,12,14; 5,7,13,15"},
	{TWO_NODES, true, "9", "0,1,2,3,4,5,6,7,8"},
	{TWO_NODES, true, "16 -0 1", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15; 0"},
	/* the smallest room that is large enough */
	{TWO_NODES, true, "4 2 2 -1 1 -0 4", "0,2,4,6; 8,10; 12,14; 8; 0,2,4,6"},
	/* several nodes in a package, one package before two */
	{"pack:2 numa:2 core:2 pu:1", true, "1 3 3", "0; 1,2,3; 4,5,6"},
	{FLAT, true, "3 1", "0,1,2; 3"},
	/* the system counts threads in its own way */
	{"numa:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", true, "2 2 3", "0,1; 2,3; 4,5,6"},
};

static struct buf
play(struct arena *a, struct affinity *f, const char *steps)
{
	struct buf given = {.arena = a};
	struct str rest = str_of(steps);
	VEC(struct processors) taken = {0};

	while (rest.n) {
		struct str step = text_piece(&rest, ' ');

		if (step.p[0] == '-') {
			affinity_return(f, taken.v[str_int(str_from(step, 1))]);
			continue;
		}
		if (taken.n)
			buf_z(&given, "; ");
		VEC_PUSH(a, &taken, affinity_take(f, a, (size_t)str_int(step), NULL));
		write_processors(&given, taken.v[taken.n - 1]);
	}
	return given;
}

static void
gives_what_is_written_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct layout l;
		struct buf given;

		if (!has_hwloc(a)) {
			print_message("# no hwloc here\n");
			arena_close(a);
			return;
		}
		l = layout_of(a, rows[i].synthetic);
		given = play(a, allocator(a, &l, rows[i].is_compact), rows[i].steps);
		if (!str_is(buf_as_str(&given), rows[i].given))
			fail_msg("%s, %s: got %s, expected %s", rows[i].synthetic,
				rows[i].steps, given.p, rows[i].given);
		arena_close(a);
	}
}

/* ---- near a device --------------------------------------------------------------- */

static void
gpus_draw_their_tests(void **state)
{
	struct arena *a = arena_open();
	unsigned numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct layout l = layout_flat(a, (struct processors){numbers, ROWS(numbers)});
	bool is_near[] = {false, false, false, false, true, true, true, true};
	struct layout_device device = {STR("0000:41:00.0"), is_near};
	struct pool pool = pool_of(a, "gpus 0=1 1=1");
	struct resource_property bus[] = {
		{STR("bus"), STR("0000:01:00.0")}, {STR("bus"), STR("0000:41:00.0")}};
	struct grant_unit units[] = {{0, 0, 1}, {0, 1, 1}};
	struct grant_group groups[] = {{&units[0], 1}, {&units[1], 1}};
	struct grant unknown = {&groups[0], 1}, known = {&groups[1], 1};
	struct affinity_options o = {.layout = &l, .pool = &pool, .is_compact = true};
	struct affinity *f;
	struct processors p;

	(void)state;
	for (size_t i = 0; i < l.n; i++)
		l.v[i].part[LAYOUT_NODE] = l.v[i].part[LAYOUT_PACKAGE] = i / 4;
	layout_nest(a, &l);
	VEC_PUSH(a, &l.devices, device);
	for (size_t i = 0; i < 2; i++) {
		pool.types[0].v[i].properties = &bus[i];
		pool.types[0].v[i].properties_n = 1;
	}
	f = affinity_new(a, &o);
	p = affinity_take(f, a, 1, &unknown);
	assert_int_equal(p.v[0], 0);
	p = affinity_take(f, a, 3, &known);
	assert_int_equal(p.v[0], 4);
	assert_int_equal(p.v[2], 6);
	/* not enough near it: as if it held none */
	p = affinity_take(f, a, 2, &known);
	assert_int_equal(p.v[0], 1);
	assert_int_equal(p.v[1], 2);
	p = affinity_take(f, a, 1, &known);
	assert_int_equal(p.v[0], 7);
	arena_close(a);
}

/* ---- random machines ------------------------------------------------------------- */

static unsigned
below(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

/* Parts of each level in a part of the next; threads in a core. */
static struct layout
random_machine(struct arena *a, uint64_t *seed)
{
	unsigned packages = 1 + below(seed, 2), nodes = 1 + below(seed, 2),
		 caches = 1 + below(seed, 3), cores = 1 + below(seed, 4),
		 threads = 1 + below(seed, 3);
	struct layout l = {.n = packages * nodes * caches * cores * threads};

	l.v = NEW_ARRAY(a, struct layout_place, l.n);
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t *part = l.v[i].part;

		l.v[i].number = 2 * i;
		part[LAYOUT_CORE] = i / threads;
		part[LAYOUT_CACHE] = part[LAYOUT_CORE] / cores;
		part[LAYOUT_NODE] = part[LAYOUT_CACHE] / caches;
		part[LAYOUT_PACKAGE] = part[LAYOUT_NODE] / nodes;
	}
	return l;
}

struct state {
	struct layout l;
	bool *is_taken, *was_taken; /* was: before the last choice */
};

static bool
core_is_idle(const struct state *s, uint32_t core)
{
	for (size_t i = 0; i < s->l.n; i++)
		if (s->was_taken[i] && s->l.v[i].part[LAYOUT_CORE] == core)
			return false;
	return true;
}

static bool
starts_core(const struct state *s, size_t i)
{
	return i == 0 || s->l.v[i].part[LAYOUT_CORE] != s->l.v[i - 1].part[LAYOUT_CORE];
}

/* The most that one part of the level had free: idle cores, or processors. */
static size_t
most_room(const struct state *s, enum layout_level level, bool of_cores)
{
	size_t most = 0;

	for (uint32_t part = 0; part < s->l.n; part++) {
		size_t n = 0;

		for (size_t i = 0; i < s->l.n; i++) {
			const struct layout_place *p = &s->l.v[i];

			if (p->part[level] != part)
				continue;
			n += of_cores ? starts_core(s, i) &&
						core_is_idle(s, p->part[LAYOUT_CORE])
				      : !s->was_taken[i];
		}
		most = n > most ? n : most;
	}
	return most;
}

static size_t
parts_used(const struct state *s, struct processors p, enum layout_level level)
{
	bool *seen = calloc(s->l.n, sizeof *seen);
	size_t n = 0;

	assert_non_null(seen);
	for (size_t i = 0; i < p.n; i++) {
		uint32_t part = s->l.v[p.v[i] / 2].part[level];

		n += !seen[part];
		seen[part] = true;
	}
	free(seen);
	return n;
}

static bool
cores_were_idle(const struct state *s, struct processors p)
{
	for (size_t i = 0; i < p.n; i++)
		if (!core_is_idle(s, s->l.v[p.v[i] / 2].part[LAYOUT_CORE]))
			return false;
	return parts_used(s, p, LAYOUT_CORE) == p.n;
}

static void
check_is_compact(const struct state *s, struct processors p)
{
	for (int level = LAYOUT_CACHE; level < LAYOUT_MACHINE; level++)
		if (most_room(s, (enum layout_level)level, true) >= p.n) {
			assert_int_equal(parts_used(s, p, (enum layout_level)level), 1);
			assert_true(cores_were_idle(s, p));
			return;
		} else if (level >= LAYOUT_NODE &&
			   most_room(s, (enum layout_level)level, false) >= p.n) {
			assert_int_equal(parts_used(s, p, (enum layout_level)level), 1);
			return;
		}
	if (most_room(s, LAYOUT_MACHINE, true) >= p.n)
		assert_true(cores_were_idle(s, p));
}

/* Takes them over, and checks that nobody had them. */
static void
note(struct state *s, struct processors p)
{
	memcpy(s->was_taken, s->is_taken, s->l.n * sizeof *s->is_taken);
	for (size_t i = 0; i < p.n; i++) {
		assert_false(s->is_taken[p.v[i] / 2]);
		s->is_taken[p.v[i] / 2] = true;
		assert_true(i == 0 || p.v[i - 1] < p.v[i]);
	}
}

static void
check_is_lowest(const struct state *s, struct processors p)
{
	size_t n = 0;

	for (size_t i = 0; i < s->l.n && n < p.n; i++)
		if (!s->was_taken[i])
			assert_int_equal(p.v[n++], s->l.v[i].number);
}

static void
random_round(uint64_t seed, bool is_compact)
{
	enum { STEPS = 60 };
	struct arena *a = arena_open();
	struct state s = {.l = random_machine(a, &seed)};
	struct affinity *f = allocator(a, &s.l, is_compact);
	VEC(struct processors) held = {0};

	s.is_taken = NEW_ARRAY(a, bool, s.l.n);
	s.was_taken = NEW_ARRAY(a, bool, s.l.n);
	for (int step = 0; step < STEPS; step++) {
		size_t free = affinity_free(f);

		if (held.n && (!free || below(&seed, 2))) {
			size_t k = below(&seed, (unsigned)held.n);

			for (size_t i = 0; i < held.v[k].n; i++)
				s.is_taken[held.v[k].v[i] / 2] = false;
			affinity_return(f, held.v[k]);
			held.v[k] = held.v[--held.n];
			continue;
		}
		VEC_PUSH(a, &held,
			affinity_take(f, a, 1 + below(&seed, (unsigned)free), NULL));
		note(&s, held.v[held.n - 1]);
		assert_int_equal(affinity_free(f), free - held.v[held.n - 1].n);
		if (is_compact)
			check_is_compact(&s, held.v[held.n - 1]);
		else
			check_is_lowest(&s, held.v[held.n - 1]);
	}
	arena_close(a);
}

static void
random_sets_are_disjoint_and_compact(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++)
		random_round(seed, true);
}

static void
random_sets_are_the_lowest(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++)
		random_round(seed, false);
}

/* ---- layouts --------------------------------------------------------------------- */

/* A node around several packages, and caches numbered anew in each. */
static void
parts_are_nested(void **state)
{
	struct arena *a = arena_open();
	unsigned numbers[] = {0, 1, 2, 3};
	struct layout l = layout_flat(a, (struct processors){numbers, 4});
	static const uint32_t caches[] = {7, 8, 7, 8};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		l.v[i].part[LAYOUT_PACKAGE] = (uint32_t)i / 2;
		l.v[i].part[LAYOUT_CACHE] = caches[i];
	}
	layout_nest(a, &l);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(l.v[i].part[LAYOUT_CACHE], i);
		assert_int_equal(l.v[i].part[LAYOUT_NODE], i / 2);
		assert_int_equal(l.v[i].part[LAYOUT_MACHINE], 0);
	}
	arena_close(a);
}

static void
this_machine_has_what_the_process_may_use(void **state)
{
	struct arena *a = arena_open();
	struct topology_text here = {NULL, NULL};
	struct processors p = processors_here(a);
	struct layout l;

	(void)state;
	assert_true(topology_layout(a, &here, false, &l));
	assert_int_equal(l.n, p.n);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(l.v[i].number, p.v[i]);
	arena_close(a);
}

/* A run that shares the machine takes what it has been granted, if the ids are numbers of
 * processors. */
static void
granted_ones_are_taken(void **state)
{
	struct arena *a = *state;
	struct pool pool = pool_of(a, "cpus 0=1 1=1 2=1 3=1 x=1");
	struct layout l;
	struct affinity_options o = {
		.layout = &l, .pool = &pool, .is_compact = true, .is_shared = true};
	struct affinity *f;
	struct grant_unit units[] = {{0, 3, 1}, {0, 1, 1}}, unknown[] = {{0, 4, 1}};
	struct grant_group group = {units, 2}, other = {unknown, 1};
	struct grant g = {&group, 1}, none = {&other, 1};
	struct processors first, second;

	if (!has_hwloc(a))
		SKIP_TEST("no hwloc here");
	l = layout_of(a, FLAT);
	f = affinity_new(a, &o);
	first = affinity_take(f, a, 2, &g);
	assert_int_equal(first.v[0], 1);
	assert_int_equal(first.v[1], 3);
	second = affinity_take(f, a, 1, &none);
	assert_int_equal(second.v[0], 0);
	affinity_return(f, first);
	assert_int_equal(affinity_free(f), 3);
	first = affinity_take(f, a, 2, NULL);
	assert_int_equal(first.v[0], 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_what_is_written_down),
		cmocka_unit_test(gpus_draw_their_tests),
		cmocka_unit_test(random_sets_are_disjoint_and_compact),
		cmocka_unit_test(random_sets_are_the_lowest),
		cmocka_unit_test(parts_are_nested),
		cmocka_unit_test(this_machine_has_what_the_process_may_use),
		cmocka_unit_test_setup_teardown(
			granted_ones_are_taken, open_arena, close_arena),
	};

	return run_unit_tests("affinity", tests, NULL, NULL);
}
