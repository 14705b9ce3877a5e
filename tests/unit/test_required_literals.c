/* compat/required_literals and compat/aho_corasick: which expressions can match at all.
 */
#include "compat/format/required_literals.h"
#include "compat/format/aho_corasick.h"
#include "tests/unit/unit.h"

/* What is needed, with '|' between. */
static struct str
needs_text(struct arena *a, const char *expression)
{
	struct required_literals n = required_literals_of(a, str_of(expression));
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < n.n; i++)
		buf_fmt(&b, "%s%.*s", i ? "|" : "", STR_ARG(n.texts[i]));
	return buf_as_str(&b);
}

static void
test_needs(void **state)
{
	static const struct {
		const char *expression, *needs;
	} rows[] = {
		{"", ""},
		{"abc", "abc"},
		{"^abc$", "abc"},
		{"abc*", "ab"},
		{"abc?d", "ab"},
		{"abc+defgh", "defgh"},
		{"abcdef+g", "abcdef"},
		{"a.bc", "bc"},
		{"a[bc]d", "a"},
		{"[^]x]yz", "yz"},
		{"[]x]yz", "yz"},
		{"[abc", ""},
		{"\\*\\*\\* x", "*** x"},
		{"\\.+ab", "ab"},
		{"x\\", "x\\"},
		{"a|b", "a|b"},
		{"a|", ""},
		{"a|.*", ""},
		{"(ab|cde)f", "ab|cde"},
		{"(ab|cde)fgh", "fgh"},
		{"(ab|cde)*fg", "fg"},
		{"(ab|cde)?", ""},
		{"(ab|cde)+", "ab|cde"},
		{"((ab)|(c.de)+)", "ab|de"},
		{"a)b", ""},
		{"(a", "a"},
		{"a|b|c|d|e|f|g|h", "a|b|c|d|e|f|g|h"},
		{"a|b|c|d|e|f|g|h|i", ""},
		{"0123456789012345678901234567890", "789012345678901234567890"},
		{"([^ :]+):([0-9]+): ([^ \\t])", ": "},
		{"^(Warning|Warnung)[ :]", "Warning|Warnung"},
		{"((((((((((((((((((((((((x", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct str text = needs_text(a, rows[i].expression);

		if (rows[i].needs && !str_is(text, rows[i].needs))
			print_message("# %s: %s\n", rows[i].expression, text.p);
		assert_true(!rows[i].needs || str_is(text, rows[i].needs));
		arena_close(a);
	}
}

static void
test_lean(void **state)
{
	static const struct {
		const char *expression, *lean;
	} rows[] = {
		{"", ""},
		{"abc", "abc"},
		{"([^:]+): x", "([^:]): x"},
		{"[^:]+: x", "[^:]: x"},
		{"([^:]*): x", "([^:]*): x"},
		{"([^:]+x): x", "([^:]+x): x"},
		{"([^:]+)+: x", "([^:])+: x"},
		{"[^:]+*", "[^:]+*"},
		{"[a", "[a"},
		{"([a", "([a"},
		{"([a]+", "([a]+"},
		{"([a]+)", "([a])"},
		{"^([a]+)", "^([a]+)"},
		{"[]+]+", "[]+]"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_true(
			str_is(regex_lean(a, str_of(rows[i].expression)), rows[i].lean));
	arena_close(a);
}

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static struct str
random_text(struct arena *a, uint32_t *seed, size_t most)
{
	size_t n = next_random(seed) % (most + 1);
	char *text = NEW_ARRAY(a, char, n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + next_random(seed) % 3);
	return str_cut(text, n);
}

/* Against a search for each; few letters, so that texts are parts of each other. */
static void
test_finder(void **state)
{
	enum { TEXTS = 70, ROUNDS = 40, LINES = 50 };
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *a = arena_open();
		struct aho_corasick *f = aho_corasick_new(a, TEXTS);
		struct number_set found = number_set_in(a, TEXTS);
		struct str texts[TEXTS];

		for (size_t i = 0; i < TEXTS; i++) {
			texts[i] = random_text(a, &seed, 7);
			aho_corasick_add(f, texts[i], i);
		}
		aho_corasick_build(f);
		for (int k = 0; k < LINES; k++) {
			struct str line = random_text(a, &seed, 30);

			aho_corasick_search(f, line, &found);
			for (size_t i = 0; i < TEXTS; i++)
				assert_int_equal(number_set_has(&found, i),
					!texts[i].n || str_has(line, texts[i]));
		}
		arena_close(a);
	}
}

/* Every byte is in some text. */
static void
test_finder_bytes(void **state)
{
	enum { BYTES = 256 };
	struct arena *a = arena_open();
	struct aho_corasick *f = aho_corasick_new(a, BYTES);
	struct number_set found = number_set_in(a, BYTES);
	char bytes[BYTES];

	(void)state;
	for (size_t i = 0; i < BYTES; i++) {
		bytes[i] = (char)i;
		aho_corasick_add(f, str_cut(&bytes[i], 1), i);
	}
	aho_corasick_build(f);
	for (size_t i = 0; i < BYTES; i++) {
		aho_corasick_search(f, str_cut(&bytes[i], 1), &found);
		for (size_t k = 0; k < BYTES; k++)
			assert_int_equal(number_set_has(&found, k), i == k);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_lean),
		cmocka_unit_test(test_finder),
		cmocka_unit_test(test_finder_bytes),
	};

	return run_unit_tests("required_literals", tests, NULL, NULL);
}
