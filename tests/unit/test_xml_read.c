/* XML in pieces and at once: runner/base/xml_read.h. */
#include "runner/base/xml_read.h"
#include "tests/unit/unit.h"

static void
add_name(void *context, struct str name)
{
	buf_fmt(context, "<%.*s>", STR_ARG(name));
}

static void
add_attribute(void *context, struct str name, struct str value)
{
	buf_fmt(context, " %.*s=%.*s", STR_ARG(name), STR_ARG(value));
}

static void
add_text(void *context, struct str text)
{
	buf_str(context, text);
}

static void
events_in_their_order(void **state)
{
	struct arena *a = arena_open();
	struct buf b = {.arena = a};
	struct xml_events e = {.context = &b,
		.begin = add_name,
		.attribute = add_attribute,
		.text = add_text,
		.end = add_name};
	struct xml_fault fault = xml_read(STR("<a x='1' y='&lt;'>t<b/>&amp;</a>"), &e);

	(void)state;
	assert_null(fault.text);
	assert_true(str_is(buf_as_str(&b), "<a> x=1 y=<t<b><b>&<a>"));
	b.n = 0;
	fault = xml_read(STR("<a>\n<b></a>"), &e);
	assert_string_equal(fault.text, "mismatched tag");
	assert_int_equal(fault.line, 2);
	assert_false(fault.is_end);
	assert_true(str_is(buf_as_str(&b), "<a>\n<b>"));
	assert_true(xml_read(STR("<a>"), &e).is_end);
	arena_close(a);
}

/* Expat makes room for more than it begins with. */
static void
many_attributes(void **state)
{
	enum { MANY = 300 };
	struct arena *a = arena_open();
	struct buf text = {.arena = a}, b = {.arena = a}, wanted = {.arena = a};
	struct xml_events e = {
		.context = &b, .begin = add_name, .attribute = add_attribute};

	(void)state;
	buf_z(&text, "<a");
	buf_z(&wanted, "<a>");
	for (int i = 0; i < MANY; i++) {
		buf_fmt(&text, " n%d='%d'", i, i * i);
		buf_fmt(&wanted, " n%d=%d", i, i * i);
	}
	buf_z(&text, "/>");
	assert_null(xml_read(buf_as_str(&text), &e).text);
	assert_true(str_eq(buf_as_str(&b), buf_as_str(&wanted)));
	arena_close(a);
}

static void
pieces_at_any_byte(void **state)
{
	struct arena *a = arena_open();
	struct buf b = {.arena = a};
	struct xml_events e = {.context = &b, .begin = add_name, .text = add_text};
	struct str text = STR("<log><entry a='b'>one</entry>two</log>");
	struct xml_reader *r = xml_reader_open(&e, NULL);

	(void)state;
	for (size_t i = 0; i < text.n; i++)
		assert_null(xml_reader_feed(r, str_cut(text.p + i, 1)).text);
	assert_null(xml_reader_close(r).text);
	assert_true(str_is(buf_as_str(&b), "<log><entry>onetwo"));
	r = xml_reader_open(&e, NULL);
	assert_non_null(xml_reader_feed(r, STR("</log>")).text);
	assert_non_null(xml_reader_feed(r, STR("<log/>")).text);
	assert_null(xml_reader_close(r).text);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_in_their_order),
		cmocka_unit_test(many_attributes),
		cmocka_unit_test(pieces_at_any_byte),
	};

	return run_unit_tests("xml_read", tests, NULL, NULL);
}
