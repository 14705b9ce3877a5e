/* packer: the instances that ctest gives, never a wrong refusal, never for long. */
#include <stdlib.h>
#include <string.h>

#include "runner/base/files.h"
#include "runner/resources/packer.h"
#include "tests/unit/hard_request.h"
#include "tests/unit/unit.h"

enum { LARGEST = 200 };

struct instance {
	uint64_t free_slots[LARGEST], need[LARGEST];
	size_t bins, items;
	uint32_t place[LARGEST];
};

static size_t
numbers(struct str text, uint64_t *v)
{
	size_t n = 0;

	for (text = str_trim(text); text.n; text = str_trim(text)) {
		size_t end = str_find(text, ' ');

		assert_true(n < LARGEST &&
			    str_unsigned(str_cut(text.p, end), UINT64_MAX, &v[n]));
		n++;
		text = str_from(text, end);
	}
	return n;
}

static enum pack_result
pack_instance(struct instance *i, enum pack_order order, uint64_t limit)
{
	struct arena *a = arena_open();
	enum pack_result result = pack(a, i->free_slots, i->bins, i->need, i->items,
		i->place, &(struct pack_rules){order, limit});

	arena_close(a);
	return result;
}

/* Nothing is given twice. */
static void
assert_valid(const struct instance *i)
{
	uint64_t left[LARGEST];

	memcpy(left, i->free_slots, sizeof left);
	for (size_t k = 0; k < i->items; k++) {
		assert_true(i->place[k] < i->bins);
		assert_true(left[i->place[k]] >= i->need[k]);
		left[i->place[k]] -= i->need[k];
	}
}

/* ---- rows ------------------------------------------------------------------------ */

/* "free | needs | places", or "-" for places. */
static void
check_row(struct str line)
{
	struct instance i = {.bins = 0};
	size_t first = str_find(line, '|');
	struct str rest = str_from(line, first + 1);
	size_t second = str_find(rest, '|');
	struct str places = str_trim(str_from(rest, second + 1));
	uint64_t expected[LARGEST];
	enum pack_result result;

	assert_true(first < line.n && second < rest.n);
	i.bins = numbers(str_cut(line.p, first), i.free_slots);
	i.items = numbers(str_cut(rest.p, second), i.need);
	result = pack_instance(&i, PACK_SPREAD, PACK_QUICKLY);
	if (str_is(places, "-")) {
		if (result != PACK_IMPOSSIBLE)
			fail_msg("%.*s: result %d", STR_ARG(line), (int)result);
		return;
	}
	if (result != PACK_FOUND)
		fail_msg("%.*s: result %d", STR_ARG(line), (int)result);
	assert_int_equal(numbers(places, expected), i.items);
	for (size_t k = 0; k < i.items; k++)
		if (i.place[k] != expected[k])
			fail_msg("%.*s: need %zu is in %u", STR_ARG(line), k, i.place[k]);
	assert_valid(&i);
}

#define THOUSANDS "1000 1000 1000 1000 1000 1000 1000 1000 1000 1000"
#define DESCENDING "1000 999 998 997 996 995 994 993 992 991"

static const char *const rows[] = {
	"4 4 4 4 | 2 2 2 2 | 0 1 2 3",
	"5 2 | 2 3 2 | 0 0 1",
	"1 2 2 | 1 2 3 | -",
	"81 68 20 13 | 48 21 31 10 40 | 0 1 0 2 1",
	"16 81 97 | 30 31 39 67 | 2 1 1 2",
	"18 29 9 52 | 63 47 1 9 | -",
	"65 85 65 78 | 22 29 46 85 | 2 0 3 1",
	"24 57 61 51 | 66 11 34 21 | -",
	"29 77 98 58 | 72 65 67 45 | -",
	THOUSANDS " | " DESCENDING " 10 | -",
	THOUSANDS " | " DESCENDING " 9 | 0 1 2 3 4 5 6 7 8 9 9",
	"1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 | " DESCENDING " 19 | -",
	/* nothing needed, nothing there */
	"3 | | ",
	" | | ",
	" | 1 | -",
	" | 0 | -",
	"0 | 0 0 | 0 0",
	"1 0 | 0 1 0 | 0 0 0",
	/* sums beyond 64 bits */
	"18446744073709551615 18446744073709551615 | 18446744073709551615 1 | 0 1",
	"18446744073709551615 1 | 18446744073709551615 2 | -",
	"4294967296 | 4294967296 | 0",
};

static void
rows_are_packed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check_row(str_of(rows[i]));
}

static void
ctest_gives_the_same(void **state)
{
	const char *root = getenv("CCTR_SOURCE_DIR");
	struct arena *a = arena_open();
	struct str text,
		path = str_fmt(a, "%s/tests/cases/packer/spread.rows", root ? root : ".");
	size_t n = 0;

	(void)state;
	assert_true(file_read(a, path.p, &text));
	while (text.n) {
		size_t end = str_find(text, '\n');

		if (end && text.p[0] != '#') {
			check_row(str_cut(text.p, end));
			n++;
		}
		text = str_from(text, end < text.n ? end + 1 : end);
	}
	assert_true(n >= 300);
	arena_close(a);
}

/* ---- the rule without any pruning ------------------------------------------------ */

enum { SMALL = 8 };

struct naive {
	const struct instance *i;
	size_t order[SMALL]; /* needs, most slots first */
	uint64_t left[SMALL]; /* bins, most free first */
	uint32_t bin[SMALL];
	uint32_t place[SMALL];
};

/* Insertion sort of bins and needs: stable, most first. */
static void
naive_sort(struct naive *n)
{
	for (size_t k = 0; k < n->i->bins; k++) {
		size_t at = k;

		for (; at && n->left[at - 1] < n->i->free_slots[k]; at--) {
			n->left[at] = n->left[at - 1];
			n->bin[at] = n->bin[at - 1];
		}
		n->left[at] = n->i->free_slots[k];
		n->bin[at] = (uint32_t)k;
	}
	for (size_t k = 0; k < n->i->items; k++) {
		size_t at = k;

		for (; at && n->i->need[n->order[at - 1]] < n->i->need[k]; at--)
			n->order[at] = n->order[at - 1];
		n->order[at] = k;
	}
}

static bool
naive_search(struct naive n, size_t depth, uint32_t *place)
{
	uint64_t need, tried = UINT64_MAX;

	if (depth == n.i->items) {
		memcpy(place, n.place, sizeof n.place);
		return true;
	}
	need = n.i->need[n.order[depth]];
	for (size_t k = 0; k < n.i->bins && n.left[k] >= need; k++) {
		struct naive next = n;

		if (n.left[k] == tried)
			continue;
		tried = n.left[k];
		next.place[n.order[depth]] = n.bin[k];
		next.left[k] -= need;
		for (size_t at = k;
			at + 1 < n.i->bins && next.left[at + 1] > next.left[at]; at++) {
			uint64_t left = next.left[at];
			uint32_t bin = next.bin[at];

			next.left[at] = next.left[at + 1];
			next.bin[at] = next.bin[at + 1];
			next.left[at + 1] = left;
			next.bin[at + 1] = bin;
		}
		if (naive_search(next, depth + 1, place))
			return true;
	}
	return false;
}

static uint64_t
random_below(uint64_t *seed, uint64_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % n;
}

/* Half of them are bins that were cut up, so that they are just or nearly full. */
static void
make_random(uint64_t *seed, struct instance *i)
{
	uint64_t most = 2 + random_below(seed, 9);
	bool cut = random_below(seed, 2);

	i->bins = 1 + random_below(seed, 4);
	i->items = cut ? 0 : 1 + random_below(seed, 5);
	for (size_t b = 0; b < i->bins; b++) {
		uint64_t rest = i->free_slots[b] = random_below(seed, most);

		while (cut && rest && i->items < 6) {
			uint64_t piece = 1 + random_below(seed, rest);

			rest -= piece;
			i->need[i->items++] = piece + (random_below(seed, 9) == 0);
		}
	}
	for (size_t k = 0; k < i->items && !cut; k++)
		i->need[k] = random_below(seed, most);
}

static void
pruning_changes_nothing(void **state)
{
	uint64_t seed = 1;
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		struct instance i = {.bins = 0};
		struct naive n = {.i = &i};
		uint32_t place[SMALL];
		enum pack_result result;
		bool could;

		make_random(&seed, &i);
		naive_sort(&n);
		could = naive_search(n, 0, place);
		result = pack_instance(&i, PACK_SPREAD, PACK_QUICKLY);
		if (result != (could ? PACK_FOUND : PACK_IMPOSSIBLE))
			fail_msg("round %d: result %d", round, (int)result);
		if (!could)
			continue;
		found++;
		assert_memory_equal(i.place, place, i.items * sizeof *place);
		assert_valid(&i);
	}
	assert_true(found > 20000 && found < 80000);
}

/* ---- limits ---------------------------------------------------------------------- */

/* n bins of different size that hold one each, n + 1 needs: n! refusals. */
static void
refusals_take_no_time(void **state)
{
	(void)state;
	for (size_t n = 7; n <= 60; n++) {
		struct instance i = {.bins = n, .items = n + 1};

		for (size_t b = 0; b < n; b++)
			i.free_slots[b] = 20 + b % 20;
		for (size_t k = 0; k <= n; k++)
			i.need[k] = 20;
		assert_int_equal(
			pack_instance(&i, PACK_SPREAD, PACK_QUICKLY), PACK_IMPOSSIBLE);
	}
}

/* k large and k small bins that one way only fills: the most free first is wrong. */
static void
tight_fits_are_found(void **state)
{
	(void)state;
	for (size_t k = 3; k <= 60; k++) {
		struct instance i = {.bins = 2 * k, .items = 3 * k};

		for (size_t b = 0; b < k; b++) {
			i.free_slots[b] = 4001 + b;
			i.free_slots[k + b] = 3001 + b;
		}
		for (size_t n = 0; n < 3 * k; n++)
			i.need[n] = n < k ? 3000 : 2000;
		assert_int_equal(
			pack_instance(&i, PACK_SPREAD, PACK_QUICKLY), PACK_FOUND);
		assert_valid(&i);
	}
}

/* What is not decided within the limit is unknown, not impossible; nothing is changed. */
static void
limits_end_the_search(void **state)
{
	static const uint64_t limits[] = {0, 1, 100, PACK_QUICKLY, PACK_THOROUGHLY};

	(void)state;
	for (size_t k = 0; k < 2 * ROWS(limits); k++) {
		struct instance i = {.bins = HARD_BINS, .items = HARD_ITEMS}, before;

		hard_request(i.free_slots, i.need);
		before = i;
		assert_int_equal(pack_instance(&i, k % 2 ? PACK_TIGHT : PACK_SPREAD,
					 limits[k / 2]),
			PACK_UNKNOWN);
		assert_memory_equal(&i, &before, offsetof(struct instance, place));
	}
}

static void
longer_searches_find_more(void **state)
{
	struct instance i = {.bins = LATE_BINS, .items = LATE_ITEMS};

	(void)state;
	late_request(i.free_slots, i.need);
	assert_int_equal(pack_instance(&i, PACK_SPREAD, PACK_THOROUGHLY), PACK_UNKNOWN);
	assert_int_equal(pack_instance(&i, PACK_SPREAD, PACK_AT_LAST), PACK_FOUND);
	assert_valid(&i);
}

/* As many instances and requirements as nobody has, equal ones and all different. */
static void
sizes_do_not_matter(void **state)
{
	enum { MANY = 1 << 20, ITEMS = 100000 };
	static const size_t modulus[] = {1, 7, 1000};
	struct arena *a = arena_open();
	uint64_t *free_slots = NEW_ARRAY(a, uint64_t, MANY);
	uint64_t *need = NEW_ARRAY(a, uint64_t, ITEMS);
	uint32_t *place = NEW_ARRAY(a, uint32_t, ITEMS);
	struct pack_rules rules = {PACK_SPREAD, PACK_QUICKLY};

	(void)state;
	for (size_t m = 0; m < 2 * ROWS(modulus); m++) {
		rules.order = m % 2 ? PACK_TIGHT : PACK_SPREAD;
		for (size_t b = 0; b < MANY; b++)
			free_slots[b] = 1 + b * 31 % modulus[m / 2];
		for (size_t k = 0; k < ITEMS; k++)
			need[k] = 1 + k * 17 % modulus[m / 2];
		assert_int_equal(pack(a, free_slots, MANY, need, ITEMS, place, &rules),
			PACK_FOUND);
		/* one slot too much in all */
		for (size_t b = 0; b < MANY; b++)
			free_slots[b] = b < ITEMS - 1;
		for (size_t k = 0; k < ITEMS; k++)
			need[k] = 1;
		assert_int_equal(pack(a, free_slots, MANY, need, ITEMS, place, &rules),
			PACK_IMPOSSIBLE);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_packed),
		cmocka_unit_test(ctest_gives_the_same),
		cmocka_unit_test(pruning_changes_nothing),
		cmocka_unit_test(refusals_take_no_time),
		cmocka_unit_test(tight_fits_are_found),
		cmocka_unit_test(limits_end_the_search),
		cmocka_unit_test(longer_searches_find_more),
		cmocka_unit_test(sizes_do_not_matter),
	};

	return run_unit_tests("packer", tests, NULL, NULL);
}
