/* The XML writer. See xml.h. */
#include "compat/format/xml.h"

#include "runner/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { PIECE = 1 << 16 };

/* ---- text ------------------------------------------------------------------------ */

static const char *
entity_of(uint32_t c, bool quotes)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return quotes ? "&quot;" : NULL;
	case '\'':
		return quotes ? "&apos;" : NULL;
	case '\r':
		return "";
	default:
		return NULL;
	}
}

static bool
is_xml(uint32_t c)
{
	return c >= 0x20 ? c != 0xfffe && c != 0xffff : c == '\t' || c == '\n';
}

void
xml_escape(struct buf *out, struct str text, bool quotes)
{
	while (text.n) {
		uint32_t c = 0;
		size_t n = utf8_next(text, &c);
		const char *named = n == 1 ? entity_of(c, quotes) : NULL;

		if (n == 0)
			buf_fmt(out, "[NON-UTF-8-BYTE-0x%X]", (unsigned char)text.p[0]);
		else if (named)
			buf_z(out, named);
		else if (is_xml(c))
			buf_add(out, text.p, n);
		else
			buf_fmt(out, "[NON-XML-CHAR-0x%X]", c);
		text = str_from(text, n ? n : 1);
	}
}

/* ---- elements -------------------------------------------------------------------- */

static void
new_line(struct xml *x, size_t depth)
{
	if (x->out->n || x->was_drained)
		buf_char(x->out, '\n');
	buf_fill(x->out, '\t', depth);
}

void
xml_begin(struct xml *x, struct buf *out, size_t depth)
{
	INVARIANT(depth < XML_DEPTH);
	*x = (struct xml){.out = out, .depth = depth};
}

void
xml_declaration(struct xml *x)
{
	buf_z(x->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
}

void
xml_content(struct xml *x)
{
	if (!x->in_tag)
		return;
	if (x->each_on_a_line)
		new_line(x, x->depth);
	buf_char(x->out, '>');
	x->in_tag = x->each_on_a_line = false;
}

void
xml_open(struct xml *x, const char *name)
{
	INVARIANT(x->depth < XML_DEPTH);
	xml_content(x);
	new_line(x, x->depth);
	buf_char(x->out, '<');
	buf_z(x->out, name);
	x->open[x->depth++] = name;
	x->in_tag = true;
	x->has_text = false;
}

void
xml_break_attributes(struct xml *x)
{
	x->each_on_a_line = true;
}

void
xml_attribute(struct xml *x, const char *name, struct str value)
{
	bool is_first = x->out->n && x->out->p[x->out->n - 1] != '"';

	INVARIANT(x->in_tag);
	if (x->each_on_a_line && !is_first)
		new_line(x, x->depth);
	else
		buf_char(x->out, ' ');
	buf_z(x->out, name);
	buf_z(x->out, "=\"");
	xml_escape(x->out, value, true);
	buf_char(x->out, '"');
}

void
xml_attribute_fmt(struct xml *x, const char *name, const char *fmt, ...)
{
	char text[128];
	va_list args;

	INVARIANT(name && fmt);
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	xml_attribute(x, name, str_of(text));
}

static void
drain_out(struct xml *x)
{
	x->drain(x->drain_context, x->out);
	x->was_drained = true;
}

void
xml_drain(struct xml *x)
{
	if (x->drain && x->out->n >= PIECE)
		drain_out(x);
}

void
xml_long_text(struct xml *x, const struct long_text *text)
{
	struct str rest = text->s;
	size_t at = 0;

	xml_content(x);
	while (rest.n) {
		size_t n = x->drain ? utf8_piece(rest, PIECE) : rest.n;

		xml_escape(x->out, str_cut(rest.p, n), false);
		long_text_let_go(text, at, at + n);
		rest = str_from(rest, n);
		at += n;
		if (rest.n)
			drain_out(x);
	}
	x->has_text = true;
}

void
xml_text(struct xml *x, struct str text)
{
	xml_long_text(x, &(struct long_text){text, false});
}

void
xml_comment(struct xml *x, const char *text)
{
	INVARIANT(text);
	xml_content(x);
	new_line(x, x->depth);
	buf_fmt(x->out, "<!-- %s -->", text);
	x->has_text = false;
}

void
xml_close(struct xml *x)
{
	const char *name = x->open[--x->depth];

	if (x->in_tag) {
		buf_z(x->out, "/>");
		x->in_tag = x->each_on_a_line = false;
	} else {
		if (!x->has_text)
			new_line(x, x->depth);
		buf_fmt(x->out, "</%s>", name);
	}
	x->has_text = false;
}
