/* Text in XML: in pieces it is the same. */
#include <string.h>

#include "compat/format/xml.h"
#include "tests/unit/unit.h"

struct drained {
	struct buf text;
	size_t times, most;
};

static void
drain(void *context, struct buf *out)
{
	struct drained *d = context;

	d->times++;
	d->most = out->n > d->most ? out->n : d->most;
	buf_str(&d->text, buf_as_str(out));
	out->n = 0;
}

static struct str
written(struct arena *a, struct str text, struct drained *d)
{
	struct buf out = {.arena = a};
	struct xml x;

	xml_begin(&x, &out, 0);
	if (d) {
		*d = (struct drained){.text = {.arena = a}};
		x.drain = drain;
		x.drain_context = d;
	}
	xml_open(&x, "a");
	xml_open(&x, "b");
	xml_text(&x, text);
	xml_close(&x);
	xml_close(&x);
	if (!d)
		return buf_as_str(&out);
	buf_str(&d->text, buf_as_str(&out));
	return buf_as_str(&d->text);
}

static void
short_texts_are_in_one_piece(void **state)
{
	struct arena *a = arena_open();
	struct drained d;

	(void)state;
	assert_string_equal(written(a, STR("x<y&\r\x01\xff\n"), &d).p,
		"<a>\n\t<b>x&lt;y&amp;[NON-XML-CHAR-0x1][NON-UTF-8-BYTE-0xFF]\n</b>\n</"
		"a>");
	assert_int_equal(d.times, 0);
	arena_close(a);
}

/* Characters of all lengths, and parts of them, wherever a piece may end. */
static void
pieces_cut_no_character(void **state)
{
	static const struct str units[] = {STR("x"), STR("\xc3\xa9"), STR("\xe6\x97\xa5"),
		STR("\xf0\x9f\x98\x80"), STR("\x80"), STR("\xf0\x9f"), STR("\r"),
		STR("a\xe6\x97")};

	(void)state;
	for (size_t i = 0; i < ROWS(units); i++)
		for (size_t shift = 0; shift < 5; shift++) {
			struct arena *a = arena_open();
			struct buf text = {.arena = a};
			struct drained d;
			struct str pieces;

			buf_fill(&text, '.', shift);
			while (text.n < 400000)
				buf_str(&text, units[i]);
			pieces = written(a, buf_as_str(&text), &d);
			assert_true(str_eq(written(a, buf_as_str(&text), NULL), pieces));
			assert_true(d.times >= 5);
			assert_true(d.most < 30 * 70000);
			arena_close(a);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_texts_are_in_one_piece),
		cmocka_unit_test(pieces_cut_no_character),
	};

	return run_unit_tests("xml", tests, NULL, NULL);
}
