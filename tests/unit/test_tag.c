/* Tags of a dashboard, names of its steps, and how bytes stand in its files. */
#include "compat/dashboard/step/step.h"
#include "compat/dashboard/step/tag.h"
#include "compat/format/encode.h"
#include "tests/unit/unit.h"

/* 2026-11-21 14:10:00 UTC */
enum { NOW = 1795270200, DAY = 86400 };

static const struct {
	const char *time;
	bool is_read;
	const char *stamp;
} nights[] = {
	{"00:00:00 EDT", true, "20261121-0400"},
	{"00:00:00 UTC", true, "20261121-0000"},
	{"00:00:00", true, "20261121-0000"},
	{"14:10:00 UTC", true, "20261121-1410"},
	{"14:10:01 UTC", true, "20261120-1410"},
	{"23:59:59 UTC", true, "20261120-2359"},
	{"21:00:00 EST", true, "20261121-0200"},
	{"01:00:00 +0100", true, "20261121-0000"},
	{"00:00:00 +0100", true, "20261120-2300"},
	{"23:00:00 -0100", true, "20261121-0000"},
	{"1:02:03 UTC", true, "20261121-0102"},
	{" 01:02 UTC ", true, "20261121-0102"},
	{"24:00:00 UTC", false, NULL},
	{"01:60:00 UTC", false, NULL},
	{"01:00:00 XYZ", false, NULL},
	{"noon", false, NULL},
	{"", false, NULL},
};

static void
test_nightly(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(nights); i++) {
		int64_t at;
		bool is_read = tag_nightly(str_of(nights[i].time), NOW, &at);

		assert_int_equal(is_read, nights[i].is_read);
		if (is_read)
			assert_string_equal(tag_stamp(a, at).p, nights[i].stamp);
	}
	arena_close(a);
}

static void
test_names(void **state)
{
	(void)state;
	for (int i = 0; i < PARTS; i++)
		assert_int_equal(part_parse(str_of(part_name((enum part)i))), i);
	for (int i = 0; i < MODELS; i++)
		assert_int_equal(model_parse(str_of(model_name((enum model)i))), i);
	assert_int_equal(part_parse(STR("memcheck")), PART_MEMCHECK);
	assert_int_equal(part_parse(STR("Star")), PARTS);
	assert_int_equal(model_parse(STR("nIGHTLY")), MODEL_NIGHTLY);
	assert_int_equal(model_parse(STR("Night")), MODELS);
}

static const struct {
	const char *bytes, *text;
} encoded[] = {
	{"", "===="},
	{"a", "YQ=="},
	{"ab", "YWI="},
	{"abc", "YWJj===="},
	{"abcd", "YWJjZA=="},
	/* 48 bytes: a newline behind the 61st character */
	{"123456789012345678901234567890123456789012345678",
		"MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1N\n"
		"jc4===="},
};

static void
test_base64(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(encoded); i++) {
		struct buf out = {.arena = a};

		encode_base64(&out, str_of(encoded[i].bytes), true);
		assert_string_equal(out.p, encoded[i].text);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nightly),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_base64),
	};

	return run_unit_tests("tag", tests, NULL, NULL);
}
