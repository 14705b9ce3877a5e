/* See columns.h. */
#include "runner/base/columns.h"

#include <locale.h>
#include <wchar.h>

#include "runner/base/utf8.h"

enum { EMOJI_STYLE = 0xfe0f, DELETE = 0x7f };

struct columns {
	locale_t tables; /* 0: there are none */
};

struct columns *
columns_open(struct arena *a)
{
	struct columns *c = NEW(a, struct columns);

	c->tables = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return c;
}

void
columns_close(struct columns *c)
{
	if (c->tables)
		freelocale(c->tables);
	c->tables = (locale_t)0;
}

/* -1: the character cannot be shown. After EMOJI_STYLE some terminals show the character
 * before it in two columns. */
static int
columns_of_code(const struct columns *c, uint32_t code)
{
	locale_t before;
	int n;

	if (code < DELETE)
		return code < ' ' ? -1 : 1;
	if (!c->tables)
		return code < 0xa0 ? -1 : 2;
	if (code == EMOJI_STYLE)
		return 1;
	before = uselocale(c->tables);
	n = wcwidth((wchar_t)code);
	uselocale(before);
	return n;
}

/* What is shown for the beginning of a text. */
struct glyph {
	size_t bytes; /* of the text */
	struct str shown;
	size_t columns;
};

static struct glyph
first_glyph(const struct columns *c, struct str text)
{
	uint32_t code;
	size_t bytes = utf8_next(text, &code);
	int n = bytes ? columns_of_code(c, code) : -1;

	if (n < 0)
		return (struct glyph){bytes ? bytes : 1, STR("?"), 1};
	return (struct glyph){bytes, str_cut(text.p, bytes), (size_t)n};
}

size_t
columns_of(const struct columns *c, struct str text)
{
	size_t columns = 0;

	while (text.n) {
		struct glyph g = first_glyph(c, text);

		columns += g.columns;
		text = str_from(text, g.bytes);
	}
	return columns;
}

static size_t
add_most(const struct columns *c, struct buf *out, struct str text, size_t most)
{
	size_t columns = 0;

	while (text.n) {
		struct glyph g = first_glyph(c, text);

		if (columns + g.columns > most)
			break;
		columns += g.columns;
		buf_str(out, g.shown);
		text = str_from(text, g.bytes);
	}
	return columns;
}

size_t
columns_add(const struct columns *c, struct buf *out, struct str text, size_t most)
{
	enum { DOTS = 3 };
	size_t columns;

	if (columns_of(c, text) <= most)
		return add_most(c, out, text, most);
	columns = add_most(c, out, text, most > DOTS ? most - DOTS : 0);
	for (int i = 0; i < DOTS && columns < most; i++) {
		buf_char(out, '.');
		columns++;
	}
	return columns;
}
