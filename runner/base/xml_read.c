/* Reads XML with Expat, which counts the bytes of a piece in an int. See xml_read.h. */
#include "runner/base/xml_read.h"

#include <expat.h>
#include <stdlib.h>

#include "runner/base/entropy.h"
#include "runner/base/library.h"

#define FUNCTIONS(X)                                                                     \
	X(XML_ErrorString)                                                               \
	X(XML_GetCurrentByteIndex)                                                       \
	X(XML_GetCurrentLineNumber)                                                      \
	X(XML_GetErrorCode)                                                              \
	X(XML_Parse)                                                                     \
	X(XML_ParserCreate_MM)                                                           \
	X(XML_ParserFree)                                                                \
	X(XML_SetCharacterDataHandler)                                                   \
	X(XML_SetElementHandler)                                                         \
	X(XML_SetHashSalt)                                                               \
	X(XML_SetUserData)
CCTR_LIBRARY(CCTR_EXPAT_LIBRARY, "required", "files of XML", FUNCTIONS)

enum { PIECE_BYTES = 1 << 20 };

static void
on_begin(void *data, const char *name, const char **attributes)
{
	const struct xml_events *e = data;

	e->begin(e->context, str_of(name));
	for (; e->attribute && *attributes; attributes += 2)
		e->attribute(e->context, str_of(attributes[0]), str_of(attributes[1]));
}

static void
on_end(void *data, const char *name)
{
	const struct xml_events *e = data;

	if (e->end)
		e->end(e->context, str_of(name));
}

static void
on_text(void *data, const char *bytes, int n)
{
	const struct xml_events *e = data;

	if (e->text)
		e->text(e->context, str_cut(bytes, (size_t)n));
}

struct xml_reader {
	struct arena *arena;
	struct library expat;
	XML_Parser parser;
	bool has_fault;
};

struct xml_reader *
xml_reader_open(const struct xml_events *events)
{
	static const XML_Memory_Handling_Suite memory = {
		memory_or_end, memory_resized_or_end, free};
	struct arena *a = arena_open();
	struct xml_reader *r = NEW(a, struct xml_reader);

	r->arena = a;
	if (!load_library(&r->expat))
		program_end(
			"cctr: there is no " CCTR_EXPAT_LIBRARY " to read XML with\n");
	r->parser = r->expat.XML_ParserCreate_MM(NULL, &memory, NULL);
	INVARIANT(r->parser);
	/* Expat's own source of it, arc4random of libc, aborts if the system has none. */
	r->expat.XML_SetHashSalt(r->parser, (unsigned long)entropy_number() | 1);
	r->expat.XML_SetUserData(r->parser, drop_const(events));
	r->expat.XML_SetElementHandler(r->parser, on_begin, on_end);
	r->expat.XML_SetCharacterDataHandler(r->parser, on_text);
	return r;
}

static struct xml_fault
read_piece(struct xml_reader *r, struct str bytes, bool is_last)
{
	const struct library *l = &r->expat;
	struct xml_fault fault = {.line = 1};

	if (l->XML_Parse(r->parser, bytes.p, (int)bytes.n, is_last) == XML_STATUS_OK)
		return fault;
	r->has_fault = true;
	fault.text = l->XML_ErrorString(l->XML_GetErrorCode(r->parser));
	fault.at = (size_t)l->XML_GetCurrentByteIndex(r->parser);
	fault.line = l->XML_GetCurrentLineNumber(r->parser);
	fault.is_end = is_last;
	return fault;
}

struct xml_fault
xml_reader_feed(struct xml_reader *r, struct str bytes)
{
	struct xml_fault fault = {.line = 1};

	INVARIANT(r);
	for (size_t at = 0; at < bytes.n && !fault.text; at += PIECE_BYTES)
		fault = read_piece(r,
			str_cut(bytes.p + at,
				bytes.n - at < PIECE_BYTES ? bytes.n - at : PIECE_BYTES),
			false);
	return fault;
}

struct xml_fault
xml_reader_close(struct xml_reader *r)
{
	struct xml_fault fault = {.line = 1};

	if (!r->has_fault)
		fault = read_piece(r, STR(""), true);
	r->expat.XML_ParserFree(r->parser);
	arena_close(r->arena);
	return fault;
}

struct xml_fault
xml_read(struct str text, const struct xml_events *events)
{
	struct xml_reader *r = xml_reader_open(events);
	struct xml_fault fault = xml_reader_feed(r, text), end = xml_reader_close(r);

	INVARIANT(events);
	return fault.text ? fault : end;
}
