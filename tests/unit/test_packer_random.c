/*
 * packer, against every way there is: random requests, of which a table over the subsets
 * of the requirements knows whether they fit.
 *
 *     unit_test_packer_random [rounds [seed]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/resources/packer.h"
#include "tests/unit/unit.h"

enum { BINS = 7, ITEMS = 10, ROUNDS = 20000 };

struct instance {
	uint64_t free_slots[BINS], need[ITEMS];
	size_t bins, items;
};

/* What was asked for, and what came of it. */
struct tally {
	size_t rounds, fit, unknown;
	uint64_t first_seed, seed;
};

/* ---- instances ------------------------------------------------------------------- */

static uint64_t
below(struct tally *t, uint64_t n)
{
	t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
	return (t->seed >> 33) % n;
}

/* Bins cut into pieces: full to the last slot, or by a slot too much. */
static void
cut_up(struct tally *t, struct instance *in, uint64_t most)
{
	for (size_t b = 0; b < in->bins; b++) {
		uint64_t rest = in->free_slots[b] = below(t, most);

		while (rest && in->items < ITEMS && below(t, 8)) {
			uint64_t piece = 1 + below(t, rest);

			rest -= piece;
			in->need[in->items++] = piece;
		}
	}
	if (in->items && below(t, 3) == 0)
		in->need[below(t, in->items)]++;
}

static struct instance
random_instance(struct tally *t)
{
	struct instance in = {.bins = below(t, BINS + 1)};
	uint64_t most = 2 + below(t, below(t, 2) ? 100 : 12);

	if (below(t, 2)) {
		cut_up(t, &in, most);
		return in;
	}
	in.items = 1 + below(t, ITEMS);
	for (size_t b = 0; b < in.bins; b++)
		in.free_slots[b] = below(t, most);
	for (size_t i = 0; i < in.items; i++)
		in.need[i] = below(t, 1 + most / (1 + below(t, 4)));
	return in;
}

/* ---- every way ------------------------------------------------------------------- */

/* can[b][set]: the first b bins can hold the set of requirements. */
static bool
fits_somehow(const struct instance *in)
{
	static bool can[2][1 << ITEMS];
	static uint64_t sum[1 << ITEMS];
	size_t sets = (size_t)1 << in->items;
	bool *before = can[0], *now = can[1], *other;

	for (size_t set = 0; set < sets; set++) {
		sum[set] = 0;
		for (size_t i = 0; i < in->items; i++)
			sum[set] += set >> i & 1 ? in->need[i] : 0;
		before[set] = set == 0;
	}
	for (size_t b = 0; b < in->bins; b++) {
		for (size_t set = 0; set < sets; set++) {
			now[set] = before[set];
			for (size_t part = set; part && !now[set];
				part = (part - 1) & set)
				now[set] = sum[part] <= in->free_slots[b] &&
					   before[set ^ part];
		}
		other = before;
		before = now;
		now = other;
	}
	return in->bins ? before[sets - 1] : in->items == 0;
}

/* ---- the packer ------------------------------------------------------------------ */

static void
describe(const struct instance *in, char *text, size_t room)
{
	size_t n = 0;

	for (size_t b = 0; b < in->bins; b++)
		n += (size_t)snprintf(text + n, room - n, "%llu ",
			(unsigned long long)in->free_slots[b]);
	n += (size_t)snprintf(text + n, room - n, "|");
	for (size_t i = 0; i < in->items; i++)
		n += (size_t)snprintf(
			text + n, room - n, " %llu", (unsigned long long)in->need[i]);
}

static void
check_places(const struct instance *in, const uint32_t *place)
{
	uint64_t left[BINS];

	memcpy(left, in->free_slots, sizeof left);
	for (size_t i = 0; i < in->items; i++) {
		assert_true(place[i] < in->bins);
		assert_true(left[place[i]] >= in->need[i]);
		left[place[i]] -= in->need[i];
	}
}

static void
check(struct tally *t, struct arena *a, const struct instance *in,
	const struct pack_rules *rules, bool fits)
{
	uint32_t place[ITEMS];
	char text[400];
	enum pack_result result =
		pack(a, in->free_slots, in->bins, in->need, in->items, place, rules);
	bool is_short = rules->limit < PACK_QUICKLY;

	t->unknown += result == PACK_UNKNOWN;
	if (result == PACK_FOUND)
		check_places(in, place);
	if (result == (fits ? PACK_FOUND : PACK_IMPOSSIBLE) ||
		(is_short && result == PACK_UNKNOWN))
		return;
	describe(in, text, sizeof text);
	fail_msg("seed %llu, order %d, limit %llu: %s: result %d",
		(unsigned long long)t->first_seed, (int)rules->order,
		(unsigned long long)rules->limit, text, (int)result);
}

static void
every_way_agrees(void **state)
{
	struct tally *t = *state;
	size_t rounds = t->rounds;

	print_message("# %zu rounds, seed %llu\n", rounds, (unsigned long long)t->seed);
	for (size_t i = 0; i < rounds; i++) {
		struct arena *a = arena_open();
		struct instance in = random_instance(t);
		bool fits = fits_somehow(&in);
		struct pack_rules rules[] = {{PACK_SPREAD, PACK_QUICKLY},
			{PACK_TIGHT, PACK_QUICKLY}, {PACK_SPREAD, below(t, 200)},
			{PACK_TIGHT, below(t, 200)}};

		t->fit += fits;
		for (size_t r = 0; r < ROWS(rules); r++)
			check(t, a, &in, &rules[r], fits);
		arena_close(a);
	}
	print_message("# %zu fit, %zu of %zu short searches were not decided\n", t->fit,
		t->unknown, 2 * rounds);
	assert_true(rounds < 1000 || (t->fit > rounds / 4 && t->fit < rounds / 4 * 3));
	assert_true(rounds < 1000 || t->unknown > rounds / 1000);
}

int
main(int argc, char **argv)
{
	struct tally t = {.rounds = ROUNDS, .seed = 1};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(every_way_agrees, &t),
	};

	if (argc > 1)
		t.rounds = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		t.seed = strtoull(argv[2], NULL, 10);
	t.first_seed = t.seed;
	return run_unit_tests("packer_random", tests, NULL, NULL);
}
