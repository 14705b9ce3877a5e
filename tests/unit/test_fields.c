/* fields: each type comes back, and invented lengths are refused. */
#include "runner/base/fields.h"
#include "tests/unit/unit.h"

struct thing {
	int number;
	int64_t large;
	bool is_so;
	struct str bytes;
	const char *text;
	const char *const *words;
	struct str_list texts;
};
#define FIELD(type, member) FIELD_OF(struct thing, type, member)
static const struct field all[] = {FIELD(INT, number), FIELD(NUMBER, large),
	FIELD(BOOL, is_so), FIELD(BYTES, bytes), FIELD(TEXT, text), FIELD(WORDS, words),
	FIELD(TEXTS, texts), {FIELD_END, 0}};

static struct str
written(struct arena *a)
{
	static const char *const words[] = {"a", "", NULL};
	struct str texts[] = {STR("x"), str_cut("\0\377", 2)};
	struct thing t = {.number = -7,
		.large = INT64_MIN,
		.is_so = true,
		.bytes = str_cut("b\0c", 3),
		.text = "text",
		.words = words,
		.texts = {texts, ROWS(texts)}};
	struct buf b = {.arena = a};

	fields_write(&b, all, &t);
	return buf_as_str(&b);
}

static void
come_back(void **state)
{
	struct field_reader r = {.arena = *state, .rest = written(*state)};
	struct thing t;

	assert_true(fields_read(&r, all, &t));
	assert_int_equal(t.number, -7);
	assert_true(t.large == INT64_MIN);
	assert_true(t.is_so);
	assert_true(str_eq(t.bytes, str_cut("b\0c", 3)));
	assert_string_equal(t.text, "text");
	assert_string_equal(t.words[0], "a");
	assert_string_equal(t.words[1], "");
	assert_null(t.words[2]);
	assert_int_equal(t.texts.n, 2);
	assert_true(str_eq(t.texts.v[1], str_cut("\0\377", 2)));
}

static void
are_whole(void **state)
{
	struct str bytes = written(*state);
	struct thing t;

	for (size_t n = 0; n < bytes.n; n++) {
		struct field_reader r = {.arena = *state, .rest = str_cut(bytes.p, n)};

		assert_false(fields_read(&r, all, &t));
		assert_non_null(r.why);
	}
}

/* An only field, and its bytes. */
static const struct {
	struct field fields[2];
	struct str bytes;
	const char *why;
} wrong[] = {
	{{FIELD(BOOL, is_so)}, {"\2", 1}, "a truth value is neither 0 nor 1"},
	{{FIELD(BYTES, bytes)}, {"\377\377\377\377x", 5},
		"a text is longer than its message"},
	{{FIELD(TEXT, text)}, {"\0\0\0\1\0", 5}, "a text contains NUL"},
	{{FIELD(WORDS, words)}, {"\377\377\377\377\0\0\0\0", 8},
		"a list is longer than its message"},
	{{FIELD(TEXTS, texts)}, {"\377\377\377\377\0\0\0\0", 8},
		"a list is longer than its message"},
	{{FIELD(INT, number)}, {"\0\0\0\0\0", 5}, "a message is too long"},
	{{FIELD(NUMBER, large)}, {"\0\0\0\0\0", 5}, "a message is too short"},
};

static void
say_what_is_wrong(void **state)
{
	for (size_t i = 0; i < ROWS(wrong); i++) {
		struct field_reader r = {.arena = *state, .rest = wrong[i].bytes};
		struct thing t;

		assert_false(fields_read(&r, wrong[i].fields, &t));
		assert_string_equal(r.why, wrong[i].why);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(come_back, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(are_whole, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			say_what_is_wrong, open_arena, close_arena),
	};

	return run_unit_tests("fields", tests, NULL, NULL);
}
