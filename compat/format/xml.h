/*
 * Writes XML as ctest does: tabs, text elements on one line, elements without content
 * closed at once, and bytes that XML does not allow replaced by text.
 */
#ifndef CCTR_COMPAT_FORMAT_XML_H
#define CCTR_COMPAT_FORMAT_XML_H

#include "runner/base/long_text.h"

enum { XML_DEPTH = 32 };
struct xml {
	struct buf *out;
	const char *open[XML_DEPTH]; /* element names, borrowed */
	size_t depth;
	bool in_tag; /* "<x a=..." is not closed by '>' yet */
	bool has_text; /* the innermost element has text: its end stays on the line */
	bool each_on_a_line; /* attributes of the tag being written */
	/* Takes the content of out and empties it while a long text is written; NULL: out
	 * is never emptied. */
	void (*drain)(void *context, struct buf *out);
	void *drain_context;
	bool was_drained; /* out was emptied: its content is not the beginning */
	int digits; /* after the point of numbers; 0: six significant digits */
};

/* depth: how deep the first element is indented, for fragments. */
void xml_begin(struct xml *x, struct buf *out, size_t depth);
void xml_declaration(struct xml *x);
void xml_open(struct xml *x, const char *name);
/* Writes each attribute of the element just opened on its own line. */
void xml_break_attributes(struct xml *x);
void xml_attribute(struct xml *x, const char *name, struct str value);
void xml_attribute_fmt(struct xml *x, const char *name, const char *fmt, ...)
	CCTR_PRINTF(3, 4);
void xml_text(struct xml *x, struct str text);
void xml_long_text(struct xml *x, const struct long_text *text);
void xml_close(struct xml *x);
/* Call it between elements or texts: empties out through drain if there is much in it. */
void xml_drain(struct xml *x);
/* On its own line. */
void xml_comment(struct xml *x, const char *text);
/* Closes the tag being written, so that fragments may follow. */
void xml_content(struct xml *x);

/* Escapes & < >, and quotes if asked. Drops CR. Names in brackets the bytes that are not
 * UTF-8 and the characters that XML does not allow. */
void xml_escape(struct buf *out, struct str text, bool quotes);

#endif
